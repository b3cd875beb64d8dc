// swift-tools-version: 6.1
import PackageDescription

// The tool of `make mutate`, a package of its own: nobody who builds Ovation needs swift-syntax.
let package = Package(
    name: "mutation",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", .upToNextMinor(from: "603.0.1"))
    ],
    targets: [
        .executableTarget(
            name: "Mutator",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ])
    ]
)
