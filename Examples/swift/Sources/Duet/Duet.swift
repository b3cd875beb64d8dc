// Two people sing to one song. Run it twice: the first makes the room, the second joins by the number that the first prints.
import ArgumentParser
import Ovation
import UnixSignals

@main
struct Duet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A duet without a screen: two seats, one song, everybody in time.",
        discussion: """
            duet --name Olga --song harbour-lights --voice olga.wav
            duet --name Mina --room 48213 --voice mina.wav --record heard.wav

            The song starts when both sit, and the program ends with it. `duet --list` shows the server's songs.
            """)

    /// Names the track of the voice.
    private static let voice: Int32 = 1

    @Option(help: "The server. [default: OVATION_SERVER, else http://127.0.0.1:8080]") var server: String?
    @Option(help: "Your name.") var name = "Singer"
    @Option(help: "Join this room on seat 1. Without it a room is made, and you sit on seat 0.") var room: UInt32?
    @Option(help: "A song of the server by its id, or the address of a sound file. [default: the first of the server]")
    var song: String?
    @Option(help: "How long the song is in seconds, where it is given by its address.") var length: Double?
    @Option(help: "Your voice: a sound file that begins with the song.") var voice: String?
    @Option(help: "Your voice: a tone of so many Hz.") var tone: Double?
    @Flag(help: "Your voice: the system's microphone.") var microphone = false
    @Option(help: "Write what you hear to this WAV file. Without it the loudspeaker is used with --microphone.")
    var record: String?
    @Flag(help: "Show the server's songs and end.") var list = false

    func run() async throws {
        let address = try server.map { try ServerAddress($0) } ?? ServerAddress.fromEnvironment()
        let client = OvationClient(server: address, configuration: .init(clientName: "duet"))
        if list {
            for song in try await client.songs() {
                print("\(song.id)  \(song.title), \(song.duration.components.seconds) s")
            }
            return
        }
        let song = room == nil ? try await chosenSong(client) : nil
        try await client.signIn(name: name)
        let room = try await enter(client)
        try prepare(room.audio)
        let events = room.events(replay: .all)
        try await room.takeSeat(song == nil ? 1 : 0)
        if song != nil { print("Waiting. The other singer: duet --name … --room \(room.id)") }

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sing(song, in: room, events) }
            group.addTask { for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return } }
            try await group.next()
            group.cancelAll()
        }
        let sounds = room.audio.events(replay: .all)
        await client.signOut()
        for try await _ in sounds {}  // A recording is whole when the events of the sound have ended.
    }

    private func chosenSong(_ client: OvationClient) async throws -> Song {
        if let song, song.contains("://") {
            guard let length else { throw ValidationError("--song by its address needs --length, in seconds") }
            return Song(id: "own", title: song, duration: .seconds(length), accompaniment: song)
        }
        let songs = try await client.songs()
        guard let found = song == nil ? songs.first : songs.first(where: { $0.id == song }) else {
            throw ValidationError("the server has no such song; --list shows them")
        }
        return found
    }

    private func enter(_ client: OvationClient) async throws -> RoomSession {
        guard let room else {
            return try await client.createRoom(RoomDraft(name: "\(name)'s duet", kind: .chorus, seats: 2))
        }
        guard let id = RoomID(number: room) else { throw ValidationError("\(room) is no room number") }
        return try await client.enterRoom(id)
    }

    private func prepare(_ audio: RoomAudio) throws(OvationError) {
        audio.quality = .music
        if let tone { try audio.useInput(.tone(frequency: tone, amplitude: 0.2)) }
        if microphone { try audio.useInput(.microphone(nil)) }
        if let record { try audio.useOutput(.recording(record)) }
        if microphone, record == nil { try audio.useOutput(.speaker(nil)) }
    }

    /// Who brings a song starts it when the other sits. From then on the server's word counts, for both alike: `play` says what is
    /// sung and when it began, whoever started, paused or moved it. The song itself is played by the SDK (`room.audio.singing`): every
    /// singer's own copy at its place on the server's clock, so that it sounds at the same moment for both.
    private func sing(_ song: Song?, in room: RoomSession, _ events: EventStream<RoomSession.Event>) async throws {
        if let play = room.state.play { raiseVoice(to: play, in: room.audio) }  // It was begun already.
        for try await event in events {
            switch event {
            case .seatTaken(let taken) where taken.user.id != room.state.me.id:
                print("\(taken.user.name) sits on seat \(taken.seat.index).")
                if let song, room.state.play == nil { try await room.startSong(song) }
            case .songChanged(let change):
                guard let play = change.play else { return print("The song has \(change.reason.rawValue).") }
                print("\(play.song.title): \(change.reason.rawValue).")
                raiseVoice(to: play, in: room.audio)
            case .ended(let end): return print("The room has ended (\(end.reason.rawValue)).")
            case .gone(let error): throw error
            default: continue
            }
        }
    }

    /// A voice out of a file is a track that only the others hear, placed as the song is: it begins with the song, and whoever comes
    /// late begins in its middle.
    private func raiseVoice(to play: SongPlay, in audio: RoomAudio) {
        guard let voice else { return }
        audio.stopMusic(Self.voice)
        guard let starts = play.starts else { return }  // Paused.
        var track = MusicTrack(id: Self.voice, source: voice)
        track.start = play.position
        track.starts = starts
        track.controls.isPublished = true
        track.controls.localVolume = 0
        audio.playMusic(track)
    }
}
