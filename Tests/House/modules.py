"""What each target may import: what Package.swift says, read from there, so that directions are written once.

A build also finds modules that a target does not declare, by way of others; the tests beside this file do not. Which folders may
build on which is below: a new direction between folders is a decision (CONTRIBUTING.md)."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def manifest():
    package = json.loads(subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True).stdout)
    modules = {}
    for target in package["targets"]:
        parts = (target.get("path") or "").split("/")
        if parts[0] == "Sources" and parts[1] != "C":
            names = {(each.get("byName") or each.get("product"))[0] for each in target["dependencies"]}
            assert parts[2] == target["name"], target["path"]
            modules[target["name"]] = (parts[1], names)
    return modules


# name: (folder, own targets and products that it may import)
MODULES = manifest()

# Which folder builds on which, beside Platform, Texts and Timing, which are for all, and the C targets. What is named is all of that folder's targets
# that may be seen from there.
FOLDERS = {
    "Model": {},
    "Protocol": {"Model": None},
    "Audio": {},
    # Knows no room and no user.
    "Media": {"Protocol": {"Digests"}},
    # Knows no packet.
    "Rooms": {"Model": None},
    "Server": {"Model": None, "Protocol": None, "Audio": None, "Media": None, "Rooms": None},
    "Client": {"Model": None, "Protocol": None, "Audio": None, "Media": None},
    # The loads are clients of their own, packets included.
    "Tool": {"Model": None, "Protocol": None, "Media": None, "Server": {"ServerApp"}, "Client": {"Ovation"}},
}

ANYONE = {"Swift"}


def below(names):
    """The targets that these are built of, themselves included."""
    found, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name in MODULES and name not in found:
            found.add(name)
            waiting += MODULES[name][1]
    return found


# Apps run on iOS 16 and macOS 13, which have no `Synchronization`: what they are built of, and the media core, take `Platform`.
OLD_SYSTEMS = below({"Ovation", "TRTCCompat", "UserSig"}) | {name for name, (folder, _) in MODULES.items() if folder in ("Audio", "Client", "Media", "Model", "Protocol")}
# Platform modules: allowed where the work is at an edge.
PLATFORM = {"Foundation", "FoundationEssentials", "Glibc", "Darwin", "Musl", "Dispatch"}
PLATFORM_USERS = {
    "StoreSQLite", "HTTP", "Signalling", "WHIP", "OperatorAPI", "PagesAndSongs", "ServerApp", "OvationTool", "LoadTools", "MediaNode", "DatagramIO", "UserSig", "SignalProtocol", "RoomService",
    "AudioGraph", "MediaCodecs", "MediaDevices", "ClientMedia", "Ovation", "TRTCCompat",
    "Webhooks",
    # It starts processes.
    "Playback",
    # Unicode's normal forms.
    "WordLists",
}

# Sans-I/O cores: no clock, no task, no lock, no global randomness.
CORES = ["Wire", "RTP", "Codecs", "SDP", "ICE", "DTLS", "SRTP", "BandwidthEstimation", "PeerSession", "Forwarding", "RoomModel", "RoomEvents", "Commerce", "RoomRules", "WordLists", "AudioGraph"]

# Samples that users copy: they import our products and published packages, nothing that only this package can see.
EXAMPLES = {
    "Examples/ticket-servers/swift": {"UserSig", "Hummingbird", "HTTPTypes", "Foundation"},
    "Examples/swift": {"Ovation", "ArgumentParser", "UnixSignals", "Foundation"},
}
