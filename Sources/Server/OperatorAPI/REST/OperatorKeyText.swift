import Digests
import RoomModel
package import RoomPorts

/// The text of an operator's key, as its bearer shows it: `ovk_<id>_<secret>`. It is told once, when the key is made.
package struct OperatorKeyText: Hashable, Sendable {
    package var id: String
    package var secret: String

    /// A new one, from the system's random source: 48 bits that name it and 256 that nobody guesses.
    package init() {
        var random = SystemRandomNumberGenerator()
        func digits(_ count: Int) -> String {
            String((0..<count).map { _ in Self.digits[Int.random(in: 0..<16, using: &random)] })
        }
        id = digits(12)
        secret = digits(64)
    }

    /// `nil` for what is no key of ours.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.mark, parts[1].utf8.count == 12, parts[2].utf8.count == 64 else {
            return nil
        }
        id = String(parts[1])
        secret = String(parts[2])
    }

    private static let mark = "ovk"
    private static let digits = Array("0123456789abcdef")

    package var text: String { "\(Self.mark)_\(id)_\(secret)" }

    package var digest: [UInt8] { SHA256.hash(Array(secret.utf8)) }

    /// Whether it is that key. Takes the same time wherever the first difference is.
    func opens(_ key: OperatorKey) -> Bool {
        let own = digest
        guard key.id == id, key.digest.count == own.count else { return false }
        return zip(own, key.digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension OperatorKey {
    /// How many keys one server keeps: some for each of its applications. They are held in memory.
    package static let limit = 200
}
