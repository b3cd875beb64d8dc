/// The content codings that a client takes (`Accept-Encoding`, RFC 9110 §12.5.3).
package struct AcceptedCodings: Sendable {
    /// More than there are.
    private static let limit = 32

    private var taken: [String: Bool] = [:]

    /// - Parameter lines: of the header.
    package init(_ lines: [String]) {
        for element in lines.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }).prefix(Self.limit) {
            guard let coding = HeaderParameters(element) else { continue }
            taken[coding.value] = coding.isTaken
        }
    }

    /// - Parameter coding: in lower case.
    package func take(_ coding: String) -> Bool { taken[coding] ?? taken["*"] ?? false }
}
