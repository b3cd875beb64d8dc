/// Secret keys of applications.
package enum ApplicationKey {
    /// 64 hexadecimal digits (256 bits) from the system's random source, the form that the published generators expect.
    package static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
