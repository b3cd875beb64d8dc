// swift-tools-version: 6.2
import PackageDescription

// What each target may import is written here and nowhere else; Tests/House checks it. What each is for: CONTRIBUTING.md.

let base: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
/// `Lifetimes` gives `~Escapable` readers over `RawSpan`; only the media core parses packets in place.
let media: [SwiftSetting] = base + [.enableExperimentalFeature("Lifetimes")]

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

func target(_ folder: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(folder)/\(name)",
        swiftSettings: folder == "Media" ? media : base)
}

/// The tests of one target. Any of them may draw random commands and lossy networks from a printed seed.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: ["SeededRandom"] + dependencies, path: "Tests/\(name)Tests",
        exclude: exclude,
        resources: resources, swiftSettings: media)
}

/// What several test targets share.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: media)
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// A program of Examples/swift, which has a package of its own for copying; a target here too, so that a test builds and runs it with
/// what is built already.
func example(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            "Ovation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        path: "Examples/swift/Sources/\(name)", swiftSettings: base)
}

let package = Package(
    name: "ovation",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .executable(name: "ovation", targets: ["OvationTool"]),
        .library(name: "Ovation", targets: ["Ovation"]),
        .library(name: "TRTCCompat", targets: ["TRTCCompat"]),
        .library(name: "UserSig", targets: ["UserSig"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1"), traits: []),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
        .package(url: "https://github.com/apple/swift-nio-extras", .upToNextMinor(from: "1.35.2")),
        .package(url: "https://github.com/apple/swift-nio-ssl", .upToNextMinor(from: "2.37.6")),
        .package(url: "https://github.com/apple/swift-nio-http2", .upToNextMinor(from: "1.46.0")),
        .package(url: "https://github.com/apple/swift-http-types", .upToNextMinor(from: "1.8.0")),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
        .package(url: "https://github.com/apple/swift-collections", .upToNextMinor(from: "1.6.0")),
        .package(url: "https://github.com/swift-server/async-http-client", .upToNextMinor(from: "1.37.0")),
    ],
    targets: [
        // The system's libraries and our thin C shims.
        systemLibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        systemLibrary("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
        systemLibrary("COpus", pkgConfig: "opus", apt: "libopus-dev"),
        .target(name: "COpenSSLSetup", dependencies: ["COpenSSL"], path: "Sources/C/COpenSSLSetup"),
        .target(name: "CNet", path: "Sources/C/CNet"),
        .target(name: "CPlatform", path: "Sources/C/CPlatform"),
        .target(name: "CConfine", path: "Sources/C/CConfine"),
        // Opened at run time: a server that reads no sound files does not load FFmpeg, and none loads a sound server's library.
        .target(
            name: "CLibAV", path: "Sources/C/CLibAV", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
        ),
        .target(
            name: "CPulse", path: "Sources/C/CPulse", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
        ),

        // What server, SDK and wire share: values, and how they are written.
        target("Model", "RoomModel", ["Texts"]),
        target("Protocol", "Platform", ["CPlatform"]),
        target("Protocol", "Timing"),
        target("Protocol", "Texts"),
        target("Protocol", "SignalProtocol", ["RoomModel"]),
        target("Protocol", "Digests", ["COpenSSL", "COpenSSLSetup"]),
        target("Protocol", "HTTPGrammar", ["Texts"]),
        target("Protocol", "UserSig", ["CZlib", "Digests", "Texts"]),

        // The media core: sans-I/O, knows no room and no user.
        target("Media", "Wire"),
        target("Media", "RTP", ["Wire", "Timing"]),
        target("Media", "Codecs", ["Wire"]),
        target("Media", "SDP"),
        target("Media", "ICE", ["Wire", "Timing", "Digests"]),
        target("Media", "DTLS", ["Wire", "Timing", "COpenSSL", "COpenSSLSetup"]),
        target("Media", "SRTP", ["Wire", "RTP", "COpenSSL", "COpenSSLSetup"]),
        target("Media", "BandwidthEstimation", ["Wire", "Timing", "RTP"]),
        target("Media", "PeerSession", ["Wire", "Timing", "RTP", "ICE", "DTLS", "SRTP", "BandwidthEstimation"]),
        target("Media", "Forwarding", ["Wire", "Platform", "Timing", "RTP", "Codecs", "BandwidthEstimation"]),
        target("Media", "DatagramIO", ["Wire", "Platform", "Timing", "CNet"]),

        // The room core: knows no packet.
        target("Rooms", "RoomEvents", ["RoomModel"]),
        target("Rooms", "Commerce", ["RoomModel"]),
        target("Rooms", "RoomRules", ["RoomModel", "RoomEvents", "Commerce", "Texts"]),
        target("Rooms", "WordLists", ["RoomModel", "Texts"]),
        target("Rooms", "RoomPorts", ["RoomModel", "RoomEvents", "Commerce", "Timing"]),
        target(
            "Rooms", "RoomService",
            [
                "RoomModel", "RoomEvents", "Commerce", "RoomRules", "RoomPorts", "Timing",
                .product(name: "DequeModule", package: "swift-collections"),
            ]),

        // Sound as samples: the clients and the server's mixer share it.
        target("Audio", "AudioGraph"),
        target("Audio", "MediaCodecs", ["AudioGraph", "Timing", "COpus", "CLibAV"]),

        // The client: devices, and the SDK on top.
        target(
            "Client", "MediaDevices", ["AudioGraph", "MediaCodecs", "Platform", "Timing", "DatagramIO", "CPulse"]),
        target(
            "Client", "ClientMedia",
            [
                "Wire", "Platform", "Timing", "RTP", "SDP", "ICE", "DTLS", "PeerSession", "DatagramIO", "AudioGraph",
                "MediaCodecs", "MediaDevices",
            ]),
        target(
            "Client", "Ovation",
            [
                "RoomModel", "SignalProtocol", "Platform", "Timing", "ClientMedia", "AudioGraph", "MediaDevices",
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),

        target(
            "Client", "TRTCCompat",
            ["Ovation", "AudioGraph", "RoomModel", "SignalProtocol", "Platform", "Timing", "UserSig"]),

        // The server around them.
        target(
            "Server", "MediaNode",
            [
                "RoomModel", "RoomPorts", "Wire", "Timing", "RTP", "Codecs", "SDP", "ICE", "DTLS", "PeerSession",
                "Forwarding",
                "DatagramIO",
            ]),
        target(
            "Server", "Playback",
            ["RoomPorts", "Timing", "Forwarding", "DatagramIO", "MediaNode", "AudioGraph", "MediaCodecs", "CConfine"]),
        target(
            "Server", "Webhooks",
            [
                "RoomModel", "RoomPorts", "SignalProtocol", "Digests", "HTTPGrammar", "Texts", "Timing", logging,
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]),
        target(
            "Server", "StoreSQLite",
            [
                "RoomModel", "RoomEvents", "Commerce", "RoomPorts", "Timing",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // Requests, their admission and who makes them.
        target(
            "Server", "HTTP",
            [
                "RoomModel", "RoomPorts", "SignalProtocol", "UserSig", "Digests", "HTTPGrammar", "Texts", "Timing",
                .product(name: "Hummingbird", package: "hummingbird"),
                nio("NIOCore"), nio("NIOHTTP1"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        target(
            "Server", "Signalling",
            [
                "HTTP", "RoomModel", "RoomEvents", "Commerce", "RoomPorts", "RoomService", "SignalProtocol", "Digests",
                "Texts", "Timing", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        target(
            "Server", "WHIP",
            [
                "HTTP", "Signalling", "RoomModel", "RoomPorts", "RoomService", "SignalProtocol", "HTTPGrammar", "Texts",
                "Timing", .product(name: "Hummingbird", package: "hummingbird"), nio("NIOCore"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        target(
            "Server", "OperatorAPI",
            [
                "HTTP", "Signalling", "RoomModel", "RoomEvents", "Commerce", "RoomPorts", "RoomService",
                "SignalProtocol", "Digests", "Texts", "Timing", logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                nio("NIOCore"), nio("NIOPosix"), .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        target(
            "Server", "PagesAndSongs",
            [
                "HTTP", "Signalling", "RoomModel", "RoomPorts", "RoomService", "SignalProtocol", "UserSig", "Digests",
                "HTTPGrammar", "Texts", "Timing", "CZlib", "CQREncode",
                .product(name: "Hummingbird", package: "hummingbird"), nio("NIOCore"), nio("NIOPosix"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        target(
            "Server", "Gateway",
            [
                "HTTP", "Signalling", "WHIP", "OperatorAPI", "PagesAndSongs", "RoomModel", "RoomPorts", "RoomService",
                "SignalProtocol", "Timing", logging, .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"), nio("NIOTLS"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        target(
            "Server", "ServerApp",
            [
                "HTTP", "Signalling", "OperatorAPI", "PagesAndSongs", "Gateway", "MediaNode", "Playback", "StoreSQLite",
                "Webhooks", "RoomModel", "RoomEvents", "Commerce", "RoomPorts", "RoomRules", "RoomService",
                "SignalProtocol",
                "WordLists", "Digests", "Texts", "Timing", "Wire", "DatagramIO", logging,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]),
        // Loads for servers: `ovation bench`.
        target(
            "Tool", "LoadTools",
            [
                "Ovation", "UserSig", "RoomModel", "SignalProtocol", "Timing", "Wire", "RTP", "SDP", "ICE", "DTLS",
                "SRTP",
                "PeerSession", "DatagramIO", "CNet", nio("NIOCore"), nio("NIOPosix"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]),
        .executableTarget(
            name: "OvationTool",
            dependencies: [
                "ServerApp", "Ovation", "UserSig", "LoadTools", "Texts", logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                nio("NIOCore"), nio("NIOHTTP1"), nio("NIOFoundationCompat"),
            ],
            path: "Sources/Tool/OvationTool", swiftSettings: base),

        // A sample with a package of its own, for copying. It is a target here too, so that a test builds and runs it with what is
        // built already.
        .executableTarget(
            name: "TicketServer",
            dependencies: [
                "UserSig", .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Examples/ticket-servers/swift/Sources/TicketServer", swiftSettings: base),

        example("SalonBot"),
        example("Recorder"),
        example("Duet"),

        .executableTarget(
            name: "AudioBench", dependencies: ["AudioGraph"], path: "Benchmarks/AudioBench", swiftSettings: base),
        .executableTarget(
            name: "DuetBench",
            dependencies: [
                "ClientMedia", "MediaDevices", "AudioGraph", "MediaNode", "RoomPorts", "DatagramIO", "Timing", "Wire",
                "SeededRandom", "Ovation", "RoomModel", "ServerTestSupport", nio("NIOCore"), nio("NIOPosix"),
            ],
            path: "Benchmarks/DuetBench", swiftSettings: base),
        .executableTarget(
            name: "FirstSoundBench",
            dependencies: [
                "Ovation", "ClientMedia", "MediaDevices", "AudioGraph", "RoomModel", "ServerTestSupport", "DatagramIO",
                "Timing",
            ],
            path: "Benchmarks/FirstSoundBench", swiftSettings: base),
        .executableTarget(
            name: "LineBench", dependencies: ["PictureSimulation", "Timing"], path: "Benchmarks/LineBench",
            swiftSettings: base),
        .executableTarget(
            name: "DuetSoak", dependencies: ["DuetSimulation", "Timing"], path: "Benchmarks/DuetSoak",
            swiftSettings: base),
        .executableTarget(
            name: "AgeSoak",
            dependencies: [
                "Ovation", "ClientMedia", "MediaDevices", "AudioGraph", "RoomModel", "ServerApp", "ServerTestSupport",
                "LoadTools", "UserSig", "DuetSimulation", "PictureSimulation", "Timing",
            ],
            path: "Benchmarks/AgeSoak", swiftSettings: base),
        .executableTarget(
            name: "RoomBench",
            dependencies: ["UserSig", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket")],
            path: "Benchmarks/RoomBench", swiftSettings: base),
        .executableTarget(
            name: "LedgerBench", dependencies: ["StoreSQLite", "RoomPorts", "Commerce", "RoomModel", "Timing"],
            path: "Benchmarks/LedgerBench", swiftSettings: base),
        // The floor of the media benchmark, in C.
        .executableTarget(
            name: "MediaFloor", path: "Benchmarks/MediaFloor", linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "CrowdBench",
            dependencies: [
                "HTTP", "Signalling", "RoomService", "RoomRules", "RoomPorts", "RoomModel", "SignalProtocol",
                "RoomTestSupport", "DatagramIO", "Timing",
                nio("NIOCore"), nio("NIOPosix"),
            ],
            path: "Benchmarks/CrowdBench", swiftSettings: base),
        // The floor of the benchmark of messages.
        .executableTarget(name: "ChatFloor", path: "Benchmarks/ChatFloor"),
        .executableTarget(
            name: "AudienceBench",
            dependencies: [
                "Ovation", "ClientMedia", "MediaDevices", "AudioGraph", "RoomModel", "SoundAnalysis",
                nio("NIOCore"), nio("NIOPosix"),
            ],
            path: "Benchmarks/AudienceBench", swiftSettings: base),

        // Tests. libsrtp2, the maker of sound files and the fault-injecting file system are instruments of theirs alone.
        systemLibrary("CSRTP2", pkgConfig: "libsrtp2", apt: "libsrtp2-dev"),
        .target(name: "CFaultVFS", path: "Sources/C/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "CSoundFiles", path: "Sources/C/CSoundFiles",
            linkerSettings: ["avformat", "avcodec", "swresample", "avutil"].map { .linkedLibrary($0) }),
        support("SoundAnalysis", []),
        .target(name: "CAllocationCount", path: "Tests/Support/CAllocationCount"),
        support("DeviceTestSupport", ["MediaDevices", "AudioGraph", "Timing"]),
        support("SeededRandom", ["Timing"]),
        support("NetworkSimulation", ["SeededRandom", "Wire", "Timing"]),
        support(
            "DuetSimulation",
            [
                "ClientMedia", "AudioGraph", "MediaCodecs", "Timing", "Wire", "RTP", "ICE", "DTLS", "PeerSession",
                "Forwarding", "NetworkSimulation", "SeededRandom",
            ]),
        support(
            "PictureSimulation",
            [
                "Timing", "Wire", "RTP", "Codecs", "ICE", "DTLS", "PeerSession", "Forwarding", "BandwidthEstimation",
                "SeededRandom",
            ]),
        support("RoomTestSupport", ["RoomModel", "Commerce", "RoomPorts", "Timing"]),
        support("JournalContract", ["RoomModel", "Commerce", "RoomPorts"]),
        support(
            "ServerTestSupport",
            [
                "ServerApp", "UserSig", "RoomPorts", "Timing", logging,
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        support("TLSTestSupport", ["HTTP"]),
        support(
            "MediaTestSupport",
            ["RoomPorts", "Wire", "Timing", "RTP", "SDP", "ICE", "DTLS", "PeerSession", "DatagramIO"]),
        .executableTarget(
            name: "MediaAttack",
            dependencies: [
                "MediaTestSupport", "PeerSession", "SDP", "SRTP", "RTP", "RoomPorts", "DatagramIO", "Timing", "Wire",
            ],
            path: "Tests/Attacks/MediaAttack", swiftSettings: base),
        tests("Wire", ["Wire"]),
        tests("RTP", ["RTP", "Wire", "Timing"]),
        tests("Codecs", ["Codecs", "Wire"]),
        tests("SRTP", ["SRTP", "RTP", "Wire", "CSRTP2"]),
        tests("SDP", ["SDP"], resources: [.copy("Fixtures")]),
        tests("ICE", ["ICE", "Wire", "Timing", "NetworkSimulation"]),
        tests("DTLS", ["DTLS", "Wire", "Timing", "NetworkSimulation"]),
        tests(
            "PeerSession",
            [
                "PeerSession", "BandwidthEstimation", "ICE", "DTLS", "SRTP", "RTP", "Wire", "Timing",
                "NetworkSimulation", "COpenSSL",
            ]),
        tests(
            "Forwarding",
            [
                "Forwarding", "RTP", "Codecs", "BandwidthEstimation", "Timing", "Wire", "CAllocationCount",
            ]),
        tests("BandwidthEstimation", ["BandwidthEstimation", "RTP", "Wire", "Timing"]),
        tests("Line", ["PictureSimulation", "Timing"]),
        tests("DatagramIO", ["DatagramIO", "Timing", "Wire", "MediaTestSupport"]),
        tests(
            "MediaNode",
            [
                "MediaNode", "RoomModel", "RoomPorts", "Wire", "Timing", "RTP", "SDP", "ICE", "DTLS", "PeerSession",
                "DatagramIO",
                "Forwarding", "MediaTestSupport",
            ]),
        support(
            "FuzzTargets",
            [
                "RTP", "Codecs", "SRTP", "SDP", "ICE", "DTLS", "Forwarding", "SignalProtocol", "RoomModel", "UserSig",
                "Timing", "Wire", "PeerSession", "BandwidthEstimation", "SeededRandom", "HTTPGrammar", "MediaCodecs",
            ]),
        tests("FuzzTargets", ["FuzzTargets"]),
        tests("Timing", ["Timing"]),
        tests("Texts", ["Texts"]),
        tests("Platform", ["Platform"]),
        tests("Digests", ["Digests"]),
        tests("HTTPGrammar", ["HTTPGrammar"]),
        tests("AudioGraph", ["AudioGraph", "SoundAnalysis", "CAllocationCount"]),
        tests("MediaCodecs", ["MediaCodecs", "AudioGraph", "Timing", "CSoundFiles"]),
        tests("MediaDevices", ["MediaDevices", "MediaCodecs", "AudioGraph", "Timing"]),
        tests(
            "ClientMedia",
            [
                "ClientMedia", "AudioGraph", "MediaCodecs", "MediaDevices", "Timing", "Wire", "RTP", "DatagramIO",
                "PeerSession", "SDP", "MediaNode", "Forwarding", "RoomPorts", "NetworkSimulation", "DuetSimulation",
                "SoundAnalysis", "DeviceTestSupport",
                "CAllocationCount",
            ]),
        tests(
            "Ovation",
            [
                "Ovation", "OvationTool", "ServerApp", "RoomModel", "RoomTestSupport", "SignalProtocol", "Platform",
                "Timing",
                "ServerTestSupport",
                "ClientMedia", "MediaDevices", "AudioGraph", "SoundAnalysis", "DeviceTestSupport",
                nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"),
            ]),
        tests(
            "TRTCCompat",
            [
                "TRTCCompat", "Ovation", "OvationTool", "ClientMedia", "AudioGraph", "RoomModel", "RoomPorts", "Timing",
                "ServerApp", "ServerTestSupport", "SoundAnalysis",
            ]),
        tests(
            "Playback",
            [
                "Playback", "CZlib", "MediaNode", "RoomPorts", "RoomTestSupport", "Wire", "Timing", "RTP", "SDP", "ICE",
                "DTLS",
                "PeerSession",
                "DatagramIO", "Forwarding", "AudioGraph", "MediaCodecs", "NetworkSimulation", "SoundAnalysis",
            ]),
        tests("RoomModel", ["RoomModel", "RoomTestSupport"]),
        tests("WordLists", ["WordLists", "RoomModel"]),
        tests(
            "RoomRules", ["RoomModel", "RoomEvents", "Commerce", "RoomRules", "RoomTestSupport", "Timing"],
            exclude: ["permissions.md"]),
        tests(
            "RoomService",
            [
                "RoomModel", "RoomEvents", "Commerce", "RoomRules", "RoomPorts", "RoomService", "RoomTestSupport",
                "JournalContract", "Timing",
            ]),
        tests(
            "StoreSQLite",
            [
                "StoreSQLite", "JournalContract", "RoomTestSupport", "CFaultVFS", "Commerce", "RoomPorts", "RoomModel",
                "Timing",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            resources: [.copy("Fixtures")]),
        tests(
            "RoomSimulation",
            [
                "RoomModel", "RoomEvents", "Commerce", "RoomRules", "RoomPorts", "RoomService", "RoomTestSupport",
                "StoreSQLite", "Timing",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(
            "LoadTools",
            ["LoadTools", "Ovation", "ServerApp", "ServerTestSupport", "UserSig", "Timing", "RTP", "Wire"]),
        tests(
            "Webhooks",
            [
                "Webhooks", "RoomModel", "RoomPorts", "RoomTestSupport", "StoreSQLite", "Timing", logging,
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
            ]),
        tests("UserSig", ["UserSig", "CZlib"]),
        tests("SignalProtocol", ["SignalProtocol", "RoomModel", "RoomTestSupport"]),
        tests(
            "HTTP",
            [
                "HTTP", "TLSTestSupport", "RoomModel", "SignalProtocol", "Timing", nio("NIOCore"), nio("NIOEmbedded"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
            ]),
        tests(
            "Signalling",
            [
                "Signalling", "HTTP", "RoomModel", "Commerce", "RoomPorts", "RoomService", "RoomTestSupport",
                "SignalProtocol",
                "Timing", "UserSig", nio("NIOCore"), nio("NIOEmbedded"), nio("NIOWebSocket"), nio("NIOHTTP1"),
            ]),
        tests("WHIP", ["WHIP"]),
        tests(
            "OperatorAPI",
            ["OperatorAPI", "HTTP", "RoomPorts", "RoomTestSupport", "SignalProtocol", "Timing"]),
        tests(
            "PagesAndSongs",
            [
                "PagesAndSongs", "HTTP", "Signalling", "RoomModel", "RoomPorts", "RoomTestSupport", "SignalProtocol",
                "Timing", "UserSig", nio("NIOCore"),
            ]),
        tests(
            "Gateway",
            [
                "Gateway", "HTTP", "Signalling", "OperatorAPI", "PagesAndSongs", "RoomModel", "Commerce", "RoomPorts",
                "RoomService", "RoomTestSupport", "TLSTestSupport", "Timing", logging,
                nio("NIOCore"), nio("NIOEmbedded"), nio("NIOHTTP1"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        tests(
            "ServerApp",
            [
                "ServerApp", "ServerTestSupport", "RoomTestSupport", "MediaTestSupport", "RoomPorts", "RoomModel",
                "RoomEvents", "RoomService", "Timing", "HTTP", "Signalling", "OperatorAPI", "PagesAndSongs", "Gateway",
                logging, "Wire", "DatagramIO", "RoomRules",
                "SignalProtocol",
                nio("NIOCore"),
            ],
            resources: [.copy("Fixtures")]),
    ]
)

// The parsers under libFuzzer. Built only by scripts/fuzz, which sets OVATION_FUZZ and the sanitizer's flags: of no use to
// anyone else. The other linker of the tool chain stumbles over the coverage tables.
if Context.environment["OVATION_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzzers", dependencies: ["FuzzTargets"], path: "Fuzz", exclude: ["corpus"], swiftSettings: media,
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]))
}
