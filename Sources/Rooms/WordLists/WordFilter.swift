import RoomModel
import Texts

/// Finds words of a list in a text, in a time that grows with the text alone (Aho and Corasick, 1975). G03.
///
/// The states are numbered breadth first, so that the children of each stand together: a step is a search among them, and 100,000 words
/// take some ten megabytes.
package struct WordFilter: TextFilter {
    /// Words that a list may have. The list of a large platform has about 100,000.
    package static let most = 200_000
    /// Characters of one line of the list.
    package static let wordCharacters = 1...64

    private struct State {
        /// The scalar that leads here.
        var scalar: UInt32
        var firstChild: UInt32 = 0
        var childCount: UInt32 = 0
        /// Where the search goes on when no child fits: the longest end of what was read that begins a word.
        var fallback: UInt32 = 0
        /// The word that ends here; -1: none.
        var word: Int32 = -1
    }

    private let words: [String]
    private var states: [State]

    /// Lines in which there is no letter find nothing.
    package init(_ lines: some Sequence<String>) {
        var patterns: [(scalars: [UInt32], line: String)] = lines.compactMap { line in
            PlainText(word: line).map { ($0.scalars, line) }
        }
        patterns.sort { $0.scalars.lexicographicallyPrecedes($1.scalars) }
        words = patterns.map(\.line)
        states = [State(scalar: 0)]
        plant(patterns.map(\.scalars))
        link()
    }

    package var isEmpty: Bool { words.isEmpty }
    package var count: Int { words.count }

    /// Whether there is a letter in that line of a list.
    package static func canFind(_ line: String) -> Bool { PlainText(word: line) != nil }

    package func stopped(in text: String) -> String? {
        guard !isEmpty else { return nil }
        for reading in JSONEscapes.readings(of: text) {
            if let word = stopped(inPlain: reading) { return word }
        }
        return nil
    }

    private func stopped(inPlain text: String) -> String? {
        var state: UInt32 = 0
        for scalar in PlainText(text).scalars {
            state = next(state, scalar)
            let word = states[Int(state)].word
            if word >= 0 { return words[Int(word)] }
        }
        return nil
    }

    // MARK: Building

    /// Makes the tree of the sorted words.
    private mutating func plant(_ patterns: [[UInt32]]) {
        /// Words `range` begin with what leads to `state`, and have `depth` scalars in common.
        var waiting: [(state: Int, range: Range<Int>, depth: Int)] = [(0, patterns.indices, 0)]
        var index = 0
        while index < waiting.count {
            let (state, range, depth) = waiting[index]
            index += 1
            var start = range.lowerBound
            while start < range.upperBound, patterns[start].count == depth {
                states[state].word = Int32(start)
                start += 1
            }
            states[state].firstChild = UInt32(states.count)
            while start < range.upperBound {
                let scalar = patterns[start][depth]
                var end = start + 1
                while end < range.upperBound, patterns[end][depth] == scalar { end += 1 }
                waiting.append((states.count, start..<end, depth + 1))
                states.append(State(scalar: scalar))
                states[state].childCount += 1
                start = end
            }
        }
    }

    /// Says where each state falls back to, the shallow ones first.
    private mutating func link() {
        for state in states.indices {
            let from = states[state]
            for child in Int(from.firstChild)..<Int(from.firstChild + from.childCount) {
                if state != 0 { states[child].fallback = next(from.fallback, states[child].scalar) }
                if states[child].word < 0 { states[child].word = states[Int(states[child].fallback)].word }
            }
        }
    }

    // MARK: Searching

    private func next(_ state: UInt32, _ scalar: UInt32) -> UInt32 {
        var state = state
        while true {
            if let child = child(of: state, scalar) { return child }
            if state == 0 { return 0 }
            state = states[Int(state)].fallback
        }
    }

    private func child(of state: UInt32, _ scalar: UInt32) -> UInt32? {
        let from = states[Int(state)]
        var low = from.firstChild
        var high = low + from.childCount
        while low < high {
            let middle = (low + high) / 2
            let found = states[Int(middle)].scalar
            if found == scalar { return middle }
            if found < scalar { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
