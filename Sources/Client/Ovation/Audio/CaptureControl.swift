internal import ClientMedia
internal import Dispatch
internal import Platform
internal import RoomModel

/// Keeps an engine to what people and the room ask of its sound: who is heard, and whether the microphone captures.
///
/// The engine is told on the sound's own queue what is wished by then. So the last wish holds, whichever thread it came from: a microphone
/// that was stopped stays off although somebody sits down at that moment, and one that was started does not outlive the room. Each time
/// somebody asks for the microphone the engine is told so: it knows whether the device runs, and tries one that does not.
final class CaptureControl: Sendable {
    private struct State {
        var asked = SoundWishes()
        /// How often somebody asked for the microphone: said so, sat down, or brought another device.
        var calls = 0
        /// The last of them that the engine was told of; nil: it was told that nobody wants the microphone.
        var told: Int?

        /// What the engine is to be told of the microphone.
        mutating func next() -> Order? {
            let wanted = asked.plan.captures ? calls : nil
            guard wanted != told else { return nil }
            told = wanted
            return wanted == nil ? .stop : .start
        }
    }

    private enum Order { case start, stop }

    private let engine: AudioEngine?
    private let queue: DispatchQueue
    private let isOver: @Sendable () -> Bool
    private let onFailure: @Sendable (RoomAudioError) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isOver: whether the room is: nothing begins to capture then.
    ///   - onFailure: hears why the microphone did not start, on any thread.
    init(
        _ engine: AudioEngine?, on queue: DispatchQueue, isOver: @escaping @Sendable () -> Bool,
        onFailure: @escaping @Sendable (RoomAudioError) -> Void
    ) {
        self.engine = engine
        self.queue = queue
        self.isOver = isOver
        self.onFailure = onFailure
    }

    var asked: SoundWishes { state.withLock { $0.asked } }

    /// Whoever sits down is to be heard, also if the microphone has failed before.
    func wish(_ change: (inout SoundWishes) -> Void) {
        tell { state in
            let wasSeated = state.asked.isSeated
            change(&state.asked)
            if state.asked.isSeated, !wasSeated { state.calls += 1 }
        }
    }

    /// Also if it has failed before.
    func tryMicrophone(_ change: (inout SoundWishes) -> Void = { _ in }) {
        tell { state in
            change(&state.asked)
            state.calls += 1
        }
    }

    private func tell(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        guard let engine else { return }
        queue.async { [self] in carryOut(engine) }
    }

    /// On the queue.
    private func carryOut(_ engine: AudioEngine) {
        guard !isOver() else { return }
        let (plan, order) = state.withLock { ($0.asked.plan, $0.next()) }
        let settings = engine.settings
        if settings.mutedSlots != plan.mutedSlots || settings.slotVolumes != plan.slotVolumes
            || settings.isMicrophoneMuted != plan.isMicrophoneMuted
        {
            engine.update {
                $0.mutedSlots = plan.mutedSlots
                $0.slotVolumes = plan.slotVolumes
                $0.isMicrophoneMuted = plan.isMicrophoneMuted
            }
        }
        switch order {
        case .start:
            // A device takes its time: what is wished next does not wait for it.
            engine.startMicrophone { [onFailure] error in if let error { onFailure(error) } }
        case .stop: engine.stopMicrophone()
        case nil: break
        }
    }
}
