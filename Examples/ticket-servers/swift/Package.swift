// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ticket-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a project of your own: .package(url: "…/ovation", from: "…").
        .package(name: "ovation", path: "../../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1"), traits: []),
        .package(url: "https://github.com/apple/swift-http-types", .upToNextMinor(from: "1.8.0")),
    ],
    targets: [
        .executableTarget(
            name: "TicketServer",
            dependencies: [
                .product(name: "UserSig", package: "ovation"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ])
    ]
)
