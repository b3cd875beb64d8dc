"""How others get the packages: the archive that builds without a network, and a package that names ours by path or by tag."""

import hashlib
import json
import os
import re
import subprocess
import tarfile

import pytest

from server import ROOT, build
from story import nightly, story

PATIENCE = 600
DEBUG = ROOT / ".build/debug"
PRODUCTS = ("TRTCCompat", "Ovation", "UserSig")

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "foreign-app",
    dependencies: [%s],
    targets: [.executableTarget(name: "App", dependencies: [%s])],
    swiftLanguageModes: [.v5]
)
""" % ("%s", ", ".join(f'.product(name: "{name}", package: "ovation")' for name in PRODUCTS))

# Code as it was written for the names that people know, in the language of its time.
PROGRAM = """import Foundation
import Ovation
import TRTCCompat
import UserSig

class Salon: NSObject, TRTCVoiceRoomDelegate {
    func onError(code: Int32, message: String) { print("error \\(code)") }
}

let salon = Salon()
let room = TRTCVoiceRoom.shared()
room.setDelegate(delegate: salon)
GenerateTestUserSig.SDKAPPID = 1_400_000_001
GenerateTestUserSig.SECRETKEY = "a key of thirty-two characters .."
let sig = GenerateTestUserSig.genTestUserSig(identifier: "alice")
let own = try TicketSigner(application: 1_400_000_001, key: "a key of thirty-two characters ..")
    .ticket(user: "alice", issuedAt: 1_700_000_000, lifetime: 60)
print(sig.isEmpty || own.isEmpty ? "no ticket" : "tickets", try ServerAddress("https://live.example.com"))
"""


def offline(folder, **more):
    """An environment that knows no mirror and no cache, and in which git reaches nobody."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "OVATION_")) and k.lower() not in ("http_proxy", "https_proxy")}
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return kept | {"HOME": str(home), "XDG_CACHE_HOME": str(home), "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
                   "GIT_ALLOW_PROTOCOL": "none", "https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"} | more


def alone():
    """A network of one's own without a way out, where the system allows to make one."""
    way = ["unshare", "--net"] if os.getuid() == 0 else ["unshare", "--map-root-user", "--net"]
    return way if subprocess.run([*way, "true"], capture_output=True).returncode == 0 else []


def swift(package, environment, *arguments):
    """What is cached is read manifests, by their content, between the tests of this file."""
    cache = package.parent.parent / "manifests"
    done = subprocess.run(
        [*alone(), "swift", *arguments[:1], "--package-path", package, "--cache-path", cache, "--disable-dependency-cache", *arguments[1:]],
        env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def packed(folder):
    subprocess.run([ROOT / "scripts/source-archive", "--output", folder], check=True, capture_output=True, timeout=PATIENCE)
    (file,) = folder.glob("*.tar.gz")
    return file


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return packed(tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def unpacked(archive):
    with tarfile.open(archive) as content:
        content.extractall(archive.parent, filter="data")
    return archive.parent / archive.name.removesuffix(".tar.gz")


def foreign(folder, dependency):
    """A package of somebody else's that uses all three products."""
    (folder / "Sources/App").mkdir(parents=True)
    (folder / "Package.swift").write_text(MANIFEST % dependency)
    (folder / "Sources/App/main.swift").write_text(PROGRAM)
    return folder


def graph(package, environment):
    """Names of all packages below, where each comes from; fails if a product that a target names does not exist."""
    found = {}

    def walk(node):
        found[node["identity"]] = (node["url"], node["version"])
        for below in node["dependencies"]:
            walk(below)

    walk(json.loads(swift(package, environment, "package", "show-dependencies", "--format", "json")))
    return found


@story("X03-K the source archive is the same bytes each time, has its checksum beside it, and knows nothing of the machine it was made on")
def test_archive(archive, tmp_path):
    again = packed(tmp_path)
    assert archive.name == again.name and archive.read_bytes() == again.read_bytes()
    said = archive.with_name(archive.name + ".sha256").read_text()
    assert said == f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n"
    mirrors = subprocess.run(["git", "config", "--get-regexp", r"^url\..*insteadof$"], capture_output=True, text=True).stdout
    strangers = [str(ROOT).encode() + b"/", str(tmp_path.parent).encode()]
    strangers += [name.encode() for name in re.findall(r"^url\.(.+)\.insteadof ", mirrors, re.MULTILINE)]
    top = archive.name.removesuffix(".tar.gz") + "/"
    with tarfile.open(archive) as content:
        members = content.getmembers()
        names = [member.name for member in members]
        assert names == sorted(names) and all(name.startswith(top) for name in names)
        assert {(m.uid, m.gid, m.uname, m.gname) for m in members} == {(0, 0, "", "")} and len({m.mtime for m in members}) == 1
        assert all(not m.linkname.startswith("/") and ".." not in m.name for m in members)
        for member in members:
            text = content.extractfile(member).read() if member.isfile() else b""
            assert not any(name in text for name in strangers), member.name
    assert {top + "LICENSE", top + "README.md", top + "Vendor/README"} <= set(names)
    packages = {name.split("/")[2] for name in names if name.startswith(top + "Vendor/") and name.count("/") > 2}
    for package in packages:
        assert any(re.fullmatch(re.escape(f"{top}Vendor/{package}/") + r"LICEN[CS]E(\.\w+)?", name) for name in names), f"{package} lost its licence"


@nightly
@story("X03-K the unpacked archive resolves and compiles with the network refused and nothing in any cache")
def test_offline(unpacked, tmp_path):
    swift(unpacked, offline(tmp_path), "build", "--target", "SignalProtocol")
    assert list(unpacked.glob(".build/*/debug/Modules/SignalProtocol.swiftmodule"))


@nightly
@story("X03-C X03-K a foreign package that names the unpacked archive by path gets its three products, everything else from Vendor")
def test_by_path(unpacked, tmp_path):
    app = foreign(tmp_path / "app", f'.package(name: "ovation", path: "{unpacked}")')
    found = graph(app, offline(tmp_path))
    assert len(found) > 15 and "grdb.swift" in found
    for name, (address, _) in found.items():
        assert name == "app" or address == str(unpacked) or address.startswith(f"{unpacked}/Vendor/"), (name, address)


@nightly
@story("X03-C X03-K a foreign package that names a tag gets that version of it, with the same products")
def test_by_tag(tmp_path):
    environment = offline(tmp_path, GIT_ALLOW_PROTOCOL="file")
    # What this checkout was built from, in the place of where it was published.
    mirror = tmp_path / "mirror"
    for bare in (ROOT / ".build/repositories").iterdir():
        address = subprocess.run(["git", "-C", bare, "config", "remote.origin.url"], capture_output=True, text=True, check=True).stdout.strip()
        owner, name = address.removesuffix(".git").rsplit("/", 2)[-2:]
        (mirror / owner).mkdir(parents=True, exist_ok=True)
        for link in (name, name + ".git"):
            (mirror / owner / link).symlink_to(bare)
    replaced = f'[url "{mirror}/"]\n\tinsteadOf = https://github.com/\n'
    git = ["git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
    published = tmp_path / "ovation"
    subprocess.run([*git, "clone", "--quiet", "--no-hardlinks", "--no-tags", ROOT, published], check=True)
    subprocess.run([*git, "-C", published, "tag", "-a", "-m", "A version", "7.1.0"], check=True)
    (tmp_path / "home/gitconfig").write_text(replaced)
    app = foreign(tmp_path / "app", f'.package(url: "file://{published}", from: "7.0.0")')
    assert graph(app, environment)["ovation"][1] == "7.1.0"


@story("X03-C X03-K a program that imports TRTCCompat, Ovation and UserSig, and nothing else of ours, compiles, links and runs")
def test_imports(tmp_path):
    """Against the modules that are built already: the whole build of a foreign package takes many minutes."""
    build("--target", "TRTCCompat")
    source, program = tmp_path / "main.swift", tmp_path / "program"
    source.write_text(PROGRAM)
    objects = [line.strip("'") for line in (DEBUG / "ovation.product/Objects.LinkFileList").read_text().splitlines()]
    objects = [path for path in objects if "/OvationTool.build/" not in path]
    # Not what is left of sources that have another name by now.
    present = {path.name for path in (ROOT / "Sources/Client/TRTCCompat").rglob("*.swift")}
    objects += [str(path) for path in sorted(DEBUG.glob("TRTCCompat.build/*.swift.o")) if path.stem in present]
    (tmp_path / "objects").write_text("\n".join(f'"{path}"' for path in objects))
    maps = [*ROOT.glob("Sources/C/*/module.modulemap"), *DEBUG.glob("C*.build/module.modulemap"),
            *ROOT.glob(".build/checkouts/*/Sources/*/include/module.modulemap")]
    system = ["pkg-config", "--cflags", "--libs", "opus", "openssl", "zlib", "libqrencode", "sqlite3"]
    libraries = subprocess.run(system, capture_output=True, text=True, check=True).stdout.split()
    clang = [f"-fmodule-map-file={path}" for path in maps] + [option for option in libraries if option.startswith("-I")]
    done = subprocess.run(
        ["swiftc", "-swift-version", "5", source, "-o", program, "-I", DEBUG / "Modules", *(x for m in clang for x in ("-Xcc", m)),
         f"@{tmp_path}/objects", *(option for option in libraries if option.startswith("-l")), "-ldl", "-lstdc++", "-lm"],
        capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr[-3000:]
    said = subprocess.run([program], capture_output=True, text=True, timeout=30)
    assert (said.returncode, said.stdout) == (0, "tickets https://live.example.com\n"), said
