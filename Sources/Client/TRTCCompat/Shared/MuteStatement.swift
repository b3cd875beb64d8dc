internal import Ovation

/// Tells a room of the user's own mute, again and again until the room has heard it: what was lost with a connection is said on the next
/// one. A refusal of the room ends it.
struct MuteStatement: Sendable {
    /// What is wished by now; nil: there is nobody to be told any more.
    let wish: @Sendable () -> Bool?
    /// Says it once; `done` is called if it fails, after as long as a call waits for its connection.
    let say: @Sendable (_ isMuted: Bool, _ done: @escaping @Sendable (OvationError) -> Void) -> Void
    /// Hears of the first failure.
    let warn: @Sendable (OvationError) -> Void

    func begin() {
        if let isMuted = wish() { tell(isMuted, isFirst: true) }
    }

    private func tell(_ isMuted: Bool, isFirst: Bool) {
        say(isMuted) { error in
            if isFirst { warn(error) }
            // A later word says itself.
            if error.isOfTheWay, wish() == isMuted { tell(isMuted, isFirst: false) }
        }
    }
}

extension OvationError {
    /// Whether nothing is known of what was asked: it did not come through, or its answer did not.
    var isOfTheWay: Bool { [.offline, .timeout, .connectionLost].contains(code) }
}
