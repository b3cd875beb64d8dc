"""The module table: what each target may import beside the standard library.

This is the direction of the whole house; CONTRIBUTING.md explains it. A target that is not here fails the check,
so that opening one is a decision."""

# name: (folder, own targets and packages that it may import)
MODULES = {
    # Anyone may import Timing.
    "Timing": ("Shared", set()),
    "SignalProtocol": ("Shared", {"RoomModel", "Foundation"}),
    "UserSig": ("Shared", {"Crypto", "CZlib", "Foundation"}),
    "Wire": ("Media", set()),
    "RTP": ("Media", {"Wire"}),
    "SDP": ("Media", set()),
    "ICE": ("Media", {"Wire", "Crypto"}),
    "DTLS": ("Media", {"Wire", "COpenSSL"}),
    "SRTP": ("Media", {"Wire", "RTP", "COpenSSL"}),
    "PeerSession": ("Media", {"Wire", "RTP", "ICE", "DTLS", "SRTP"}),
    "Forwarding": ("Media", {"Wire", "RTP"}),
    "DatagramIO": ("Media", {"Wire", "CNet"}),
    "RoomModel": ("Rooms", set()),
    "RoomRules": ("Rooms", {"RoomModel"}),
    "RoomPorts": ("Rooms", {"RoomModel"}),
    "RoomService": ("Rooms", {"RoomModel", "RoomRules", "RoomPorts"}),
    "MediaNode": (
        "Server",
        {"Wire", "RTP", "SDP", "ICE", "DTLS", "SRTP", "PeerSession", "Forwarding", "DatagramIO", "RoomPorts"},
    ),
    "StoreSQLite": ("Server", {"RoomModel", "RoomPorts", "GRDB"}),
    "Gateway": (
        "Server",
        {"RoomModel", "RoomPorts", "RoomService", "SignalProtocol", "UserSig", "CQREncode", "CZlib"},
    ),
    # The only place that knows every concrete type.
    "ServerApp": (
        "Server",
        {
            "RoomModel", "RoomRules", "RoomPorts", "RoomService", "SignalProtocol", "UserSig", "Gateway", "MediaNode",
            "StoreSQLite", "Playback", "Wire", "DatagramIO",
        },
    ),
    "AudioGraph": ("Client", set()),
    "MediaCodecs": ("Client", {"AudioGraph", "COpus", "CLibAV"}),
    # Its devices beat by the clock that packets are timed by.
    "MediaDevices": ("Client", {"AudioGraph", "MediaCodecs", "DatagramIO", "CPulse"}),
    "ClientMedia": (
        "Client",
        {
            "Wire", "RTP", "SDP", "ICE", "DTLS", "SRTP", "PeerSession", "DatagramIO", "AudioGraph", "MediaCodecs",
            "MediaDevices",
        },
    ),
    "Ovation": ("Client", {"RoomModel", "SignalProtocol", "ClientMedia", "AudioGraph", "MediaDevices"}),
    # Delegates and callbacks live here and nowhere else.
    # UserSig for the reference's GenerateTestUserSig; SignalProtocol to name the calls of the ordered queue.
    "TRTCCompat": ("Client", {"Ovation", "AudioGraph", "RoomModel", "SignalProtocol", "UserSig"}),
    # The mixer is a peer of Forwarding that decodes; it shares the codecs and the sample processing with the clients.
    "Playback": ("Server", {"Forwarding", "DatagramIO", "MediaNode", "RoomPorts", "AudioGraph", "MediaCodecs", "CConfine"}),
    "OvationTool": ("Tool", {"ServerApp", "UserSig", "RoomModel", "Ovation", "ArgumentParser"}),
}

ANYONE = {"Timing", "Synchronization", "Swift"}
# Platform modules: allowed where the work is at an edge.
PLATFORM = {"Foundation", "FoundationEssentials", "Glibc", "Darwin", "Musl", "Dispatch"}
PLATFORM_USERS = {"StoreSQLite", "Gateway", "ServerApp", "OvationTool", "MediaNode", "DatagramIO", "UserSig", "SignalProtocol", "RoomService",
    "AudioGraph", "MediaCodecs", "MediaDevices", "ClientMedia", "Ovation", "TRTCCompat",
    # It starts processes.
    "Playback"}
# The Hummingbird and NIO families, logging and configuration: server edges only.
SERVER_PACKAGES = {
    "Hummingbird", "HummingbirdCore", "HummingbirdTLS", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOHTTPTypes",
    "NIOHTTPTypesHTTP1", "NIOWebSocket", "NIOSSL", "NIOFoundationCompat", "NIOConcurrencyHelpers", "NIOExtras",
    "Logging", "ServiceLifecycle", "UnixSignals", "Yams", "Crypto", "SystemPackage", "AsyncAlgorithms", "X509", "SwiftASN1",
    "DequeModule", "Collections",
}
SERVER_PACKAGE_USERS = {"Gateway", "ServerApp", "OvationTool", "StoreSQLite", "MediaNode", "Ovation"}
# Data structures without I/O, where a room or a worker needs a ring or a heap.
STRUCTURES = {"DequeModule", "HeapModule", "Collections", "OrderedCollections"}

# Sans-I/O cores: no clock, no task, no lock, no global randomness.
CORES = ["Wire", "RTP", "SDP", "ICE", "DTLS", "SRTP", "PeerSession", "Forwarding", "RoomModel", "RoomRules", "AudioGraph"]

# Samples that users copy: they import our products and published packages, nothing that only this package can see.
EXAMPLES = {
    "Examples/ticket-servers/swift": {"UserSig", "Hummingbird", "HTTPTypes", "Foundation"},
    "Examples/swift": {"Ovation", "ArgumentParser", "UnixSignals", "Foundation"},
}
