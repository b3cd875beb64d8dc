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


def test_the_image_has_the_libraries_that_the_server_links():
    """A static standard library leaves those of the system: each is a package of the last stage."""
    packages = {"libssl.so.3": "libssl3", "libcrypto.so.3": "libssl3", "libsqlite3.so.0": "libsqlite3-0",
                "libqrencode.so.4": "libqrencode4", "libz.so.1": "zlib1g", "libopus.so.0": "libopus0"}
    base = ("linux-vdso", "libc.so", "libm.so", "libpthread", "libdl.so", "libstdc++", "libgcc_s", "/lib64/ld-linux", "ld-linux")
    swift = ("libswift", "lib_Foundation", "libFoundation", "libdispatch", "libBlocksRuntime")
    executables = [path for path in (ROOT / ".build/release/ovation", ROOT / ".build/debug/ovation") if path.exists()]
    if not executables:
        pytest.skip("no server has been built yet")
    installed = DOCKERFILE.split("FROM ")[-1]
    listed = subprocess.run(["ldd", executables[0]], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"^\s*(\S+)", listed, re.MULTILINE):
        if name.startswith(base + swift):
            continue
        assert name in packages, f"{name}: which package of the image brings it?"
        assert re.search(rf"\s{packages[name]}\s", installed), f"{name}: the image lacks {packages[name]}"


def test_the_manual_names_the_libraries_that_the_image_has():
    """FFmpeg's are opened at run time, so that no linker asks for them."""
    installed = set(re.findall(r"\slib[\w.+-]+|\szlib1g", DOCKERFILE.split("FROM ")[-1]))
    manual = (ROOT / "Documentation/operate/install.md").read_text()
    assert len(installed) >= 9 and not [name for name in installed if name.strip() not in manual]
    versions = dict(re.findall(r"lib(avformat|avcodec|swresample|avutil)(\d+)", DOCKERFILE))
    assert versions == {"avformat": "59", "avcodec": "59", "swresample": "4", "avutil": "57"}


def test_the_lines_for_port_443_are_settings_of_the_unit():
    manual = (ROOT / "Documentation/operate/go-public.md").read_text()
    drop_in = re.search(r"^\[Service\]\n((?:\w+=\S+\n)+)", manual, re.MULTILINE)[1]
    unit = (ROOT / "Deploy/ovation.service").read_text()
    comment, lines = re.search(r"(# On port 443.*\n(?:# .*\n)*)((?:#?\w+=.*\n)+)", unit).groups()
    given = dict(line.split("=") for line in drop_in.splitlines())
    assert list(given) == re.findall(r"^#?(\w+)=", lines, re.MULTILINE)
    assert {given["CapabilityBoundingSet"], given["AmbientCapabilities"]} == set(re.findall(r"CAP_\w+", comment))
    assert f"#SupplementaryGroups={given['SupplementaryGroups']}\n" in lines


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on this machine")
def test_the_unit_is_one(tmp_path):
    unit = tmp_path / "ovation.service"
    text = (ROOT / "Deploy/ovation.service").read_text()
    # The executable of the example is not installed here.
    assert text.count("/usr/local/bin/ovation serve") == 1
    unit.write_text(text.replace("/usr/local/bin/ovation serve", "/usr/bin/env serve"))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    # An unknown or misspelt key is a warning only, and the status stays 0.
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if "ovation" in line]
    assert done.returncode == 0 and not complaints, done.stdout + done.stderr
