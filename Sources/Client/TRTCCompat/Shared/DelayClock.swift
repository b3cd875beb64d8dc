internal import Dispatch

/// What happens later. Tests turn the hands themselves.
struct DelayClock: Sendable {
    /// Takes back what was to happen.
    typealias Cancel = @Sendable () -> Void

    /// Runs something once after so many milliseconds.
    var after: @Sendable (_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) -> Cancel

    static let system = DelayClock { milliseconds, body in
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler {
            timer.cancel()
            body()
        }
        timer.schedule(deadline: .now() + .milliseconds(milliseconds))
        timer.resume()
        let held = UncheckedTransfer(timer)
        return { held.value.cancel() }
    }
}
