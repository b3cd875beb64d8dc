import Foundation
import Ovation
import UnixSignals

/// One stay in a room, from signing in to leaving in order.
struct Visit {
    /// Why it was time to go.
    enum Ending: Sendable {
        case played
        /// The song that was started here, or sung along with.
        case songOver
        case timeIsUp
        case interrupted
        /// The room's end, or the session's.
        case roomOver(String)
        case failed(OvationError)
    }

    /// How long a request for a seat is waited for: whoever asks by a script wants to know.
    static let patience = Duration.seconds(120)
    /// What the file's last words need to reach the others, and to be written there.
    static let afterlude = Duration.milliseconds(500)
    /// How long the leaving may take before the process goes anyway.
    static let farewell = Duration.seconds(5)

    private let join: Join
    private let report: JoinReport

    init(_ join: Join, _ report: JoinReport) {
        self.join = join
        self.report = report
    }

    func run() async throws {
        let client = try join.client()
        let me = try await join.signIn(client)
        report.tell("signed_in", ["user": .text(me.id.rawValue), "name": .text(me.name)])
        let room = try await enter(client)
        report.entered(room)
        var ending = Ending.timeIsUp
        do {
            let (news, sounds) = (room.events(replay: .all), room.audio.events(replay: .all))
            let isAlong = try prepare(room)
            try await sit(in: room)
            for text in join.say { _ = try await room.send(text) }
            if let wanted = join.song { try await SongAdmin(join, client, report).start(wanted, in: room) }
            ending = try await stay(
                in: room, of: client, news, sounds, untilSongIsOver: isAlong || join.song != nil)
        } catch {
            await leave(client, room)
            throw error
        }
        let heard = report.summary(of: room)
        await leave(client, room)
        report.finished(ending, heard, recording: join.record)
        if case .failed(let error) = ending { throw error }
    }

    private func enter(_ client: OvationClient) async throws -> RoomSession {
        let id = try join.room.map(Join.roomID)
        if let name = join.create { return try await client.createRoom(draft(name, id)) }
        guard let id else { throw OvationError(.roomIDInvalid) }
        return try await client.enterRoom(id)
    }

    private func draft(_ name: String, _ id: RoomID?) -> RoomDraft {
        RoomDraft(name: name, id: id, kind: join.chorus || join.song != nil ? .chorus : .voice)
    }

    /// - Returns: whether the voice is sung along with the room's song.
    private func prepare(_ room: RoomSession) throws(OvationError) -> Bool {
        let audio = room.audio
        audio.quality = join.quality.audio
        audio.reverb = join.effects.reverb
        audio.voiceChanger = join.effects.voice
        audio.voicePitch = join.effects.pitch
        if let path = join.record { try audio.useOutput(.recording(path)) }
        if join.speaker { try audio.useOutput(.speaker(nil)) }
        let isAlong = join.play != nil && (join.along || join.song != nil || room.state.play != nil && !join.loop)
        if let path = join.play {
            try audio.useInput(isAlong ? .alongSong(path) : .file(path, loops: join.loop))
        }
        if let tone = join.tone { try audio.useInput(.tone(frequency: tone, amplitude: 0.25)) }
        if join.microphone { try audio.useInput(.microphone(nil)) }
        return isAlong
    }

    // MARK: A seat

    private func sit(in room: RoomSession) async throws {
        guard let seat = join.seat else { return }
        let events = room.events
        do {
            try await room.takeSeat(seat)
        } catch let error where error.code == .consentRequired {
            try await ask(for: seat, in: room, events)
            try await room.takeSeat(seat)
        }
        report.tell("seated", ["seat": .number(Double(seat))])
    }

    /// As pages ask, so that their owners' pages understand.
    private func ask(for seat: Int, in room: RoomSession, _ events: EventStream<RoomSession.Event>) async throws {
        let owner = room.state.info.owner
        let request = try await room.requestSeat(seat)
        report.tell("asked", ["seat": .number(Double(seat)), "owner": .text(owner.id.rawValue)])
        let isAccepted = try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask {
                for try await event in events {
                    guard case .invitation(let news) = event, news.invitation.id == request.id else { continue }
                    switch news.invitation.state {
                    case .accepted: return true
                    case .waiting: continue
                    case .rejected, .cancelled, .expired: return false
                    }
                }
                return false
            }
            group.addTask {
                try await Task.sleep(for: Visit.patience)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        switch isAccepted {
        case true?: return
        case false?: throw OvationError(.consentRequired, "the request for seat \(seat) was refused")
        case nil:
            try? await room.cancelInvitation(request.id)
            throw OvationError(.timeout, "nobody answered the request for seat \(seat)")
        }
    }

    // MARK: Staying

    private func stay(
        in room: RoomSession, of client: OvationClient, _ news: EventStream<RoomSession.Event>,
        _ sounds: EventStream<RoomAudio.Event>, untilSongIsOver: Bool
    ) async throws -> Ending {
        let words = WordsOnScreen(client, report)
        return await withTaskGroup(of: Ending?.self) { group in
            group.addTask { await self.follow(news) }
            group.addTask { await self.follow(sounds, words, untilSongIsOver: untilSongIsOver) }
            group.addTask { await self.watch(room, words) }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return .interrupted }
                return nil
            }
            if let seconds = join.seconds {
                group.addTask { (try? await Task.sleep(for: .seconds(seconds))) == nil ? nil : .timeIsUp }
            }
            defer { group.cancelAll() }
            for await ending in group {
                if let ending { return ending }
            }
            return .timeIsUp
        }
    }

    private func follow(_ events: EventStream<RoomSession.Event>) async -> Ending? {
        do {
            for try await event in events {
                report.tell(event)
                switch event {
                case .ended(let end): return .roomOver("the room has ended (\(end.reason.rawValue))")
                case .gone(let error): return .failed(error)
                default: continue
                }
            }
        } catch {
            return .failed(error)
        }
        return nil
    }

    private func follow(
        _ events: EventStream<RoomAudio.Event>, _ words: WordsOnScreen, untilSongIsOver: Bool
    ) async -> Ending? {
        do {
            for try await event in events {
                report.tell(event)
                switch event {
                case .inputEnded(nil):
                    try? await Task.sleep(for: Visit.afterlude)
                    return .played
                case .inputEnded(let error?): return .failed(error)
                case .microphoneFailed(let error): return .failed(error)
                case .songPrepared(let song): words.fetch(song)
                case .songCompleted where untilSongIsOver:
                    try? await Task.sleep(for: Visit.afterlude)
                    return .songOver
                default: continue
                }
            }
        } catch {
            return .failed(error)
        }
        return nil
    }

    /// The line at the bottom of the terminal, and once a second who is heard.
    private func watch(_ room: RoomSession, _ words: WordsOnScreen) async -> Ending? {
        var tick = 0
        while (try? await Task.sleep(for: JoinReport.period)) != nil {
            tick += 1
            let line = room.audio.song.flatMap { words.line(of: $0) }
            report.progress(of: room, tick: tick, words: line)
        }
        return nil
    }

    private func leave(_ client: OvationClient, _ room: RoomSession) async {
        let sounds = room.audio.events
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await client.signOut()
                // The recording is whole when nothing more can sound.
                do { for try await _ in sounds {} } catch {}
            }
            group.addTask { try? await Task.sleep(for: Visit.farewell) }
            await group.next()
            group.cancelAll()
        }
    }
}
