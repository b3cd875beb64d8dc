/// A call over HTTP, as its signature covers it.
package struct TC3Call {
    package var method: String
    package var path: String
    /// Without the question mark.
    package var query: String
    package var host: String?
    /// `X-TC-Timestamp`: seconds since 1970.
    package var timestamp: String?
    package var body: [UInt8]
    /// The value of a header by its name in small letters.
    package var header: (String) -> String?

    package init(
        method: String, path: String, query: String, host: String?, timestamp: String?, body: [UInt8],
        header: @escaping (String) -> String?
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.host = host
        self.timestamp = timestamp
        self.body = body
        self.header = header
    }
}

/// The signature of a call of the room API, TC3-HMAC-SHA256 (references.md, version 3 of the signature): over method, path, query,
/// the headers that it names, and the digest of the body, by a key that is derived for one day and service.
package struct TC3Signature: Hashable, Sendable {
    /// How far a caller's clock may be off, as documented. Within it a call can be replayed, which ends what has ended.
    private static let tolerance: Int64 = 300
    private static let algorithm = "TC3-HMAC-SHA256"
    /// As documented; the second is read in lower case.
    private static let needed: Set = ["content-type", "host"]
    private static let mostHeaders = 20

    package let secretID: String
    private let date: String
    private let service: String
    private let headers: [String]
    private let code: [UInt8]

    /// - Parameter authorization: `TC3-HMAC-SHA256 Credential=<id>/<date>/<service>/tc3_request, SignedHeaders=<names>, Signature=<hex>`.
    package init?(_ authorization: String) {
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
    package func isFresh(_ call: TC3Call, now: Int64) -> Bool {
        guard let seconds = call.timestamp.flatMap({ Int64($0) }), seconds >= 0,
            (now - Self.tolerance...now + Self.tolerance).contains(seconds)
        else { return false }
        return Self.day(of: seconds) == date
    }

    /// Whether it is the signature of that call by that secret.
    package func isRight(_ call: TC3Call, secret: String) -> Bool {
        guard let seconds = call.timestamp.flatMap({ Int64($0) }), let signed = canonical(call) else { return false }
        let scope = "\(date)/\(service)/tc3_request"
        let text = [Self.algorithm, String(seconds), scope, Self.text(SHA256.hash(Array(signed.utf8)))]
            .joined(separator: "\n")
        let key = [date, service, "tc3_request"].reduce(Array("TC3\(secret)".utf8)) { key, part in
            HMACKey(.sha256, key: key).code(of: Array(part.utf8))
        }
        return HMACKey(.sha256, key: key).isCode(code, of: Array(text.utf8))
    }

    private func canonical(_ call: TC3Call) -> String? {
        var lines: [String] = []
        for name in headers {
            guard let value = name == "host" ? call.host : call.header(name) else { return nil }
            lines.append("\(name):\(Self.trimmed(value).lowercased())\n")
        }
        return [
            call.method, call.path, call.query, lines.joined(), headers.joined(separator: ";"),
            Self.text(SHA256.hash(call.body)),
        ].joined(separator: "\n")
    }

    /// Without white space around it (RFC 9110 §5.5).
    private static func trimmed(_ value: String) -> Substring {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        let rest = value.drop(while: isSpace)
        return rest.lastIndex { !isSpace($0) }.map { rest[...$0] } ?? ""
    }

    /// A moment's day in UTC, as `2019-02-25`: of the Gregorian calendar, counted from a first of March on, so that the leap day is a
    /// year's last.
    private static func day(of seconds: Int64) -> String {
        let days = seconds / 86_400 + 719_468
        let (centuries, rest) = (days / 146_097, days % 146_097)
        let year = (rest - rest / 1_460 + rest / 36_524 - rest / 146_096) / 365
        let dayOfYear = rest - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month > 9
        func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(400 * centuries + year + (isNextYear ? 1 : 0))-\(padded(isNextYear ? month - 9 : month + 3))-\(padded(day))"
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
