import Foundation
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing

@testable import Webhooks

@Suite struct WebhookFormatTests {
    private static let key = RoomKey(application: ApplicationID(1_400_000_001), room: .string("123"))
    private static let time: Int64 = 1_795_000_000_250

    private func webhook(
        _ format: Webhook.Format = .standard, _ types: [String] = [], state: Webhook.State = .on
    ) -> Webhook {
        Webhook(
            id: WebhookID(1), application: Self.key.application, url: "https://example.org", format: format,
            use: .events(types), secret: "whsec_", state: state, createdAt: 0)
    }

    private func json(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test("R02-S the published example of the Standard Webhooks specification has our signature") func signature() {
        let headers = WebhookSignature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8),
            secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        #expect(headers.map(\.0) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(headers.last?.1 == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        let secret = WebhookSignature.makeSecret()
        #expect(secret.hasPrefix("whsec_") && secret != WebhookSignature.makeSecret())
        #expect(Data(base64Encoded: String(secret.dropFirst(6)))?.count == 32)
    }

    @Test("R02-S a webhook gets the types that it asks for, and none while it is off") func wanted() {
        let cases: [([String], String, Bool)] = [
            ([], "seat.taken", true), (["seat.*"], "seat.taken", true), (["seat.*"], "message", false),
            (["message"], "message", true), (["message"], "message.deleted", false),
            (["message.*"], "message", false), (["message.*"], "message.deleted", true),
        ]
        for (types, type, wanted) in cases {
            #expect(WebhookEventTypes.isWanted(type, by: webhook(.standard, types)) == wanted, "\(types) \(type)")
        }
        #expect(!WebhookEventTypes.isWanted("message", by: webhook(state: .off(reason: "x"))))
        #expect(WebhookEventTypes.isWanted("message", by: webhook(.compatible)))
        #expect(!WebhookEventTypes.isWanted("seat.taken", by: webhook(.compatible)))
        for pattern in ["seat.*", "room.created", "audience.entered", "invitation.*", "gifts.sent", "message"] {
            #expect(WebhookEventTypes.isPattern(pattern), "\(pattern)")
        }
        for pattern in ["", "*", ".*", "seat", "seat*", "levels", "likes", "moon.*"] {
            #expect(!WebhookEventTypes.isPattern(pattern), "\(pattern)")
        }
    }

    @Test("R02-S what is told is the event of the wire protocol, with application, room and time") func standard()
        throws
    {
        let book = WebhookBook { _ in }
        book.set([webhook()])
        let mina = UserProfile(id: UserID(literal: "mina"), name: "Mina")
        let message = Message(chat: 7, from: mina, body: .text("hi"), time: Self.time)
        let rows = book.outgoing([.message(message)], created: nil, of: Self.key, at: Self.time)
        #expect(rows.map(\.type) == ["message"] && rows.map(\.lane.lane) == [WebhookBook.lane(of: Self.key.room)])
        let body = try json(rows[0].payload)
        #expect(body["type"] as? String == "message")
        #expect(body["timestamp"] as? String == "2026-11-18T11:06:40.250Z")
        let data = try #require(body["data"] as? [String: Any])
        #expect(data["app"] as? Int == 1_400_000_001 && data["room"] as? String == "123")
        #expect(data["text"] as? String == "hi" && data["chat"] as? Int == 7)
        // What passes by is left out, and other applications are not told.
        #expect(
            book.outgoing([.passing(.levels(SpeakingLevels([:])))], created: nil, of: Self.key, at: Self.time).isEmpty)
        let other = RoomKey(application: ApplicationID(5), room: Self.key.room)
        #expect(book.outgoing([.message(message)], created: nil, of: other, at: Self.time).isEmpty)
    }

    @Test("R02-S the published callback commands have their fields") func compatible() throws {
        let book = WebhookBook { _ in }
        book.set([webhook(.compatible)])
        let mina = UserProfile(id: UserID(literal: "mina"), name: "Mina")
        let member = Member(profile: mina, role: .member, seat: nil, micMuted: true, presence: .online)
        func command(_ event: RoomNewsEvent) throws -> [String: Any] {
            let rows = book.outgoing([event], created: nil, of: Self.key, at: Self.time)
            return try json(try #require(rows.first).payload)
        }
        let sent = try command(.message(Message(chat: 7, from: mina, body: .text("hi"), time: Self.time)))
        #expect(sent["CallbackCommand"] as? String == "Group.CallbackAfterSendMsg")
        #expect(sent["GroupId"] as? String == "~123" && sent["From_Account"] as? String == "mina")
        #expect(sent["MsgSeq"] as? Int == 7 && sent["MsgTime"] as? Int == 1_795_000_000)
        let elements = try #require(sent["MsgBody"] as? [[String: Any]])
        #expect(elements[0]["MsgType"] as? String == "TIMTextElem")
        #expect((elements[0]["MsgContent"] as? [String: Any])?["Text"] as? String == "hi")
        let joined = try command(.passing(.audienceEntered(AudienceEntered(member))))
        #expect(joined["CallbackCommand"] as? String == "Group.CallbackAfterNewMemberJoin")
        #expect((joined["NewMemberList"] as? [[String: String]]) == [["Member_Account": "mina"]])
        let left = try command(.passing(.audienceLeft(AudienceLeft(mina.id, reason: .left))))
        #expect(left["CallbackCommand"] as? String == "Group.CallbackAfterMemberExit")
        let ended = try command(
            .change(
                RoomChange(
                    seq: 1, time: Self.time,
                    what: .ended(RoomEnded(.owner, RoomSummary(seconds: 1, peak: 1, likes: 0))))))
        #expect(ended["CallbackCommand"] as? String == "Group.CallbackAfterGroupDestroyed")
        let query = WebhookRequest(
            Array("{\"CallbackCommand\":\"Group.CallbackAfterSendMsg\"}".utf8), id: "1", to: webhook(.compatible),
            at: 1_795_000_000
        ).url
        #expect(query.contains("?SdkAppid=1400000001&CallbackCommand=Group.CallbackAfterSendMsg&contenttype=json"))
    }

    @Test("G03-S a verdict is read in both formats; what is none is none") func verdicts() {
        let text = MessageBody.text("hi")
        let custom = MessageBody.custom(command: "TIMCustomElem", message: "{}")
        let cases: [(String, MessageBody, Webhook.Format, ReviewVerdict?)] = [
            (#"{"decision":"allow"}"#, text, .standard, .told(text)),
            (#"{"decision":"allow","text":"ho"}"#, text, .standard, .told(.text("ho"))),
            (#"{"decision":"refuse"}"#, text, .standard, .refused),
            (#"{"decision":"drop"}"#, text, .standard, .dropped),
            (#"{"decision":"perhaps"}"#, text, .standard, nil), ("", text, .standard, nil),
            ("[]", text, .standard, nil), (#"{"decision":1}"#, text, .standard, nil),
            (#"{"ActionStatus":"OK","ErrorCode":0,"ErrorInfo":""}"#, text, .compatible, .told(text)),
            (#"{"ErrorCode":1}"#, text, .compatible, .refused), (#"{"ErrorCode":2}"#, text, .compatible, .dropped),
            (#"{"ErrorCode":120001}"#, text, .compatible, .refused), (#"{"ErrorCode":"0"}"#, text, .compatible, nil),
            (
                #"{"ErrorCode":0,"MsgBody":[{"MsgType":"TIMTextElem","MsgContent":{"Text":"ho"}}]}"#, text,
                .compatible, .told(.text("ho"))
            ),
            (
                #"{"ErrorCode":0,"MsgBody":[{"MsgType":"TIMCustomElem","MsgContent":{"Data":"x"}}]}"#, custom,
                .compatible, .told(.custom(command: "TIMCustomElem", message: "x"))
            ),
            (
                #"{"ErrorCode":0,"MsgBody":[{"MsgType":"TIMCustomElem","MsgContent":{"Data":"x"}}]}"#, text,
                .compatible, .told(text)
            ),
        ]
        for (answer, body, format, wanted) in cases {
            #expect(MessageReviewer.verdict(Array(answer.utf8), on: body, format) == wanted, "\(answer)")
        }
    }

    @Test("R02-S private, local and special addresses are none of the public Internet") func addresses() {
        for address in [
            "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1",
            "198.17.255.255", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
            "2002:0808:0808::1", "64:ff9b::8.8.8.8",
        ] { #expect(PublicAddress.isPublic(address), "\(address)") }
        for address in [
            "127.0.0.1", "127.255.255.255", "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.0.1", "198.18.0.1", "198.51.100.1",
            "203.0.113.9", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
            "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:192.168.1.1", "2001:db8::1", "2001:0:1::1",
            "2002:7f00:1::", "2002:c0a8:1::", "64:ff9b::10.0.0.1", "3fff::1", "", "localhost", "0x7f.1", "1.2.3",
        ] { #expect(!PublicAddress.isPublic(address), "\(address)") }
    }

    @Test("R02-S a webhook's url is http or https, with a host and without tricks") func urls() {
        for url in ["https://example.org", "http://10.0.0.1:8080/a?b=c", "https://[2001:db8::1]/x"] {
            #expect(WebhookService.isURL(url), "\(url)")
        }
        for url in [
            "", "example.org", "ftp://example.org", "javascript:alert(1)", "https://", "https:///x",
            "https://user:pass@example.org", "https://example.org/#x", "https://exa mple.org",
            "https://example.org/" + String(repeating: "x", count: 500), "file:///etc/passwd",
        ] { #expect(!WebhookService.isURL(url), "\(url)") }
    }
}
