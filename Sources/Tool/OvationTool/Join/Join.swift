import ArgumentParser
import Foundation
import Ovation
import UserSig

/// `ovation join`: a person without a screen.
struct Join: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a room headlessly: play a file into it, and record what it hears.",
        discussion: """
            A singer:     ovation join --name Mina --room 48213 --seat 1 --play song.wav
            A listener:   ovation join --name Ear --room 48213 --record heard.wav --for 60
            A new room:   ovation join --name Olga --create "Evening salon" --seat 0 --tone 440
            A duet:       ovation join --name Mina --create "Duet" --room 7 --seat 0 --song morning --play mina.wav
                          ovation join --name Juno --room 7 --seat 1 --along --play juno.wav
            As a user:    OVATION_KEY=… ovation join --app 1400000002 --user mina --room 48213 --seat 1

            It ends with the file that it plays, with the song that it started or sings along with, after --for seconds, \
            with the room, or on Ctrl-C; then it leaves in order. A song that it uploads stays in the library. \
            With --json each thing that happens is one line of JSON on the standard output. \
            Exit code: 0 when all went well, 1 when not, with the reason.
            """)

    @Option(help: "The server, http: or https:. [default: OVATION_SERVER, else http://127.0.0.1:8080]")
    var server: String?
    @Option(help: "Certificates to trust (PEM), for a server with a self-signed certificate.")
    var trust: String?

    @Option(help: "Sign in with this name, where the server issues tickets (--dev, --lan, guests).")
    var name: String?
    @Option(help: "Application (SDKAppID), for signing in as a user.")
    var app: UInt32?
    @Option(help: "User id, for signing in as a user.")
    var user: String?
    @Option(help: "The user's ticket (UserSig).")
    var ticket: String?
    @Option(help: "Secret key to create the ticket with. [default: OVATION_KEY]")
    var key: String?

    @Option(
        help: "The room's link, or its id: a number, or ~text for an id that is text. A link names the server too.")
    var room: String?
    @Option(help: "Create a room with this name, and with the id of --room if given.")
    var create: String?
    @Flag(help: "Create a room for songs (kind chorus). Implied by --song.")
    var chorus = false
    @Option(help: "Take this seat, counted from 0. If the room requires a request, send it and wait for the answer.")
    var seat: Int?

    @Option(help: "Play this file or URL as the voice.")
    var play: String?
    @Flag(help: "Repeat it.")
    var loop = false
    @Flag(
        help: """
            Keep --play at the place of the room's song: its second N is sung at the song's second N, and nothing while no song \
            plays. So it is anyway with --song, and where a song plays already when one comes in.
            """)
    var along = false

    @Option(
        help: """
            Start this song for everybody, once seated: one of the library by id or title, or a sound file, which is uploaded first.
            """)
    var song: String?
    @Option(help: "Which recording of the song: accompaniment, original.")
    var track: Recording = .accompaniment
    @Option(help: "The file with the first singer's voice, for a song that is uploaded.")
    var original: String?
    @Option(help: "The file with the lyrics (LRC or WebVTT), for a song that is uploaded.")
    var lyrics: String?

    @Option(help: "Play a tone of this frequency (Hz) as the voice.")
    var tone: Double?
    @Flag(help: "Use the system's microphone as the voice.")
    var microphone = false
    @Option(help: "Record to this WAV file.")
    var record: String?
    @Flag(help: "Play the room on the system's loudspeaker.")
    var speaker = false
    @Option(help: "Quality of the voice: speech, standard or music.")
    var quality: Quality = .standard
    @Option(
        help: "Effects on the voice, such as reverb=ktv,pitch=3 (semitones): see Documentation/build/effects.md."
    )
    var effects: Effects = Effects()

    @Option(help: "Send this chat message after entering. Repeatable.")
    var say: [String] = []
    @Option(name: .customLong("for"), help: "Leave after this many seconds.")
    var seconds: Double?
    @Flag(help: "Print one line of JSON per event.")
    var json = false

    func validate() throws {
        guard room != nil || create != nil else { throw ValidationError("--room says where to, or --create makes one") }
        guard (name != nil) != (user != nil) else { throw ValidationError("sign in by --name, or by --app and --user") }
        if user != nil {
            guard app != nil else { throw ValidationError("--user needs --app") }
            guard ticket != nil || secret != nil else {
                throw ValidationError("--user needs --ticket, or a key to make one with: --key or OVATION_KEY")
            }
        }
        if let room { _ = try Self.roomID(room) }
        guard [play != nil, tone != nil, microphone].count(where: { $0 }) <= 1 else {
            throw ValidationError("one voice: --play, --tone or --microphone")
        }
        guard !(record != nil && speaker) else { throw ValidationError("one ear: --record or --speaker") }
        if let tone, !(20...20_000).contains(tone) { throw ValidationError("--tone is 20…20000 Hz") }
        if let seconds, !(0...86_400).contains(seconds) { throw ValidationError("--for is 0…86400 seconds") }
        if let seat, !(0..<16).contains(seat) { throw ValidationError("--seat is 0…15") }
        if loop, play == nil { throw ValidationError("--loop goes with --play") }
        if along, play == nil { throw ValidationError("--along goes with --play") }
        if loop, along || song != nil { throw ValidationError("what is sung along with a song is not looped") }
        if chorus, create == nil { throw ValidationError("--chorus goes with --create") }
        if track != .accompaniment, song == nil { throw ValidationError("--track goes with --song") }
        if original != nil || lyrics != nil {
            guard let song, Self.isFile(song) else {
                throw ValidationError("--original and --lyrics go with a --song that is a file")
            }
        }
    }

    static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    func run() async throws {
        let report = JoinReport(asJSON: json)
        do {
            try await Visit(self, report).run()
        } catch let error as OvationError {
            report.failed(error)
            throw ExitCode.failure
        }
    }

    /// Where and as whom; the tickets of a user with a key renew themselves.
    func client() throws -> OvationClient {
        let linked = room.flatMap { try? RoomLink($0) }?.server
        let address = try server.map { try ServerAddress($0) } ?? linked ?? ServerAddress.fromEnvironment()
        var configuration = OvationClient.Configuration()
        configuration.clientName = "ovation join"
        if let trust { configuration.trustRoots = .file(trust) }
        if user != nil, ticket == nil { configuration.renewTicket = { try ownTicket() } }
        return OvationClient(server: address, configuration: configuration)
    }

    func signIn(_ client: OvationClient) async throws -> UserProfile {
        if let name { return try await client.signIn(name: name) }
        guard let app, let user = user.flatMap(UserID.init) else {
            throw ValidationError("a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
        }
        return try await client.signIn(app: ApplicationID(app), user: user, ticket: try ticket ?? ownTicket())
    }

    private var secret: String? { key ?? ProcessInfo.processInfo.environment["OVATION_KEY"] }

    private func ownTicket() throws -> String {
        guard let app, let user, let secret else { throw ValidationError("--user needs --app and a key") }
        do throws(TicketSigner.Failure) {
            return try TicketSigner(application: app, key: secret)
                .ticket(user: user, issuedAt: Int64(Date().timeIntervalSince1970), lifetime: 86_400)
        } catch {
            throw ValidationError("a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
        }
    }

    /// A whole link, or its last part: `48213` is the number, `~48213` and `my salon` are texts.
    static func roomID(_ text: String) throws -> RoomID {
        if text.contains("://") { return try RoomLink(text).room }
        guard let id = RoomLink.room(text) else {
            throw ValidationError(
                "\(text.debugDescription) is no room ID: use a number from 1 to 4294967294, or a text, with ~ before one of digits"
            )
        }
        return id
    }
}

enum Quality: String, ExpressibleByArgument, CaseIterable {
    case speech, standard, music

    var audio: AudioQuality {
        switch self {
        case .speech: .speech
        case .standard: .standard
        case .music: .music
        }
    }
}

enum Recording: String, ExpressibleByArgument, CaseIterable {
    case accompaniment, original

    var track: SongTrack { self == .original ? .original : .accompaniment }
}

/// `reverb=ktv,voice=lolita,pitch=3`
struct Effects: ExpressibleByArgument {
    var reverb = ReverbPreset.off
    var voice = VoicePreset.off
    var pitch = 0.0

    init() {}

    init?(argument: String) {
        for part in argument.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { return nil }
            switch pair[0] {
            case "reverb":
                guard let preset = ReverbPreset.allCases.first(where: { "\($0)" == pair[1] }) else { return nil }
                reverb = preset
            case "voice":
                guard let preset = VoicePreset.allCases.first(where: { "\($0)" == pair[1] }) else { return nil }
                voice = preset
            case "pitch":
                guard let semitones = Double(pair[1]), (-12...12).contains(semitones) else { return nil }
                pitch = semitones
            default: return nil
            }
        }
    }

    var defaultValueDescription: String { "none" }
}
