import Foundation
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import Synchronization
import Testing
import Timing

@testable import Signalling

/// Stills from the call to where they are shown, with a reader of pictures that does as a test says.
@Suite struct SentStillTests {
    /// Reads when it is let.
    private final class Reader: Sendable {
        private let state = Mutex<(orders: [PictureOrder], finding: PictureFinding)>(([], .pictures([Reader.made])))
        private let gate = AsyncStream.makeStream(of: Void.self)
        private let isGated: Bool

        /// What it makes of every picture.
        static let made = TestJPEG.bytes(width: 100, height: 50)

        init(isGated: Bool = false) { self.isGated = isGated }

        var orders: [PictureOrder] { state.withLock { $0.orders } }
        func find(_ finding: PictureFinding) { state.withLock { $0.finding = finding } }
        func letGo() { gate.continuation.finish() }

        func rewrite(_: [UInt8], _ order: PictureOrder) async -> PictureFinding {
            state.withLock { $0.orders.append(order) }
            if isGated { for await _ in gate.stream {} }
            return state.withLock { $0.finding }
        }
    }

    private static let sent = Data(TestJPEG.bytes(width: 320, height: 180)).base64EncodedString()
    private static let still = #"{"room":7,"picture":"\#(sent)"}"#

    private func host(_ house: ConversationHouse) async throws -> ConversationLine {
        let host = try await ConversationLine(house)
        try await host.open("host")
        try await host.call("room.create", #"{"room":7,"name":"Evening","kind":"live","seats":3}"#)
        try await host.call("seat.take", #"{"room":7,"seat":0}"#)
        try await host.call("camera.set", #"{"room":7,"on":true}"#)
        return host
    }

    private func house(_ reader: Reader) async throws -> ConversationHouse {
        try await ConversationHouse(rewrite: { await reader.rewrite($0, $1) })
    }

    private func shown(_ house: ConversationHouse) throws -> StillPicture? {
        let page = try house.services.rooms.list(RoomQuery(), of: ConversationHouse.application.id)
        return page.rooms.first?.still.flatMap { house.services.rooms.still($0, of: .number(7)) }
    }

    @Test("L01-S what the list shows of a room is written anew, never what was sent")
    func shownAnew() async throws {
        let reader = Reader()
        let house = try await house(reader)
        let host = try await host(house)
        #expect(try await host.call("still.set", Self.still).contains(#""still":"#))
        #expect(try shown(house)?.jpeg == Reader.made)
        #expect(reader.orders == [PictureOrder(.still, sizes: [.init(side: 360, bytes: 15 << 10)])])
    }

    @Test(
        "L01-S while a still is read the host's other calls go through, and one that is taken back meanwhile is not shown"
    )
    func takenBack() async throws {
        let reader = Reader(isGated: true)
        let house = try await house(reader)
        let host = try await host(house)
        try await host.send("still.set", Self.still)
        #expect(try await host.call("clock.read").contains(#""time":"#))
        #expect(try await host.call("still.set", Self.still).contains("rate_limited"), "one at a time")
        #expect(try await host.call("still.set", #"{"room":7}"#).contains(#""result":{}"#))
        reader.letGo()
        // The answer to the fourth call behind the session's own two: it is shown no more.
        #expect(try await host.answer(to: 6).contains(#""result":{}"#))
        #expect(try shown(house) == nil)
    }

    @Test("L01-S who may not show a still costs nobody the reading of it")
    func notAllowed() async throws {
        let reader = Reader()
        let house = try await house(reader)
        let host = try await host(house)
        let guest = try await ConversationLine(house)
        try await guest.open("guest")
        #expect(try await guest.call("still.set", Self.still).contains("not_in_room"))
        try await guest.call("room.enter", #"{"room":7}"#)
        #expect(try await guest.call("still.set", Self.still).contains("permission_denied"))
        try await host.call("camera.set", #"{"room":7,"on":false}"#)
        #expect(try await host.call("still.set", Self.still).contains("permission_denied"))
        try await host.call("camera.set", #"{"room":7,"on":true}"#)
        #expect(try await host.call("still.set", Self.still).contains(#""still":"#))
        #expect(try await host.call("still.set", Self.still).contains("rate_limited"))
        #expect(reader.orders.count == 1)
    }

    @Test(
        "L01-S a still that cannot be read is refused with what is wrong, also where pictures cannot be read at all",
        arguments: [
            (PictureFinding.unreadable, "invalid_params", "cannot be read"),
            (.noLibrary("install libavformat59"), "uploads_unavailable", "install libavformat59"),
            (.unavailable, "uploads_unavailable", "inspect"), (.busy, "unavailable", "try again"),
            (.pictures([Array("no picture".utf8)]), "invalid_params", "JPEG"),
        ])
    func refused(finding: PictureFinding, name: String, words: String) async throws {
        let reader = Reader()
        reader.find(finding)
        let house = try await house(reader)
        let host = try await host(house)
        let answer = try await host.call("still.set", Self.still)
        #expect(answer.contains(#""\#(name)""#) && answer.contains(words), "\(answer)")
        #expect(try shown(house) == nil)
    }

    @Test(
        "L03-S R11-S a picture is refused unread that comes from elsewhere, into a room without pictures, or to anybody but the host"
    )
    func outsiders() async throws {
        let reader = Reader()
        let house = try await house(reader)
        _ = try await host(house)
        let stranger = try await ConversationLine(house)
        try await stranger.open("stranger")
        let request = #"{"room":7,"user":"host","command":"seat.request","id":"r1","still":"\#(Self.sent)"}"#
        #expect(try await stranger.call("invitation.send", request).contains("not_in_room"))
        try await stranger.call("room.create", #"{"room":8,"name":"Elsewhere"}"#)
        #expect(try await stranger.call("invitation.send", request).contains("not_in_room"))
        let inside = request.replacing(#""room":7"#, with: #""room":8"#)
        #expect(try await stranger.call("invitation.send", inside).contains("not_live"))
        try await stranger.call("room.destroy", #"{"room":8}"#)
        try await stranger.call("room.enter", #"{"room":7}"#)
        let beside = request.replacing(#""user":"host""#, with: #""user":"somebody""#)
        #expect(try await stranger.call("invitation.send", beside).contains("a request to the host"))
        #expect(reader.orders.isEmpty)
        #expect(
            try await stranger.call("invitation.send", request).contains(#""id":"r1""#), "the attempts took no turn")
    }

    @Test("L03-S what comes with a request is written anew before the request stands, and small")
    func request() async throws {
        let reader = Reader()
        let house = try await house(reader)
        let host = try await host(house)
        let guest = try await ConversationLine(house)
        try await guest.open("guest")
        try await guest.call("room.enter", #"{"room":7}"#)
        let request = #"{"room":7,"user":"host","command":"seat.request","id":"r1","still":"\#(Self.sent)"}"#
        #expect(try await guest.call("invitation.send", request).contains(#""id":"r1""#))
        let seen = try await host.call("invitation.still", #"{"room":7,"id":"r1"}"#)
        #expect(seen.replacing("\\/", with: "/").contains(Data(Reader.made).base64EncodedString()))
        #expect(reader.orders == [PictureOrder(.still, sizes: [.init(side: 360, bytes: 8 << 10)])])
        reader.find(.unreadable)
        house.clock.advance(by: .seconds(2))
        let broken = request.replacing("\"r1\"", with: "\"r2\"")
        let answer = try await guest.call("invitation.send", broken)
        #expect(answer.contains("invalid_params") && answer.contains(#""still""#), "\(answer)")
    }
}
