import Digests
import Foundation
import RoomPorts

/// How a receiver knows that a request is ours.
package enum WebhookSignature {
    private static let mark = "whsec_"

    /// A new secret of the Standard Webhooks specification: 256 bits from the system's random source.
    package static func makeSecret() -> String {
        var random = SystemRandomNumberGenerator()
        return mark + Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }).base64EncodedString()
    }

    /// The headers of a standard request: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
    static func headers(id: String, time: Int64, body: [UInt8], secret: String) -> [(String, String)] {
        let key = Data(base64Encoded: String(secret.dropFirst(mark.count))) ?? Data(secret.utf8)
        let signed = Array("\(id).\(time).".utf8) + body
        let code = HMACKey(.sha256, key: Array(key)).code(of: signed)
        return [
            ("webhook-id", id), ("webhook-timestamp", String(time)),
            ("webhook-signature", "v1," + Data(code).base64EncodedString()),
        ]
    }

    /// The query of a compatible request: which command, and `Sign`, SHA-256 of secret and time (references.md).
    static func query(command: String, application: UInt32, time: Int64, secret: String) -> String {
        let sign = SHA256.hash(Array((secret + String(time)).utf8)).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }.joined()
        return "SdkAppid=\(application)&CallbackCommand=\(command)&contenttype=json&ClientIP=&OptPlatform=Unknown"
            + "&Sign=\(sign)&RequestTime=\(time)"
    }
}
