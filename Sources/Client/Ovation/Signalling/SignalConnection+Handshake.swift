internal import NIOCore
internal import RoomModel
internal import SignalProtocol

// What a connection says first on a new socket: who it is, and in which rooms.

extension SignalConnection {
    func signIn() {
        let opening = SessionOpening(
            application: credentials.application, user: credentials.user,
            ticket: offered?.ticket ?? credentials.ticket,
            name: credentials.name, avatar: credentials.avatar, resume: secret, client: credentials.client)
        perform(.openSession(opening), timeout: .seconds(10), isHandshake: true) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(.session(let opened)):
                secret = opened.session
                settleOffer(.success(()))
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
            case .success: handle(.handshakeFailed(OvationError(.invalidAnswer)))
            // The socket's end is heard by itself.
            case .failure(let error) where error.code == .connectionLost: break
            case .failure(let error) where error.isOfTicket && offered != nil:
                settleOffer(.failure(error))
                // The former one may be good still.
                handle(.handshakeFailed(OvationError(.connectionLost)))
            case .failure(let error): handle(.handshakeFailed(error))
            }
        }
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
