import Dispatch
import Foundation
import ServerTestSupport

@testable import TRTCCompat

/// Somebody at a chorus room.
struct ChorusPerson {
    let name: String
    let room: TRTCChorusRoom
    let notes = Notes()
    let ear: ChorusEar

    init(_ name: String, clock: DelayClock = .system, hearsQuality: Bool = false) {
        self.name = name
        room = TRTCChorusRoom(clock: clock)
        ear = ChorusEar(notes, hearsQuality: hearsQuality)
        room.setDelegateQueue(queue: DispatchQueue(label: "app of \(name)"))
        room.setDelegate(delegate: ear)
    }

    /// Signed in as that user.
    static func signedIn(
        _ name: String, at server: TestServer, clock: DelayClock = .system, hearsQuality: Bool = false
    ) async throws -> ChorusPerson {
        let person = ChorusPerson(name, clock: clock, hearsQuality: hearsQuality)
        try await person.signIn(port: server.port, ticket: try server.ticket(name))
        return person
    }

    func signIn(port: Int, application: UInt32 = TestServer.application, ticket: String) async throws {
        OvationServer.address = "http://127.0.0.1:\(port)"
        OvationDevices.input = .none
        OvationDevices.output = .none
        let answer = await outcome {
            room.login(sdkAppID: Int32(application), userId: name, userSig: ticket, callback: $0)
        }
        guard answer.code == 0 else { throw Notes.Missing(description: "login: \(answer)") }
        let named = await outcome { room.setSelfProfile(userName: name.capitalized, avatarURL: "", callback: $0) }
        guard named.code == 0 else { throw Notes.Missing(description: "profile: \(named)") }
    }

    /// A call whose callback is written down as `callback <what> <code>`.
    func ask(_ what: String, _ call: (@escaping ActionCallback) -> Void) async -> Int32 {
        await outcome(what, in: notes, of: call).code
    }

    func create(_ id: Int32) async -> Int32 {
        let param = ChorusParam()
        param.roomName = "Duet"
        param.seatCount = 2
        return await ask("create") { room.createRoom(roomID: id, roomParam: param, callback: $0) }
    }

    func enter(_ id: Int) async -> Int32 { await ask("enter") { room.enterRoom(roomID: id, callback: $0) } }

    func sit(_ seat: Int) async -> Int32 { await ask("sit") { room.enterSeat(seatIndex: seat, callback: $0) } }

    func leaveSeat() async -> Int32 { await ask("leave") { room.leaveSeat(callback: $0) } }
}
