internal import Platform

/// The media path of an engine, and which one counts.
///
/// A path takes its time to open: sockets, a certificate. What was wanted of it may be over by then, so each opening has a number, and a
/// path of an earlier one is closed.
final class EnginePath: Sendable {
    typealias Opener =
        @Sendable (
            MediaTransport.Configuration,
            _ onPacket: @escaping @Sendable (IncomingPacket, UnsafeRawBufferPointer) -> Void,
            _ onEvent: @escaping @Sendable (PathEvent) -> Void
        ) throws(MediaTransportError) -> MediaTransport

    private enum Phase {
        /// → opening
        case closed
        /// → opening (another one), open, closed
        case opening
        /// → opening, closed
        case open(MediaTransport, isConnected: Bool)
    }

    private struct State {
        var phase = Phase.closed
        /// Of the last opening, or of the end that followed it.
        var number = 0
    }

    private let opener: Opener
    private let tell: @Sendable (PathEvent) -> Void
    private let state = Mutex(State())

    /// - Parameter tell: hears of the path that counts, on its thread.
    init(_ opener: @escaping Opener, tell: @escaping @Sendable (PathEvent) -> Void) {
        self.opener = opener
        self.tell = tell
    }

    static let opener: Opener = { configuration, onPacket, onEvent throws(MediaTransportError) in
        try MediaTransport(configuration, onPacket: onPacket, onEvent: onEvent)
    }

    var transport: MediaTransport? {
        if case .open(let transport, _) = state.withLock({ $0.phase }) { transport } else { nil }
    }

    var isConnected: Bool { if case .open(_, true) = state.withLock({ $0.phase }) { true } else { false } }

    /// Whether there is a path, or is to be one.
    var isWanted: Bool { if case .closed = state.withLock({ $0.phase }) { false } else { true } }

    /// The present path is told to say goodbye, and another one is to take its place.
    /// - Returns: the number of its opening.
    func begin() -> Int { replace(by: .opening) }

    /// The present path is told to say goodbye. What happens to it from now on is told to nobody; what its thread is telling at this moment
    /// may still be heard.
    func end() { _ = replace(by: .closed) }

    private func replace(by phase: Phase) -> Int {
        let (former, number) = state.withLock { state in
            defer { state.phase = phase }
            state.number += 1
            return (state.phase, state.number)
        }
        if case .open(let transport, _) = former { transport.close() }
        return number
    }

    /// Opens a path without a lock. It counts once it is adopted.
    func open(
        _ number: Int, _ configuration: MediaTransport.Configuration,
        onPacket: @escaping @Sendable (IncomingPacket, UnsafeRawBufferPointer) -> Void
    ) throws(MediaTransportError) -> MediaTransport {
        try opener(configuration, onPacket) { [weak self] in self?.take($0, of: number) }
    }

    /// - Returns: false if something else is wanted by now. The path is closed then.
    func adopt(_ transport: MediaTransport, of number: Int) -> Bool {
        let isWanted = state.withLock { state in
            guard state.number == number else { return false }
            state.phase = .open(transport, isConnected: false)
            return true
        }
        if !isWanted { transport.close() }
        return isWanted
    }

    /// That opening came to nothing.
    func giveUp(_ number: Int) { state.withLock { if $0.number == number { $0.phase = .closed } } }

    private func take(_ event: PathEvent, of number: Int) {
        let isCurrent = state.withLock { state in
            guard state.number == number, case .open(let transport, _) = state.phase else { return false }
            state.phase = .open(transport, isConnected: event == .connected || event == .recovered)
            return true
        }
        if isCurrent { tell(event) }
    }
}
