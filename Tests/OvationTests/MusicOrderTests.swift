import AudioGraph
import Dispatch
import Foundation
import Testing

@testable import Ovation

/// Music in a room whose devices take their time.
@Suite struct MusicOrderTests {
    private let audio: RoomAudio

    init() throws { audio = RoomAudio(isOn: true, clock: RoomClock(), server: try ServerAddress("127.0.0.1:1")) }

    private func withTrack(_ body: (MusicTrack) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wav")
        try WAVFile.tone(seconds: 30, period: 20).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(MusicTrack(id: 7, source: file.path))
    }

    @Test("V15-K what is said of a track after it was played reaches it, although a device is being started")
    func order() async throws {
        try await withTrack { track in
            let events = audio.events(replay: .all)
            let isReady = DispatchSemaphore(value: 0)
            audio.work { _ in isReady.wait() }
            audio.playMusic(track)
            #expect(audio.musicPosition(7) == .zero)
            audio.stopMusic(7)
            isReady.signal()
            for try await event in events {
                guard case .musicEnded(let id, let error) = event else { continue }
                #expect(id == 7 && error == nil)
                break
            }
            #expect(audio.musicPosition(7) == nil)
            // A whole life: what holds the engine ends with it.
            audio.finish()
        }
    }

    @Test("V15-K A12-K in a room that is over nothing plays")
    func overRoom() async throws {
        try await withTrack { track in
            audio.finish()
            audio.playMusic(track)
            #expect(audio.musicPosition(7) == nil)
            await withCheckedContinuation { done in audio.work { _ in done.resume() } }
            #expect(audio.musicPosition(7) == nil)
        }
    }
}
