import Foundation
import RoomModel
import Testing

@testable import SignalProtocol

/// Events as servers have always sent them and clients have always read them, written by hand: neither side's coder made these texts.
@Suite struct EventBytesTests {
    private static let alice = #"{"avatar":"/a.png","id":"alice","name":"Alice"}"#
    private static let seat =
        #"{"by":"alice","camera":"blocked","index":1,"micMuted":true,"muted":false,"presence":"online","state":"used","user":"bob"}"#
    private static let info =
        #"{"chat":{"hostsOnly":true,"noLinks":false,"slowSeconds":5},"cover":"/c.png","createdAt":1,"kind":"live","linkedHosts":["Bob"],"memberCount":4,"name":"Salon","needsRequest":true,"owner":\#(alice),"pictureFormat":"vp8","pk":"in_pk","room":7,"seated":1,"seats":8,"speaking":true,"still":3,"tags":["a"]}"#
    private static let play =
        #"{"by":"alice","positionMs":500,"song":{"accompaniment":"/s.m4a","artist":"A","durationMs":60000,"id":"s","lyrics":"/s.lrc","original":"/o.m4a","title":"S"},"startAt":9000,"track":"original"}"#
    private static let pk =
        #"{"links":[{"host":\#(alice),"id":"1/1/9","isEnding":false,"isOurs":true,"muted":false,"place":0,"room":"x","since":3}],"match":{"endAt":60009,"hasFinal":false,"isOtherReady":true,"isReady":true,"link":"1/1/9","ours":1,"phase":"over","result":{"cause":"quit","outcome":"won"},"startAt":9,"terms":{"forfeit":"Sing","forfeitSeconds":30,"seconds":60},"theirs":2,"until":70000}}"#
    private static let challenge =
        #"{"expiresAt":9,"host":\#(alice),"id":"c","isOurs":false,"room":8,"terms":{"forfeit":"","forfeitSeconds":0,"seconds":60}}"#
    private static let gift =
        #"{"combo":3,"count":2,"from":\#(alice),"gift":{"id":"rose","large":true,"name":"Rose","names":{"ko":"장미"},"picture":"/r.png","price":5},"number":12,"time":6,"to":{"avatar":"","id":"bob","name":"Bob"}}"#
    private static func invitation(_ state: String) -> String {
        #"{"command":"seat.ask","content":"1","createdAt":1,"expiresAt":2,"from":"bob","hasStill":true,"id":"i","reason":"later","room":7,"state":"\#(state)","to":"alice","words":"please"}"#
    }
    private static let ban =
        #"{"by":"alice","everywhere":true,"kind":"ban","name":"Bob","reason":"spam","until":9,"user":"bob"}"#

    /// Without the number and time that durable ones have.
    private static let durable = [
        #""info":\#(info),"type":"room.updated""#,
        #""removed":["b"],"set":{"a":"1"},"type":"attributes.changed""#,
        #""by":"alice","removed":[],"set":{},"type":"attributes.changed""#,
        #""reason":"owner_absent","summary":{"likes":3,"peak":2,"seconds":1},"type":"room.destroyed""#,
        #""by":"alice","seat":\#(seat),"type":"seat.taken","user":\#(alice)"#,
        #""seat":{"index":0,"muted":true,"state":"empty"},"type":"seat.taken","user":\#(alice)"#,
        #""by":"alice","reason":"kicked","seat":\#(seat),"type":"seat.left","user":\#(alice)"#,
        #""by":"alice","seat":\#(seat),"type":"seat.muted""#, #""seat":\#(seat),"type":"seat.muted""#,
        #""by":"alice","seat":\#(seat),"type":"seat.closed""#, #""seat":\#(seat),"type":"seat.closed""#,
        #""muted":true,"seat":1,"type":"microphone.muted","user":"bob""#,
        #""by":"alice","camera":"blocked","seat":1,"type":"camera.changed","user":"bob""#,
        #""camera":"on","seat":0,"type":"camera.changed","user":"bob""#,
        #""by":"alice","type":"screen.changed","user":"bob""#, #""type":"screen.changed""#,
        #""by":"alice","stage":{"form":"spotlight","large":"bob"},"type":"stage.arranged""#,
        #""stage":{"form":"grid"},"type":"stage.arranged""#,
        #""by":"alice","role":"admin","type":"role.changed","user":"bob""#,
        #""role":"member","type":"role.changed","user":"bob""#,
        #""reason":"handed_over","type":"owner.changed","user":\#(alice)"#,
        #""by":"alice","play":\#(play),"reason":"started","type":"song.changed""#,
        #""reason":"ended","type":"song.changed""#,
        #""by":"alice","duet":{"leader":"bob","mode":"leadFollow"},"type":"duet.changed""#,
        #""duet":{"mode":"together"},"type":"duet.changed""#,
        #""by":"alice","cause":"over","pk":\#(pk),"type":"pk.changed""#,
        #""cause":"gone","pk":{"links":[]},"type":"pk.changed""#,
        #""gifts":[\#(gift)],"standing":{"coins":10,"supporters":[{"coins":10,"user":\#(alice)}]},"type":"gifts.sent""#,
        #""by":"alice","chat":4,"type":"message.deleted""#, #""chat":4,"type":"message.deleted""#,
    ]
    private static let passing = [
        #""chat":5,"from":\#(alice),"id":"m","text":"hi","time":6,"type":"message""#,
        #""chat":5,"command":"C","from":\#(alice),"message":"x","time":6,"type":"message""#,
        #""chat":5,"deleted":true,"from":\#(alice),"text":"","time":6,"type":"message""#,
        #""from":3,"to":9,"type":"dropped""#,
        #""by":"bob","invitation":\#(invitation("waiting")),"type":"invitation.received""#,
        #""by":"alice","invitation":\#(invitation("accepted")),"type":"invitation.accepted""#,
        #""by":"alice","invitation":\#(invitation("rejected")),"type":"invitation.rejected""#,
        #""by":"bob","invitation":\#(invitation("cancelled")),"type":"invitation.cancelled""#,
        #""invitation":\#(invitation("expired")),"type":"invitation.expired""#,
        #""restriction":\#(ban),"type":"restriction.set""#,
        #""restriction":{"by":"alice","kind":"chat_mute","name":"","user":"bob"},"type":"restriction.lifted""#,
        #""challenge":\#(challenge),"state":"declined","type":"pk.challenge","until":9"#,
        #""challenge":\#(challenge),"state":"waiting","type":"pk.challenge""#,
        #""member":{"avatar":"/a.png","id":"alice","marks":[1000],"micMuted":true,"name":"Alice","presence":"online","role":"admin","seat":2},"type":"audience.entered""#,
        #""reason":"lost","type":"audience.left","user":"alice""#,
        #""presence":"reconnecting","type":"presence","until":9,"user":"alice""#,
        #""presence":"online","type":"presence","user":"alice""#,
        #""heir":"alice","type":"owner.absent","until":9"#, #""type":"owner.absent","until":9"#,
        #""type":"owner.back""#,
        #""levels":{"alice":40,"bob":0},"type":"levels""#, #""levels":{},"type":"levels""#,
        #""added":2,"total":9,"type":"likes","users":["alice"]"#,
        #""memberCount":300,"type":"count""#,
        #""apartMs":135,"tight":false,"type":"network","users":{"alice":{"jitterMs":7,"lossPercent":3,"quality":3,"roundTripMs":190},"bob":{"lossPercent":0,"quality":6}}"#,
        #""type":"network","users":{}"#,
        #""ours":3,"theirs":4,"type":"pk.points""#,
        #""pictures":[{"lack":"line","seat":2,"size":"low"},{"lack":"sender","screen":true,"size":"off"},{"guest":0,"size":"high"}],"type":"media.pictures""#,
        #""camera":"middle","type":"media.wanted""#, #""camera":"low","spare":true,"type":"media.wanted""#,
    ]

    static let texts = durable.map { #"{"seq":3,"time":4,\#($0)}"# } + passing.map { "{\($0)}" }

    /// Keys sorted, so that texts can be compared.
    private func canonical(_ bytes: some Sequence<UInt8>) throws -> String {
        let value = try JSONSerialization.jsonObject(with: Data(bytes))
        let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    @Test("an event is read as it was sent, and sent again byte by byte as it was read", arguments: texts)
    func bytes(_ text: String) throws {
        let event = try JSONDecoder().decode(HeardEvent.self, from: Data(text.utf8))
        let known = try #require(event.known, "\(event)")
        #expect(try canonical(SignalText.encode(WireEvent(known))) == canonical(text.utf8))
    }

    @Test("no event takes more of the wire than it is counted for, however long its texts are", arguments: texts)
    func sizes(_ text: String) throws {
        let long = String(repeating: "x", count: 2_000)
        var text = text
        for word in [#""/a.png""#, #""/c.png""#, #""/r.png""#, #""Sing""#, #""later""#, #""spam""#, #""hi""#, #""S""#] {
            text = text.replacingOccurrences(of: word, with: "\"\(long)\"")
        }
        let known = try #require(JSONDecoder().decode(HeardEvent.self, from: Data(text.utf8)).known)
        #expect(SignalText.encode(WireEvent(known)).count <= known.wireSize, "\(known.type)")
    }

    @Test("every type of event has its bytes here") func everyType() throws {
        let types = try Set(
            Self.texts.map { text in
                let event = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                return try #require(event?["type"] as? String)
            })
        #expect(types == Set(EventType.allCases.map(\.rawValue)))
    }

    @Test("a field that must be there is missed: the event is passed over, and its number counts", arguments: durable)
    func missing(_ text: String) throws {
        for field in [
            "info", "set", "removed", "reason", "summary", "seat", "muted", "camera", "stage", "role", "duet", "pk",
            "cause", "gifts", "standing", "chat",
        ] where text.contains("\"\(field)\":") && !text.contains("\"type\":\"screen") {
            var event = try #require(
                JSONSerialization.jsonObject(with: Data("{\"seq\":3,\"time\":4,\(text)}".utf8)) as? [String: Any])
            guard event.removeValue(forKey: field) != nil else { continue }
            // What is gone of attributes, and what is set, may be left out.
            guard field != "set", field != "removed" else { continue }
            let heard = try JSONDecoder().decode(
                HeardEvent.self, from: JSONSerialization.data(withJSONObject: event))
            #expect(heard == .unknown(seq: 3), "without \(field): \(text)")
        }
    }

    @Test("an event that has no number here but comes with one is of a newer server", arguments: passing)
    func numbered(_ text: String) throws {
        let heard = try JSONDecoder().decode(HeardEvent.self, from: Data("{\"seq\":3,\(text)}".utf8))
        #expect(heard == .unknown(seq: 3))
    }
}
