internal import SignalProtocol
internal import Timing

/// Decides when a singer's client tells the server how its way does: when something has changed, and now and then. Pure.
///
/// The server measures the round trip by what it sends, and sends nothing to whoever sings alone; how long sound waits here it
/// cannot know at all.
struct LatencyReporter: Sendable {
    /// Between two words that say the same.
    static let repetition = Interval.seconds(10)
    /// What changes by less is the same.
    static let distinctMs = 3
    /// What the server takes (Documentation/build/protocol.md §6).
    static let longestRoundTripMs: Int64 = 2_000
    static let longestBufferMs: Int64 = 1_000

    /// There is somebody to whom it matters.
    var isSinging = false { didSet { if !isSinging { told = nil } } }
    private var equipment = (outputMs: 0, inputMs: 0)
    private var told: (statement: LatencyStatement, at: Instant)?

    /// How long the others' sound waits here, as told last; before that, as long as it usually does.
    var wait: Interval { .milliseconds(Int64(told?.statement.bufferMs ?? Self.usualBufferMs)) }
    private static let usualBufferMs = 20

    /// What the program has said of its devices, and has told the server already.
    mutating func calibrate(outputMs: Int, inputMs: Int) { equipment = (outputMs, inputMs) }

    /// What is to be told now; `nil`: nothing.
    mutating func statement(roundTrip: Interval?, buffer: Interval?, at now: Instant) -> LatencyStatement? {
        guard isSinging, let roundTrip else { return nil }
        let statement = LatencyStatement(
            outputMs: equipment.outputMs, inputMs: equipment.inputMs,
            roundTripMs: Self.bounded(roundTrip, Self.longestRoundTripMs),
            bufferMs: buffer.map { Self.bounded($0, Self.longestBufferMs) })
        if let told, now - told.at < Self.repetition, !Self.isDistinct(statement, told.statement) { return nil }
        told = (statement, now)
        return statement
    }

    private static func bounded(_ interval: Interval, _ most: Int64) -> Int {
        Int(min(max(interval.milliseconds, 0), most))
    }

    private static func isDistinct(_ a: LatencyStatement, _ b: LatencyStatement) -> Bool {
        func isFar(_ one: Int?, _ other: Int?) -> Bool {
            guard let one, let other else { return (one == nil) != (other == nil) }
            return abs(one - other) >= distinctMs
        }
        return a.outputMs != b.outputMs || a.inputMs != b.inputMs || isFar(a.roundTripMs, b.roundTripMs)
            || isFar(a.bufferMs, b.bufferMs)
    }
}
