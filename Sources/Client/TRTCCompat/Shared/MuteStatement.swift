internal import Ovation
internal import Platform

/// Tells the room of the user's own mute, again and again until it has heard it: what was lost with a connection is said on the next one,
/// and what came at a bad time after a while. A refusal of the room ends it.
///
/// One word is under way at a time, so that none can pass another: what is wished meanwhile is said when that one is answered.
final class MuteStatement: Sendable {
    /// A room that is told.
    struct Listener: Sendable {
        /// What is wished by now; nil: there is nobody to be told any more.
        let wish: @Sendable () -> Bool?
        /// Says it; `done` is called once, with an error if it failed: after as long as a call waits for its connection.
        let say: @Sendable (_ isMuted: Bool, _ done: @escaping @Sendable (OvationError?) -> Void) -> Void
        /// Calls back after that time.
        let wait: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
        /// Hears of the first failure of a word, and of a refusal.
        let warn: @Sendable (OvationError) -> Void
    }

    private struct Turn {
        var number: Int
        /// The newest one when it began.
        var room: Listener
        /// The last word that it says.
        var word: Int
        /// No turn before it has said that word.
        var isFirst: Bool
    }

    private struct State {
        /// The number of the last word.
        var word = 0
        /// How many turns there have been.
        var turns = 0
        /// nil: nothing is under way.
        var present: Turn?
        /// Whoever was named last.
        var room: Listener?

        /// - Returns: nil once there is nobody to be told.
        mutating func begin() -> Turn? {
            guard let room else {
                present = nil
                return nil
            }
            turns += 1
            let turn = Turn(number: turns, room: room, word: word, isFirst: present?.word != word)
            present = turn
            return turn
        }
    }

    private let state = Mutex(State())

    func tell(_ room: Listener) {
        let turn = state.withLock { state -> Turn? in
            state.word += 1
            state.room = room
            guard state.present == nil else { return nil }
            return state.begin()
        }
        if let turn { say(turn) }
    }

    /// The room was left: what was under way there holds up no word in the next one.
    func end() { state.withLock { ($0.present, $0.room) = (nil, nil) } }

    private func say(_ turn: Turn) {
        guard let isMuted = turn.room.wish() else { return answered(nil, turn) }
        turn.room.say(isMuted) { [self] in answered($0, turn) }
    }

    private func answered(_ error: OvationError?, _ turn: Turn) {
        let pause = error.flatMap(Self.pause)
        let (isAwaited, next) = state.withLock { state -> (Bool, Turn?) in
            guard state.present?.number == turn.number else { return (false, nil) }
            // It keeps its place while it waits.
            if pause != nil { return (true, nil) }
            if error?.isOfTheWay == true || state.word != turn.word { return (true, state.begin()) }
            state.present = nil
            return (true, nil)
        }
        guard isAwaited else { return }
        if let error, turn.isFirst || !(error.isOfTheWay || pause != nil) { turn.room.warn(error) }
        if let pause { turn.room.wait(pause) { [self] in goOn(after: turn) } }
        if let next { say(next) }
    }

    /// When to ask again after what is no refusal: the server restarts, its disk is full for a moment, or too much was asked at once, of
    /// the server or of a connection that is not there yet.
    private static func pause(after error: OvationError) -> Duration? {
        guard [.unavailable, .rateLimited, .tooManyCalls].contains(error.code) else { return nil }
        return min(max(error.retryAfter ?? .seconds(1), .milliseconds(100)), longestPause)
    }

    /// A later word waits for it too, whatever a server asks for.
    private static let longestPause = Duration.seconds(60)

    private func goOn(after turn: Turn) {
        let next = state.withLock { state -> Turn? in
            guard turn.number == state.present?.number else { return nil }
            return state.begin()
        }
        if let next { say(next) }
    }
}

extension OvationError {
    /// Whether nothing is known of what was asked: it did not come through, or its answer did not.
    var isOfTheWay: Bool { [.offline, .timeout, .connectionLost].contains(code) }
}
