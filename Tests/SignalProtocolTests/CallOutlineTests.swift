import Foundation
import RoomModel
import SeededRandom
import SignalProtocol
import Testing

@Suite struct CallOutlineTests {
    private func outline(_ text: String) -> CallOutline { CallOutline(Array(text.utf8)) }

    @Test(
        "a call's id and method are found wherever they stand among its members, as decoding finds them",
        arguments: 0..<30)
    func found(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = ["7", "-9007199254740993", "\"a b-c\"", "\"\"", "0"]
        let others = [
            #""x":"a\"b\\","y":{"id":3,"method":"room.exit"}"#, #""z":[1,[2,{"id":"}"}],"]"]"#,
            #""n":null,"t":true,"f":-1.5e3"#,
            #""id2":9,"methods":"seat.take""#,
        ]
        for _ in 0..<100 {
            let method = Method.allCases.randomElement(using: &random)!
            let id = ids.randomElement(using: &random)!
            var members = ["\"id\":\(id)", "\"method\" : \"\(method.rawValue)\"", #""jsonrpc":"2.0""#]
            members += others.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
            let space = ["", " ", "\n\t"].randomElement(using: &random)!
            let text = "{\(space)" + members.shuffled(using: &random).joined(separator: "\(space),\(space)") + "}"
            let found = outline(text)
            #expect(found.method == method, "\(text)")
            let decodedID: CallID?
            do throws(CallFailure) { decodedID = try Call.decode(Data(text.utf8)).id } catch { decodedID = error.id }
            #expect(found.id == decodedID, "\(text)")
        }
    }

    @Test(
        "what is not written plainly, or stands behind four kibibytes, is not found, and nothing else is taken for it")
    func absent() {
        let far = String(repeating: "x", count: 4 << 10)
        for text in [
            "", "{", "[]", "7", "{\"id\"", "{\"id\":", "{\"id\":}", #"{"id":1.5}"#, #"{"id":"\u0041"}"#,
            #"{"id":null}"#,
            "{\"pad\":\"\(far)\",\"id\":1}", #"{"id":"\#(String(repeating: "i", count: 65))"}"#,
            #"{"id":99999999999999999999}"#,
            #"{"params":{"id":1}}"#, #"{"a":"{\"id\":1}"}"#,
        ] {
            #expect(outline(text).id == nil, "\(text.prefix(40))")
        }
        #expect(outline(#"{"id":1,"method":"no.such"}"#).method == nil)
        #expect(outline(#"{"id":1,"method":"no.such"}"#).id == .number(1))
    }

    @Test("any bytes are read without a trap", arguments: 0..<20)
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let signs = Array(#"{}[]",:\ id method 0123-e"#.utf8)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in signs.randomElement(using: &random)! }
            _ = CallOutline(Array("{".utf8) + bytes)
        }
    }

    @Test(
        "a Swift client says what it calls, and by which number, first: a long offer is known by its first bytes"
    )
    func written() throws {
        let room = try #require(RoomID(number: 7))
        let offer = OfferMedia(room, number: 1, sdp: String(repeating: "a=x\r\n", count: 4_000))
        let call = Call(number: 12, .offerMedia(offer))
        #expect(outline(String(decoding: call.text.prefix(64), as: UTF8.self)).id == .number(12))
        #expect(CallOutline(call.text).method == call.method)
        #expect(call.text.starts(with: #"{"jsonrpc":"2.0","id":12,"method":"media.offer","params":{"#.utf8))
    }
}
