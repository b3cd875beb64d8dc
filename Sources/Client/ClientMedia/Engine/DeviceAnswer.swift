internal import Dispatch
internal import Platform

/// What became of a device, for whoever waits for it.
final class DeviceAnswer: Sendable {
    private let outcome = Mutex(DeviceMachine.Outcome.done)
    private let isThere = DispatchSemaphore(value: 0)

    /// Has something done of which somebody hears what became of it, and waits for that.
    /// - Throws: why the device does not run.
    static func wait(for order: (@escaping DeviceLine.Reply) -> Void) throws(RoomAudioError) {
        let answer = DeviceAnswer()
        order { answer.give($0) }
        try answer.wait()
    }

    private func give(_ outcome: DeviceMachine.Outcome) {
        self.outcome.withLock { $0 = outcome }
        isThere.signal()
    }

    private func wait() throws(RoomAudioError) {
        isThere.wait()
        switch outcome.withLock({ $0 }) {
        case .done, .withdrawn: return
        case .failed(let error), .lost(let error): throw error
        }
    }
}
