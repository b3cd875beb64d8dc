internal import NIOCore
internal import RoomModel
internal import SignalProtocol

// What follows from a sign-in on a new socket.

extension SignalConnection {
    func noteSession(_ opened: SessionOpened) {
        let limits = ClientState.Limits(
            textBytes: opened.limits.textBytes, seats: opened.limits.seats,
            callsAtOnce: opened.limits.callsAtOnce ?? CallPacer.usualAtOnce,
            callsPerSecond: opened.limits.callsPerSecond ?? CallPacer.usualPerSecond)
        calls.limit(atOnce: limits.callsAtOnce, perSecond: limits.callsPerSecond)
        publish {
            $0.user = opened.user
            $0.limits = limits
        }
        handle(.signedIn)
    }

    func resumeRooms() {
        let returning = followers.values.filter(\.isPresent)
        guard !returning.isEmpty else { return handle(.roomsResumed) }
        let mine = line.generation
        var left = returning.count
        // The socket may be lost while the first of them is asked for: the next one asks for all anew.
        for follower in returning where mine == line.generation {
            follower.resume { [weak self] error in
                guard let self, mine == line.generation else { return }
                if let error {
                    if error.code != .connectionLost { handle(.handshakeFailed(error)) }
                    return
                }
                left -= 1
                if left == 0 { handle(.roomsResumed) }
            }
        }
    }
}
