/// The short-term credentials of one side (RFC 8839 §5.4): named by `ufrag`, proven by `password`.
package struct ICECredentials: Hashable, Sendable {
    /// 4…256 characters of letters, digits, "+" and "/".
    package var ufrag: String
    /// 22…256 such characters: the key of MESSAGE-INTEGRITY of checks that go *to* the side it belongs to.
    package var password: String

    package init(ufrag: String, password: String) {
        self.ufrag = ufrag
        self.password = password
    }

    /// 48 bits of chance, so that live peers of one server do not share a name.
    package static let ufragLength = 8
    /// 144 bits of chance; RFC 8445 §5.3 wants at least 128.
    package static let passwordLength = 24

    /// New credentials. The generator must be cryptographically strong.
    package static func random(using generator: inout some RandomNumberGenerator) -> ICECredentials {
        ICECredentials(
            ufrag: characters(ufragLength, using: &generator),
            password: characters(passwordLength, using: &generator))
    }

    private static func characters(_ count: Int, using generator: inout some RandomNumberGenerator) -> String {
        // 64 ice-chars: six bits each, without bias.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return String(
            decoding: (0..<count).map { _ in alphabet[Int(truncatingIfNeeded: generator.next() >> 58)] },
            as: UTF8.self)
    }
}
