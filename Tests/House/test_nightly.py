"""`make nightly ARGS='attack'` names the steps; the steps themselves are run without arguments, whatever make hands down."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_steps_get_no_arguments_of_the_night(tmp_path):
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "scripts/nightly", tmp_path / "scripts")
    # Stands where the script finds `make`, and says what a Makefile would see.
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    stub = stubs / "make"
    stub.write_text('#!/bin/sh\necho "called $*, ARGS ${ARGS-unset}, MAKEFLAGS ${MAKEFLAGS-unset}"\n')
    stub.chmod(0o755)
    make = shutil.which("make")
    path = f"{stubs}:{os.environ['PATH']}"
    done = subprocess.run(
        [make, "nightly", "ARGS=attack soak"], cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "called -s attack, ARGS unset, MAKEFLAGS unset" in done.stdout
    assert "called -s soak, ARGS unset, MAKEFLAGS unset" in done.stdout
    assert "fuzz" not in done.stdout
