import Foundation
import Ovation
import ServerTestSupport
import Testing

// What Documentation/build/guide.md shows under "A client in Swift": each block there stands here line by line
// (Tests/House/test_guide_snippets.py), so that it compiles.

func signInAsTheGuideDoes(user: UserID, ticket: String, askMyServer: @escaping @Sendable () async throws -> String)
    async throws -> OvationClient
{
    var configuration = OvationClient.Configuration(clientName: "my-app")
    configuration.renewTicket = { try await askMyServer() }  // before the ticket runs out; the seat is kept
    let client = OvationClient(server: try ServerAddress("https://salon.example"), configuration: configuration)
    try await client.signIn(app: ApplicationID(1_400_000_002), user: user, ticket: ticket, name: "Alice")
    return client
}

func enterAsTheGuideDoes(_ client: OvationClient, show: (RoomState) -> Void) async throws {
    let room = try await client.enterRoom(.number(48213))  // or createRoom(RoomDraft(name: "Evening salon"))
    print(room.state.info.name, room.state.memberCount, room.state.mySeat as Any)
    for await state in room.changes { show(state) }  // now, and after each change; the newest if several came
}

func sitAsTheGuideDoes(_ room: RoomSession) async throws {
    do {
        try await room.takeSeat(1)
    } catch let error where error.code == .consentRequired {
        try await room.requestSeat(1, timeout: .seconds(60))
    }
}

func hearEventsAsTheGuideDoes(_ room: RoomSession) async throws {
    for try await event in room.events(replay: .all) {  // what happened since the room was entered, then what happens
        switch event {
        case .message(let message): print(message.from.name, message.body)
        case .seatTaken(let taken): print(taken.user.name, "sits on", taken.seat.index)
        case .invitation(let news) where news.invitation.from == room.state.me.id && news.invitation.state == .accepted:
            try await room.takeSeat(Int(news.invitation.content) ?? 0)
        case .invitation(let news) where news.invitation.to == room.state.me.id && news.invitation.state == .waiting:
            try await room.acceptInvitation(news.invitation.id)
        case .ended(let end): print("over:", end.reason, "at most", end.summary.peak, "people")
        default: break
        }
    }
}

func soundAsTheGuideDoes(_ room: RoomSession) throws {
    try room.audio.useInput(.microphone(nil))  // or .file("voice.wav", loops: false), .tone(…)
    try room.audio.useOutput(.speaker(nil))  // or .recording("heard.wav")
    try room.audio.useRoute(.speaker)  // .receiver: `not_supported` where the device has none
    room.audio.quality = .music
    room.audio.reverb = .ktv
    room.audio.voicePitch = 3  // semitones
    var song = MusicTrack(id: 1, source: "song.mp3")
    song.controls.isPublished = true  // others hear it too
    room.audio.playMusic(song)
}

func fallAsTheGuideDoes(_ room: RoomSession) async {
    do {
        try await room.moveSeat(to: 2)
    } catch {
        if error.code == .seatTaken { return print("somebody was faster") }
        print(error.code, error.number, error.message)  // too_frequent, 10001, at most one call a second
    }
}

func followTheConnectionAsTheGuideDoes(_ client: OvationClient) async throws {
    for try await event in client.events {
        switch event {
        case .connectionLost(let error): print("lost:", error.message)
        case .connectionRestored: print("back")
        case .signedOut(let error): return print("for good:", error.code)
        default: break
        }
    }
}

func singAsTheGuideDoes(_ client: OvationClient, _ room: RoomSession) async throws {
    let songs = try await client.songs()
    if let song = songs.first { try await room.startSong(song) }
}

func bringASongAsTheGuideDoes(
    _ client: OvationClient, _ room: RoomSession, file: URL, words: URL, show: @escaping @Sendable (Double) -> Void
) async throws {
    let mine = try await client.uploadSong(title: "Evening song", audio: file, lyrics: words) { sent in show(sent) }
    try await room.startSong(mine, track: .accompaniment, lead: .seconds(5))
    try room.audio.useInput(.alongSong("my voice.wav"))
    try await client.deleteSong(mine.id)
}

func uploadFacesAsTheGuideDoes(_ client: OvationClient, _ room: RoomSession, photo: Data, scene: Data) async throws {
    let face = try await client.uploadFace(photo, as: .avatar, crop: Face.Crop(x: 0.2, y: 0, width: 0.6, height: 0.6))
    try await client.setProfile(avatar: face.picture)
    let cover = try await client.uploadFace(scene, as: .cover)  // without a crop: the middle
    try await room.update(cover: cover.picture)
    let kept = [face.id, cover.id]
    for old in try await client.faces() where !kept.contains(old.id) { try await client.removeFace(old.id) }
}

extension LiveServerTests {
    /// What the guide shows, where it can run without equipment.
    @Suite struct GuideTests {
        @Test("the guide's way to a seat and its way of refusals hold against a server")
        func guide() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signIn("alice")
                let salon = try await owner.createRoom(RoomDraft(name: "Salon", needsRequest: true, seats: 3))
                let guest = try await server.signIn("bob")
                let room = try await guest.enterRoom(salon.id)
                let hearing = Task { try await hearEventsAsTheGuideDoes(salon) }
                let following = Task { try await hearEventsAsTheGuideDoes(room) }
                try await sitAsTheGuideDoes(room)
                #expect(await room.changes.first { $0.mySeat == 1 } != nil, "asked, accepted, seated")
                await fallAsTheGuideDoes(room)
                #expect(room.state.mySeat == 2)
                try await salon.destroy()
                try await hearing.value
                try await following.value
            }
        }
    }
}
