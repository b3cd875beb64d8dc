import Ovation
import Synchronization

/// The line of the song that is sung now.
final class WordsOnScreen: Sendable {
    private let client: OvationClient
    private let report: JoinReport
    private let known = Mutex<(song: Song, lyrics: Lyrics)?>(nil)

    init(_ client: OvationClient, _ report: JoinReport) {
        self.client = client
        self.report = report
    }

    /// Reads a song's words. Without them there is nothing to show, and the singing goes on.
    func fetch(_ song: Song) {
        guard song.lyrics != nil, known.withLock({ $0?.song != song }) else { return }
        known.withLock { $0 = (song, Lyrics("")) }
        Task {  // ends with the answer, or its time limit
            do throws(OvationError) {
                guard let lyrics = try await client.lyrics(of: song) else { return }
                known.withLock { if $0?.song == song { $0 = (song, lyrics) } }
            } catch {
                report.tell("lyrics_failed", ["song": .text(song.id), "message": .text(error.message)])
            }
        }
    }

    func line(of progress: SongProgress) -> String? {
        known.withLock { $0?.song == progress.song ? $0?.lyrics.line(at: progress.position)?.text : nil }
    }
}
