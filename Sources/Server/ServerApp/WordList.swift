import Dispatch
import Foundation
import RoomModel
package import RoomPorts
import Synchronization
import Timing
package import WordLists

/// A file of words that stop a text: one on each line, `#` begins a remark. It may be changed while the server runs.
package final class WordList: TextFilter {
    /// How often the file is looked at.
    static let interval = Interval.seconds(2)
    /// Of the file: 200,000 words of 64 characters at most are read from it, most of them far shorter.
    static let byteLimit = 16 << 20

    /// What is wrong, with the line.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// What changes when the file is written anew.
    private struct Stamp: Hashable {
        var number: String
        var bytes: Int
        var modified: Date?
    }

    private struct State: Sendable {
        var filter: WordFilter
        var stamp: Stamp
        /// The last thing said about a file that does not do.
        var complaint: String?
        /// The next look.
        var alarm: RoomAlarm?
        var isStopped = false
    }

    private let path: String
    private let queue = DispatchQueue(label: "ovation.words")
    private let state: Mutex<State>

    package init(path: String) throws(Failure) {
        self.path = path
        let stamp = Self.stamp(path)
        state = Mutex(State(filter: try Self.read(path), stamp: stamp))
    }

    package var count: Int { state.withLock { $0.filter.count } }

    /// By the words as they are now.
    package func stopped(in text: String) -> String? { state.withLock { $0.filter }.stopped(in: text) }

    /// Reads a file whole.
    package static func read(_ path: String) throws(Failure) -> WordFilter {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw Failure(description: "cannot read the words \(path): \(error.localizedDescription)")
        }
        guard data.count <= byteLimit else {
            throw Failure(description: "the words \(path) have more than \(byteLimit >> 20) MiB")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure(description: "the words \(path) are no UTF-8 text")
        }
        var words: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let word = line.trimmingCharacters(in: .whitespaces.union(["\u{feff}"]))
            if word.isEmpty || word.hasPrefix("#") { continue }
            guard WordFilter.wordCharacters.contains(word.count), word.utf8.count <= 512 else {
                throw Failure(description: "\(path):\(index + 1): a word has up to 64 characters")
            }
            guard WordFilter.canFind(word) else {
                throw Failure(description: "\(path):\(index + 1): there is no letter in \"\(word)\"")
            }
            words.append(word)
            guard words.count <= WordFilter.most else {
                throw Failure(description: "the words \(path) are more than \(WordFilter.most)")
            }
        }
        return WordFilter(words)
    }

    /// Looks at the file now and then, until `stop`.
    /// - Parameter report: called, on a thread of its own, with the number of words in use, or with what is wrong, once for each thing.
    package func watch(by clock: any TimeSource, _ report: @escaping @Sendable (Result<Int, Failure>) -> Void) {
        let look: @Sendable () -> Void = { [weak self] in self?.look(by: clock, report) }
        // Files are read where a slow disk holds nobody up.
        let alarm = clock.schedule(at: clock.now + Self.interval) { [queue] in queue.async(execute: look) }
        state.withLock { state in
            if state.isStopped { alarm.cancel() } else { state.alarm = alarm }
        }
    }

    private func look(by clock: any TimeSource, _ report: @escaping @Sendable (Result<Int, Failure>) -> Void) {
        if let result = reloadIfChanged() { report(result) }
        watch(by: clock, report)
    }

    package func stop() {
        state.withLock { state in
            state.isStopped = true
            state.alarm?.cancel()
        }
    }

    /// Reads the file again if it was changed. One that does not do leaves the old words in use and is tried again.
    /// - Returns: nil if there is nothing to say.
    func reloadIfChanged() -> Result<Int, Failure>? {
        let stamp = Self.stamp(path)
        guard state.withLock({ $0.stamp != stamp }) else { return nil }
        do throws(Failure) {
            let filter = try Self.read(path)
            state.withLock { state in
                state.filter = filter
                state.stamp = stamp
                state.complaint = nil
            }
            return .success(filter.count)
        } catch {
            let isNews = state.withLock { state in
                defer { state.complaint = error.description }
                return state.complaint != error.description
            }
            return isNews ? .failure(error) : nil
        }
    }

    private static func stamp(_ path: String) -> Stamp {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return Stamp(
            number: attributes?[.systemFileNumber].map { "\($0)" } ?? "",
            bytes: (attributes?[.size] as? NSNumber)?.intValue ?? -1,
            modified: attributes?[.modificationDate] as? Date)
    }
}
