import Digests
import Testing

/// The published example of the signature (version 3), with the secret as it is printed there.
@Suite struct TC3SignatureTests {
    private static let secret = "Gu5t9xGARNpq86cd98joQYCN3*******"
    private static let payload =
        #"{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}"#
    private static let signed = "2230eefd229f582d8b1b891af7107b91597240707d778ab3738f756258d7652c"
    private static let time: Int64 = 1_551_113_065

    private func call(
        _ body: String = TC3SignatureTests.payload, host: String = "cvm.tencentcloudapi.com",
        type: String = "application/json; charset=utf-8", time: String = String(TC3SignatureTests.time),
        query: String = ""
    ) -> TC3Call {
        TC3Call(
            method: "POST", path: "/", query: query, host: host, timestamp: time, body: Array(body.utf8)
        ) { ["content-type": type][$0] }
    }

    private func authorization(
        id: String = "AKID", scope: String = "2019-02-25/cvm/tc3_request", headers: String = "content-type;host",
        code: String = TC3SignatureTests.signed
    ) -> String {
        "TC3-HMAC-SHA256 Credential=\(id)/\(scope), SignedHeaders=\(headers), Signature=\(code)"
    }

    @Test("L15-R the published example is right; one byte of it changed, it is not") func published() throws {
        let signature = try #require(TC3Signature(authorization()))
        #expect(signature.secretID == "AKID")
        #expect(signature.isRight(call(), secret: Self.secret))
        #expect(
            signature.isRight(call(type: "\t Application/JSON; charset=utf-8 "), secret: Self.secret),
            "white space around a header and its letters' size do not count")
        #expect(!signature.isRight(call(Self.payload + " "), secret: Self.secret))
        #expect(!signature.isRight(call(), secret: Self.secret + "x"))
        #expect(!signature.isRight(call(host: "other.example"), secret: Self.secret))
        #expect(!signature.isRight(call(type: "application/json"), secret: Self.secret))
        #expect(!signature.isRight(call(query: "a=b"), secret: Self.secret))
        #expect(!signature.isRight(call(time: String(Self.time + 1)), secret: Self.secret))
        let other = try #require(TC3Signature(authorization(scope: "2019-02-26/cvm/tc3_request")))
        #expect(!other.isRight(call(), secret: Self.secret))
        let absent = try #require(TC3Signature(authorization(headers: "content-type;host;x-none")))
        #expect(!absent.isRight(call(), secret: Self.secret))
    }

    @Test("L15-R a signature is good for five minutes, and on its own day") func fresh() throws {
        let signature = try #require(TC3Signature(authorization()))
        for (now, wanted) in [
            (Self.time, true), (Self.time + 300, true), (Self.time - 300, true), (Self.time + 301, false),
            (Self.time - 301, false),
        ] {
            #expect(signature.isFresh(call(), now: now) == wanted, "\(now - Self.time)")
        }
        for time in ["", "x", "-9223372036854775808", "9223372036854775807", "1e9", String(Self.time) + "000"] {
            #expect(!signature.isFresh(call(time: time), now: Self.time), "\(time)")
        }
        let other = try #require(TC3Signature(authorization(scope: "2019-02-26/cvm/tc3_request")))
        #expect(!other.isFresh(call(), now: Self.time))
    }

    @Test(
        "L15-R the day is that of the moment in UTC: around midnight, new year and the leap days of the calendar",
        arguments: [
            (0, "1970-01-01"), (951_782_399, "2000-02-28"), (951_782_400, "2000-02-29"), (951_868_800, "2000-03-01"),
            (1_709_164_800, "2024-02-29"), (1_709_251_200, "2024-03-01"), (1_767_225_599, "2025-12-31"),
            (1_767_225_600, "2026-01-01"), (4_107_542_400, "2100-03-01"),
        ] as [(Int64, String)])
    func days(time: Int64, day: String) throws {
        let signature = try #require(TC3Signature(authorization(scope: "\(day)/cvm/tc3_request")))
        #expect(signature.isFresh(call(time: String(time)), now: time))
        #expect(!signature.isFresh(call(time: String(time + 86_400)), now: time + 86_400))
    }

    @Test("L15-R what is no signature is none") func malformed() {
        for text in [
            "", "Bearer x", "TC3-HMAC-SHA256", "TC3-HMAC-SHA256 ", "TC3-HMAC-SHA1 Credential=a/b/c/tc3_request",
            authorization(scope: "2019-02-25/cvm"), authorization(scope: "2019-02-25/cvm/other"),
            authorization(scope: "/cvm/tc3_request"), authorization(headers: "host"),
            authorization(headers: "content-type"), authorization(headers: ""),
            authorization(headers: "content-type;host" + String(repeating: ";a", count: 30)),
            authorization(code: "00"), authorization(code: String(repeating: "g", count: 64)),
            authorization(code: String(Self.signed.dropLast()) + "é"), authorization(code: Self.signed + "0"),
            authorization() + ", Signature=\(Self.signed)",
        ] {
            #expect(TC3Signature(text) == nil, "\(text)")
        }
    }

    @Test("L15-R the secret follows from the key's digest and is not the digest") func secret() {
        let digest = SHA256.hash(Array("a key".utf8))
        let secret = TC3Signature.secret(digest: digest)
        #expect(secret == TC3Signature.secret(digest: digest) && secret.count == 64)
        #expect(secret != TC3Signature.secret(digest: SHA256.hash(Array("another".utf8))))
        let digits = digest.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
        #expect(secret != digits)
    }
}
