import Digests
import Foundation
import HTTPTypes
import Hummingbird
import RoomPorts
import Timing

/// The signature of a call of the room API, TC3-HMAC-SHA256 (references.md, version 3 of the signature): over method, path, query,
/// the headers that it names, and the digest of the body, by a key that is derived for one day and service.
package struct TC3Signature: Hashable, Sendable {
    /// How far a caller's clock may be off, as documented. Within it a call can be replayed, which ends what has ended.
    private static let tolerance: Int64 = 300
    private static let algorithm = "TC3-HMAC-SHA256"
    /// As documented; the second is read in lower case.
    private static let needed: Set = ["content-type", "host"]
    private static let mostHeaders = 20

    let secretID: String
    private let date: String
    private let service: String
    private let headers: [String]
    private let code: [UInt8]

    /// - Parameter authorization: `TC3-HMAC-SHA256 Credential=<id>/<date>/<service>/tc3_request, SignedHeaders=<names>, Signature=<hex>`.
    init?(_ authorization: String) {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0] == Self.algorithm else { return nil }
        var fields: [String: Substring] = [:]
        for field in parts[1].split(separator: ",") {
            let pair = field.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, fields.updateValue(pair[1], forKey: String(pair[0])) == nil else { return nil }
        }
        let scope = (fields["Credential"] ?? "").split(separator: "/", omittingEmptySubsequences: false).map(
            String.init)
        guard scope.count == 4, scope.allSatisfy({ !$0.isEmpty }), scope[3] == "tc3_request",
            let names = fields["SignedHeaders"], let code = Self.bytes(fields["Signature"] ?? "")
        else { return nil }
        headers = names.split(separator: ";", omittingEmptySubsequences: false).map { $0.lowercased() }
        guard headers.count <= Self.mostHeaders, Self.needed.isSubset(of: headers) else { return nil }
        secretID = scope[0]
        date = scope[1]
        service = scope[2]
        self.code = code
    }

    /// The secret by which the bearer of an operator's key signs. It follows from the key's digest, and does not tell it.
    package static func secret(digest: [UInt8]) -> String {
        text(HMACKey(.sha256, key: digest).code(of: Array("ovation room api".utf8)))
    }

    /// Whether the call's instant is near ours and on the day of the signature.
    func isFresh(_ request: Request, now: Int64) -> Bool {
        guard let seconds = Self.timestamp(request),
            (now - Self.tolerance...now + Self.tolerance).contains(seconds)
        else { return false }
        let day = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601.year().month().day())
        return day == date
    }

    /// Whether it is the signature of that call by that secret.
    func isRight(_ request: Request, body: [UInt8], secret: String) -> Bool {
        guard let seconds = Self.timestamp(request), let signed = canonical(request, body) else { return false }
        let scope = "\(date)/\(service)/tc3_request"
        let text = [Self.algorithm, String(seconds), scope, Self.text(SHA256.hash(Array(signed.utf8)))]
            .joined(separator: "\n")
        let key = [date, service, "tc3_request"].reduce(Array("TC3\(secret)".utf8)) { key, part in
            HMACKey(.sha256, key: key).code(of: Array(part.utf8))
        }
        return HMACKey(.sha256, key: key).isCode(code, of: Array(text.utf8))
    }

    private func canonical(_ request: Request, _ body: [UInt8]) -> String? {
        var lines: [String] = []
        for name in headers {
            let value: String?
            if name == "host" {
                value = request.head.authority
            } else {
                guard let field = HTTPField.Name(name) else { return nil }
                value = request.headers[field]
            }
            guard let value else { return nil }
            lines.append("\(name):\(value.trimmingCharacters(in: .whitespaces).lowercased())\n")
        }
        return [
            request.method.rawValue, request.uri.path, request.uri.query ?? "", lines.joined(),
            headers.joined(separator: ";"), Self.text(SHA256.hash(body)),
        ].joined(separator: "\n")
    }

    private static func timestamp(_ request: Request) -> Int64? {
        HTTPField.Name("X-TC-Timestamp").flatMap { request.headers[$0] }.flatMap { Int64($0) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
