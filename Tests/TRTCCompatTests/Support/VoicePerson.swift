import Dispatch
import Foundation
import ServerTestSupport
import Synchronization

@testable import TRTCCompat

/// How a call of a component ended.
struct Outcome: Equatable, CustomStringConvertible {
    var code: Int32
    var message: String
    var description: String { "\(code) \(message)" }
}

/// Waits for a callback. The callback is written down too, so that its place among the events can be seen.
func outcome(
    _ name: String = "", in notes: Notes? = nil, of call: (@escaping ActionCallback) -> Void
) async -> Outcome {
    await withCheckedContinuation { continuation in
        call { code, message in
            if !name.isEmpty { notes?.write("callback \(name) \(code)") }
            continuation.resume(returning: Outcome(code: code, message: message))
        }
    }
}

/// Somebody at a voice room.
struct VoicePerson {
    let name: String
    let room: TRTCVoiceRoom
    let notes = Notes()
    let ear: VoiceEar

    /// Signed in as that user.
    static func signedIn(
        _ name: String, at server: TestServer, clock: DelayClock = .system, hearsVolumes: Bool = false,
        lifetime: Int64 = 86_400
    ) async throws -> VoicePerson {
        OvationServer.address = "http://127.0.0.1:\(server.port)"
        OvationDevices.input = .none
        OvationDevices.output = .none
        let person = VoicePerson(name, clock: clock, hearsVolumes: hearsVolumes)
        let ticket = try server.ticket(name, lifetime: lifetime)
        let answer = await outcome {
            person.room.login(
                sdkAppID: Int32(TestServer.application), userId: name, userSig: ticket, callback: $0)
        }
        guard answer.code == 0 else { throw Notes.Missing(description: "login: \(answer)") }
        let named = await outcome {
            person.room.setSelfProfile(userName: name.capitalized, avatarURL: "/avatars/\(name).svg", callback: $0)
        }
        guard named.code == 0 else { throw Notes.Missing(description: "profile: \(named)") }
        return person
    }

    init(_ name: String, clock: DelayClock = .system, hearsVolumes: Bool = false) {
        self.name = name
        room = TRTCVoiceRoom(clock: clock)
        ear = VoiceEar(notes, hearsVolumes: hearsVolumes)
        room.setDelegateQueue(queue: DispatchQueue(label: "app of \(name)"))
        room.setDelegate(delegate: ear)
    }

    /// A call whose callback is written down as `callback <what> <code>`.
    func ask(_ what: String, _ call: (@escaping ActionCallback) -> Void) async -> Int32 {
        await outcome(what, in: notes, of: call).code
    }

    func create(_ id: Int32, seats: Int = 3, needRequest: Bool = false) async -> Int32 {
        let param = VoiceRoomParam()
        param.roomName = "Salon \(id)"
        param.seatCount = seats
        param.needRequest = needRequest
        return await ask("create") { room.createRoom(roomID: id, roomParam: param, callback: $0) }
    }

    func enter(_ id: Int) async -> Int32 { await ask("enter") { room.enterRoom(roomID: id, callback: $0) } }

    func sit(_ seat: Int) async -> Int32 { await ask("sit") { room.enterSeat(seatIndex: seat, callback: $0) } }
}

/// A clock whose hands the test turns.
final class Hands: Sendable {
    private let waiting = Mutex<[Int: (milliseconds: Int, body: @Sendable () -> Void)]>([:])
    private let next = Mutex(0)

    var clock: DelayClock {
        DelayClock { milliseconds, body in
            let number = self.next.withLock { next in
                next += 1
                return next
            }
            self.waiting.withLock { $0[number] = (milliseconds, body) }
            return { _ = self.waiting.withLock { $0.removeValue(forKey: number) } }
        }
    }

    /// Lets everything happen that waits for so many milliseconds; says how much that was.
    @discardableResult
    func fire(_ milliseconds: Int) -> Int {
        let ready = waiting.withLock { waiting in
            let ready = waiting.filter { $0.value.milliseconds == milliseconds }
            for number in ready.keys { waiting[number] = nil }
            return ready.sorted { $0.key < $1.key }.map(\.value.body)
        }
        for body in ready { body() }
        return ready.count
    }
}
