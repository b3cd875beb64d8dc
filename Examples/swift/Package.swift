// swift-tools-version: 6.2
import PackageDescription

let ovation: [Target.Dependency] = [
    .product(name: "Ovation", package: "ovation"),
    .product(name: "ArgumentParser", package: "swift-argument-parser"),
    .product(name: "UnixSignals", package: "swift-service-lifecycle"),
]

let package = Package(
    name: "ovation-examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a project of your own: .package(url: "…/ovation", from: "…").
        .package(name: "ovation", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
    ],
    targets: [
        .executableTarget(name: "salon-bot", dependencies: ovation, path: "Sources/SalonBot"),
        .executableTarget(name: "recorder", dependencies: ovation, path: "Sources/Recorder"),
        .executableTarget(name: "duet", dependencies: ovation, path: "Sources/Duet"),
    ]
)
