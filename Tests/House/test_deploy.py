"""What Deploy/ names is there: the examples must not rot beside the code."""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Deploy/Dockerfile").read_text()


def copied():
    """Sources of the Dockerfile's COPY lines from the build context."""
    return re.findall(r"^COPY (?!--from)(\S+) ", DOCKERFILE, re.MULTILINE)


def test_the_image_is_built_from_all_that_the_package_names():
    manifest = (ROOT / "Package.swift").read_text().split("OVATION_FUZZ")[0]
    # Target paths, whole or up to the part that a function of the manifest fills in.
    folders = {path.split("/")[0] for path in re.findall(r'path: "([^"\\]+)', manifest)}
    assert {"Sources", "Tests"} <= folders <= set(copied()), folders - set(copied())
    for path in copied():
        assert (ROOT / path).exists(), f"the Dockerfile copies {path}"
