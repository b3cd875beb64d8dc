internal import Dispatch
internal import Foundation
internal import Ovation
internal import Platform
internal import SignalProtocol

/// What `startPlayMusic` and its likes act on: the song of the room, which everybody hears at one instant, or a track of one's own
/// where the others cannot open the file.
final class SongPlayer: Sendable {
    private struct State {
        /// Grows with each start and stop: a start that still opens its file then is not wanted any more.
        var calls = 0
        /// The track of one's own that plays, and the call that started it.
        var own: (id: Int32, call: Int)?
    }

    private let controller: RoomController
    private let state = Mutex(State())
    /// Not the caller's thread: opening a file over the network takes its time. What is called meanwhile comes after it.
    private let queue = DispatchQueue(label: "ovation.chorus.song")

    init(_ controller: RoomController) { self.controller = controller }

    // MARK: - Calls

    func play(_ id: Int32, _ url: String) {
        guard controller.room != nil, let server = controller.server else { return refuse(id, "enter a room first") }
        guard let address = Self.address(url, on: server) else { return playOwn(id, url) }
        let (former, call) = state.withLock { state in
            state.calls += 1
            defer { state.own = nil }
            return (state.own?.id, state.calls)
        }
        if let former { controller.sound.stop(former) }
        queue.async { [weak self] in self?.start(id, address, on: server, call) }
    }

    func stop() {
        let own = state.withLock { state in
            state.calls += 1
            defer { state.own = nil }
            return state.own?.id
        }
        if let own { controller.sound.stop(own) } else { ask(.stopSong) }
    }

    func pause() { if let own { controller.sound.pause(own) } else { ask(.pauseSong) } }

    func resume() {
        if let own { controller.sound.resume(own) } else { ask(.resumeSong(ResumeSong(leadMs: SongLead.resume))) }
    }

    private var own: Int32? { state.withLock { $0.own?.id } }

    private func refuse(_ id: Int32, _ why: String) {
        controller.tell(.error(TRTCCode.failed, "music \(id) cannot be played: \(why)"))
    }

    // MARK: - The room's song

    private func start(_ id: Int32, _ address: String, on server: ServerAddress, _ call: Int) {
        guard let room = controller.room else { return refuse(id, "enter a room first") }
        guard !isSung(id, in: room) else { return }
        let milliseconds: Int
        do throws(OvationError) {
            milliseconds =
                try MusicTrack.duration(of: server.resolve(address), certificates: OvationServer.certificate)
                .milliseconds
        } catch { return refuse(id, error.message) }
        // Opening took its time: somebody may have changed their mind, somebody else may have been faster.
        guard state.withLock({ $0.calls }) == call, !isSung(id, in: room) else { return }
        let song = Song(
            id: String(id), title: Self.title(of: address) ?? String(id), durationMs: Int64(milliseconds),
            accompaniment: address)
        room.perform(.startSong(SongDraft(song: song))) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.controller.tell(.error(error.outcome.code, error.outcome.message))
        }
    }

    /// Apps of the published component start the song that they are told of in `onReceiveAnchorSendChorusMsg`: it plays already.
    private func isSung(_ id: Int32, in room: RoomSession) -> Bool {
        guard let play = room.state.play else { return false }
        return play.song.id == String(id) && play.by != room.state.me.id
    }

    /// Without a song there is nothing to be stopped, and nothing to complain of.
    private func ask(_ command: RoomCommand) {
        queue.async { [controller] in
            guard let room = controller.room else { return }
            room.perform(command) { result in
                guard case .failure(let error) = result, error.code != .noSong, room.state.play != nil else { return }
                controller.tell(.error(error.outcome.code, error.outcome.message))
            }
        }
    }

    /// How everybody in the room reaches it; `nil`: a file of this machine. What the server has itself is named as the server names
    /// it, and so comes into the mix that the audience hears.
    static func address(_ url: String, on server: ServerAddress) -> String? {
        let base = server.description
        if url.hasPrefix(base + "/") { return String(url.dropFirst(base.count)) }
        let scheme = url.prefix(8).lowercased()
        if scheme.hasPrefix("http://") || scheme.hasPrefix("https://") { return url }
        return url.hasPrefix("/songs/") && !FileManager.default.fileExists(atPath: url) ? url : nil
    }

    /// The file's name, as a title has to be.
    static func title(of address: String) -> String? {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard let last = path.split(separator: "/").last else { return nil }
        let name = (String(last).removingPercentEncoding ?? String(last)) as NSString
        var title = name.deletingPathExtension.filter { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
        title = String(title.prefix(100))
        while title.utf8.count > 400 { title.removeLast() }
        return title.isEmpty ? nil : title
    }

    // MARK: - A track of one's own

    private func playOwn(_ id: Int32, _ path: String) {
        let (former, call) = state.withLock { state in
            state.calls += 1
            defer { state.own = (id, state.calls) }
            return (state.own?.id, state.calls)
        }
        if let former, former != id { controller.sound.stop(former) }
        // One piece at a time; the song of somebody else is theirs.
        if let room = controller.room, room.state.play?.by == room.state.me.id { ask(.stopSong) }
        let isPlaying = controller.sound.play(MusicTrack(id: id, source: path)) { [weak self] in
            self?.hear(id, call, $0)
        }
        guard !isPlaying else { return }
        forget(call)
        refuse(id, "enter a room first")
    }

    private func hear(_ id: Int32, _ call: Int, _ news: MusicNews) {
        switch news {
        case .started: controller.tell(.musicStarted(id))
        case .progress(let milliseconds, let total):
            controller.tell(.musicProgress(id, milliseconds: milliseconds, of: total))
        case .finished:
            forget(call)
            controller.tell(.musicCompleted(id))
        case .failed(let reason):
            forget(call)
            refuse(id, reason)
        }
    }

    private func forget(_ call: Int) { state.withLock { if $0.own?.call == call { $0.own = nil } } }
}
