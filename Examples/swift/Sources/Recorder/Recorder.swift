// Listens to a room, writes what it hears to a WAV file, and prints who speaks when.
import ArgumentParser
import Foundation
import Ovation
import UnixSignals

@main
struct Recorder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Records a room to a WAV file and prints who speaks.",
        discussion: "It ends with the room, after --for seconds, or on Ctrl-C; the file is whole then.")

    @Option(help: "The server. [default: OVATION_SERVER, else http://127.0.0.1:8080]") var server: String?
    @Option(help: "The recorder's name, which people in the room see.") var name = "Recorder"
    @Option(help: "The file to write, 48 kHz stereo.") var output = "salon.wav"
    @Option(name: .customLong("for"), help: "End after so many seconds.") var seconds: Double?
    @Argument(help: "The room's number, or its id if that is text.") var room: String

    func run() async throws {
        guard let id = UInt32(room).flatMap({ RoomID(number: $0) }) ?? RoomID(string: room) else {
            throw ValidationError("\(room) is no room id")
        }
        let address = try server.map { try ServerAddress($0) } ?? ServerAddress.fromEnvironment()
        let client = OvationClient(server: address, configuration: .init(clientName: "recorder"))
        try await client.signIn(name: name)
        let room = try await client.enterRoom(id)
        try room.audio.useOutput(.recording(output))
        print("Recording \(room.state.info.name) to \(output).")

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await tellWhoSpeaks(in: room) }
            group.addTask { try await follow(room.audio) }
            group.addTask { for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return } }
            if let seconds { group.addTask { try await Task.sleep(for: .seconds(seconds)) } }
            try await group.next()
            group.cancelAll()
        }

        // Events of the sound end when nothing more can sound: then the last of it is in the file.
        let sounds = room.audio.events(replay: .all)
        await client.signOut()
        for try await _ in sounds {}
        print("\(output) is complete.")
    }

    /// Levels come from the server about five times a second while somebody speaks, 0…100, and once empty when all are silent.
    private func tellWhoSpeaks(in room: RoomSession) async throws {
        let began = ContinuousClock.now
        var speaking: Set<UserID> = []
        for try await event in room.events(replay: .all) {
            switch event {
            case .levels(let levels):
                for user in levels.keys where !speaking.contains(user) {
                    let time = (ContinuousClock.now - began).formatted(.time(pattern: .minuteSecond))
                    print("\(time)  \(room.state.profile(of: user).name)")
                }
                speaking = Set(levels.keys)
            case .connectionLost: print("The connection is lost; the file has silence until it is back.")
            case .ended(let end): return print("The room has ended (\(end.reason.rawValue)).")
            case .gone(let error): throw error
            default: continue
            }
        }
    }

    /// Until the room is over.
    private func follow(_ audio: RoomAudio) async throws {
        for await connection in audio.connectionChanges {
            switch connection {
            case .connected: print("Sound flows.")
            case .failed(let error): print("No sound: \(error.message). It is tried again.")
            case .off, .connecting, .lost, .closed: continue
            }
        }
    }
}
