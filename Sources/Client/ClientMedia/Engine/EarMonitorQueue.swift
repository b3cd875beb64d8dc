internal import AudioGraph

/// Our own voice on its way from the capturing thread to the playing one, as short as can be.
///
/// Both devices have clocks of their own: when the queue runs dry it waits until a little has gathered, when it gets long
/// it is cut.
package final class EarMonitorQueue: Sendable {
    /// What gathers before it is played: less than anybody hears as an echo.
    static let reserve = 240
    /// More than this waiting beyond a block is cut away.
    static let excess = 960

    private struct State {
        let queue = SampleQueue(channels: 2, capacity: 4 * maximumBlockFrames)
        var isPrimed = false
        var isOn = false
    }

    /// Held for the copy of one block.
    private let state = Guarded(State())

    package init() {}

    func setOn(_ isOn: Bool) {
        state.with { state in
            state.isOn = isOn
            guard !isOn else { return }
            state.queue.removeAll()
            state.isPrimed = false
        }
    }

    func push(_ block: AudioBuffer) {
        state.with { state in
            guard state.isOn else { return }
            if state.queue.room < block.frameCount { state.queue.drop(block.frameCount) }
            state.queue.append(block)
        }
    }

    /// Fills `block`. False if there is nothing to be heard.
    func pull(into block: AudioBuffer) -> Bool {
        state.with { state in
            guard state.isOn else { return false }
            let wanted = block.frameCount
            if !state.isPrimed { state.isPrimed = state.queue.count >= wanted + Self.reserve }
            guard state.isPrimed, state.queue.count > 0 else {
                state.isPrimed = false
                return false
            }
            if state.queue.count > wanted + Self.excess { state.queue.drop(state.queue.count - wanted - Self.reserve) }
            state.isPrimed = state.queue.count >= wanted
            state.queue.take(into: block)
            return true
        }
    }
}
