internal import ClientMedia
internal import Dispatch
internal import Platform
internal import RoomModel

/// Keeps an engine to what people and the room ask of its sound: who is heard, and whether the microphone captures.
///
/// The engine is told on the sound's own queue what is wished by then. So the last wish holds, whichever thread it came from: a microphone
/// that was stopped stays off although somebody sits down at that moment, and one that was started does not outlive the room.
final class CaptureControl: Sendable {
    /// What became of the last wish about the microphone.
    private enum Capture {
        case off
        /// Or about to be.
        case on
        /// It did not start. It is tried again when somebody asks for it, or brings another device.
        case failed
    }

    private struct State {
        var asked = SoundWishes()
        var capture = Capture.off
    }

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

    func wish(_ change: (inout SoundWishes) -> Void) {
        state.withLock { change(&$0.asked) }
        guard let engine else { return }
        queue.async { [self] in carryOut(engine) }
    }

    /// Also if it has failed before.
    func tryMicrophone(_ change: (inout SoundWishes) -> Void = { _ in }) {
        state.withLock { if case .failed = $0.capture { $0.capture = .off } }
        wish(change)
    }

    /// On the queue.
    private func carryOut(_ engine: AudioEngine) {
        guard !isOver() else { return }
        let (plan, capture) = state.withLock { ($0.asked.plan, $0.capture) }
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
        switch (capture, plan.captures) {
        case (.off, true):
            state.withLock { $0.capture = .on }
            // A device takes its time: what is wished next does not wait for it.
            engine.startMicrophone { [weak self] error in
                guard let self, let error else { return }
                state.withLock { $0.capture = .failed }
                onFailure(error)
            }
        case (.on, false), (.failed, false):
            engine.stopMicrophone()
            state.withLock { $0.capture = .off }
        case (.off, false), (.on, true), (.failed, true): break
        }
    }
}
