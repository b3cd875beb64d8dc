import AudioGraph
import Foundation
import MediaDevices
import RoomModel
import ServerApp
import ServerTestSupport
import Synchronization
import Testing
import Timing

@testable import Ovation

/// A loudspeaker that can be unplugged.
private final class Loudspeaker: AudioOutputDevice {
    private let device = CustomOutput()
    private let onFailure: @Sendable (DeviceError) -> Void

    init(_ onFailure: @escaping @Sendable (DeviceError) -> Void) { self.onFailure = onFailure }

    func start(
        channels: Int, framesPerBlock: Int, render: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        try device.start(channels: channels, framesPerBlock: framesPerBlock, render: render)
    }

    func stop() { device.stop() }

    func unplug() {
        device.stop()
        onFailure(DeviceError(.lost, "unplugged"))
    }
}

extension LiveServerTests {
    /// Sound between clients through a whole server.
    @Suite struct LiveAudioTests {
        @Test(
            "V04-K V06-K V14-K V02-K who sits down is heard, who is muted is not, who leaves is not; levels tell who speaks; the room's end ends the sound"
        )
        func heard() async throws {
            try await TestServer.with { server async throws in
                func client(_ user: UserID) async throws -> OvationClient {
                    let client = try server.sdk { $0.audio = .automatic }
                    try await client.signIn(
                        app: ApplicationID(TestServer.application), user: user, ticket: try server.ticket(user.rawValue)
                    )
                    return client
                }
                let alice = try await client("alice")
                let bob = try await client("bob")
                let owner = try await alice.createRoom(RoomDraft(name: "Salon", seats: 3))
                let guest = try await bob.enterRoom(owner.id)
                try guest.audio.useInput(.tone(frequency: 440, amplitude: 0.5))
                for room in [owner, guest] {
                    _ = await room.audio.connectionChanges.first { $0 == .connected }
                }
                #expect(!guest.audio.isMicrophoneOn, "nobody is heard who does not sit")
                // Levels of the signalling come from what the server hears.
                func levels(of user: UserID, are fits: (Int) -> Bool) async throws {
                    _ = try await owner.events(replay: .all).upTo { event in
                        guard case .levels(let levels) = event else { return false }
                        return fits(levels[user] ?? 0)
                    }
                }
                try await guest.takeSeat(1)
                try await levels(of: "bob") { $0 > 30 }
                #expect(guest.audio.isMicrophoneOn)
                let isHeard = { owner.audio.localLevels.users["bob"] ?? 0 > 30 }
                while !isHeard() { try await nextTurn() }
                try await owner.setSeat(1, muted: true)
                try await levels(of: "bob") { $0 == 0 }
                try await owner.setSeat(1, muted: false)
                try await levels(of: "bob") { $0 > 30 }
                try await guest.leaveSeat()
                while guest.audio.isMicrophoneOn { try await nextTurn() }
                try await levels(of: "bob") { $0 == 0 }
                await guest.leave()
                #expect(guest.audio.connection == .closed && owner.audio.connection == .connected)
                let again = try await bob.enterRoom(owner.id)
                try again.audio.useInput(.tone(frequency: 440, amplitude: 0.5))
                try await again.takeSeat(1)
                while !(again.audio.isMicrophoneOn && again.audio.connection == .connected) { try await nextTurn() }
                try await owner.destroy()
                for room in [owner, again] {
                    _ = await room.audio.connectionChanges.first { $0 == .closed }
                    while room.audio.isMicrophoneOn { try await nextTurn() }
                }
                await alice.signOut()
                await bob.signOut()
            }
        }

        @Test(
            "V13-K V17-K a loudspeaker that is lost in mid-call is told, once, and the own voice goes on; one that was replaced is not"
        )
        func lostLoudspeaker() async throws {
            try await TestServer.with { server async throws in
                func client(_ user: UserID) async throws -> OvationClient {
                    let client = try server.sdk { $0.audio = .automatic }
                    try await client.signIn(
                        app: ApplicationID(TestServer.application), user: user, ticket: try server.ticket(user.rawValue)
                    )
                    return client
                }
                let (alice, bob) = (try await client("alice"), try await client("bob"))
                let owner = try await alice.createRoom(RoomDraft(name: "Salon", seats: 3))
                let guest = try await bob.enterRoom(owner.id)
                func hears(_ fits: (Int) -> Bool) async throws {
                    _ = try await owner.events(replay: .all).upTo {
                        if case .levels(let levels) = $0 { fits(levels["bob"] ?? 0) } else { false }
                    }
                }
                let made = Mutex<[Loudspeaker]>([])
                for _ in 0..<2 {
                    try guest.audio.useOutput { onFailure in
                        let loudspeaker = Loudspeaker(onFailure)
                        made.withLock { $0.append(loudspeaker) }
                        return loudspeaker
                    }
                }
                let told = guest.audio.events(replay: .all)
                try guest.audio.useInput(.tone(frequency: 440, amplitude: 0.5))
                #expect(
                    throws: OvationError(.notSupported, "this device has no receiver: sound goes on where it is played")
                ) {
                    try guest.audio.useRoute(.receiver)
                }
                try guest.audio.useRoute(.speaker)
                try await guest.takeSeat(1)
                try await hears { $0 > 30 }

                let loudspeakers = made.withLock { $0 }
                loudspeakers[0].unplug()
                loudspeakers[1].unplug()
                let failures = try await told.upTo { if case .speakerFailed = $0 { true } else { false } }.filter {
                    if case .speakerFailed = $0 { true } else { false }
                }
                #expect(failures.count == 1)
                #expect("\(failures)".contains("unplugged"))
                // Silent and loud again since then: nobody goes by an old word.
                try await owner.setSeat(1, muted: true)
                try await hears { $0 == 0 }
                try await owner.setSeat(1, muted: false)
                try await hears { $0 > 30 }
                await guest.leave()
                await alice.signOut()
                await bob.signOut()
            }
        }

        @Test("V19-K kill -9 and restart: another media plane, and the sound is back by itself, from the same seat")
        func restarted() async throws {
            let folder = NSTemporaryDirectory() + "ovation-sound-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let ports = try (FreePort.take(), FreePort.take())
            var server = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            var clients: [OvationClient] = []
            for name in ["Alice", "Bob"] {
                let client = OvationClient(
                    server: try ServerAddress("127.0.0.1:\(ports.0)"),
                    configuration: .init(callTimeout: .seconds(60)))
                try await client.signIn(name: name)
                clients.append(client)
            }
            let owner = try await clients[0].createRoom(RoomDraft(name: "Salon", seats: 3))
            let guest = try await clients[1].enterRoom(owner.id)
            let singer = guest.state.me.id
            try guest.audio.useInput(.tone(frequency: 440, amplitude: 0.5))
            try await guest.takeSeat(1)
            func isHeard(_ events: EventStream<RoomSession.Event>) async throws {
                _ = try await events.upTo {
                    if case .levels(let levels) = $0 { levels[singer] ?? 0 > 30 } else { false }
                }
            }
            try await isHeard(owner.events(replay: .all))
            let before = owner.state.mediaEpoch
            let events = owner.events
            server.kill()
            server = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            _ = try await events.upTo { $0 == .resumed }
            #expect(owner.state.mediaEpoch != before)
            try await isHeard(owner.events)
            while owner.audio.localLevels.users[singer] ?? 0 < 30 { try await nextTurn() }
            #expect(guest.state.mySeat == 1 && guest.audio.isMicrophoneOn)
            for client in clients { await client.signOut() }
        }
    }
}
