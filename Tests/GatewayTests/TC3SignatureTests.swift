import Digests
import HTTPTypes
import Hummingbird
import Testing

@testable import Gateway

/// The published example of the signature (version 3), with the secret as it is printed there.
@Suite struct TC3SignatureTests {
    private static let secret = "Gu5t9xGARNpq86cd98joQYCN3*******"
    private static let payload =
        #"{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}"#
    private static let signed = "2230eefd229f582d8b1b891af7107b91597240707d778ab3738f756258d7652c"
    private static let time: Int64 = 1_551_113_065

    private func request(
        host: String = "cvm.tencentcloudapi.com", type: String = "application/json; charset=utf-8",
        time: String = String(TC3SignatureTests.time), query: String = ""
    ) -> Request {
        var head = HTTPRequest(method: .post, scheme: nil, authority: host, path: "/" + query)
        head.headerFields[.contentType] = type
        for name in HTTPField.Name("X-TC-Timestamp").map({ [$0] }) ?? [] { head.headerFields[name] = time }
        return Request(head: head, body: RequestBody(buffer: .init()))
    }

    private func authorization(
        id: String = "AKID", scope: String = "2019-02-25/cvm/tc3_request", headers: String = "content-type;host",
        code: String = TC3SignatureTests.signed
    ) -> String {
        "TC3-HMAC-SHA256 Credential=\(id)/\(scope), SignedHeaders=\(headers), Signature=\(code)"
    }

    @Test("L15-R the published example is right; one byte of it changed, it is not") func published() throws {
        let signature = try #require(TC3Signature(authorization()))
        let body = Array(Self.payload.utf8)
        #expect(signature.secretID == "AKID")
        #expect(signature.isRight(request(), body: body, secret: Self.secret))
        #expect(!signature.isRight(request(), body: body + [0x20], secret: Self.secret))
        #expect(!signature.isRight(request(), body: body, secret: Self.secret + "x"))
        #expect(!signature.isRight(request(host: "other.example"), body: body, secret: Self.secret))
        #expect(!signature.isRight(request(type: "application/json"), body: body, secret: Self.secret))
        #expect(!signature.isRight(request(query: "?a=b"), body: body, secret: Self.secret))
        #expect(!signature.isRight(request(time: String(Self.time + 1)), body: body, secret: Self.secret))
        let other = try #require(TC3Signature(authorization(scope: "2019-02-26/cvm/tc3_request")))
        #expect(!other.isRight(request(), body: body, secret: Self.secret))
        let absent = try #require(TC3Signature(authorization(headers: "content-type;host;x-none")))
        #expect(!absent.isRight(request(), body: body, secret: Self.secret))
    }

    @Test("L15-R a signature is good for five minutes, and on its own day") func fresh() throws {
        let signature = try #require(TC3Signature(authorization()))
        for (now, wanted) in [
            (Self.time, true), (Self.time + 300, true), (Self.time - 300, true), (Self.time + 301, false),
            (Self.time - 301, false),
        ] {
            #expect(signature.isFresh(request(), now: now) == wanted, "\(now - Self.time)")
        }
        for time in ["", "x", "-9223372036854775808", "9223372036854775807", "1e9", String(Self.time) + "000"] {
            #expect(!signature.isFresh(request(time: time), now: Self.time), "\(time)")
        }
        let other = try #require(TC3Signature(authorization(scope: "2019-02-26/cvm/tc3_request")))
        #expect(!other.isFresh(request(), now: Self.time))
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
        let key = OperatorKeyText()
        let secret = TC3Signature.secret(digest: key.digest)
        #expect(secret == TC3Signature.secret(digest: key.digest) && secret.count == 64)
        #expect(secret != TC3Signature.secret(digest: OperatorKeyText().digest) && secret != key.secret)
    }
}
