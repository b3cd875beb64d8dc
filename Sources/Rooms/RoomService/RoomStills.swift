import RoomModel
import RoomPorts
import RoomRules

/// The pictures of a room at work that are kept in memory: what the host's camera shows, for the room list (L01), and what came with the
/// requests that wait (L03).
final class RoomStills {
    private unowned let core: RoomCore
    private var host = StillHolder()
    private var requests = RequestStills()

    init(_ core: RoomCore) { self.core = core }

    // MARK: The host's

    /// What is shown.
    var current: RoomStill? { host.current }
    /// What is found under its number too.
    var earlier: RoomStill? { host.earlier }

    /// Shows the directory what the host's camera shows; without a picture, nothing any more.
    /// - Parameter reply: the number under which it can be fetched.
    func set(_ picture: StillPicture?, from session: SessionToken, reply: @escaping Reply<Int64?>) {
        do throws(RoomError) {
            guard let picture else {
                _ = try checkedHost(session)
                host.remove()
                return show { reply(.success(nil)) }
            }
            let user = try check(from: session)
            host.take(picture, of: user, at: core.now)
        } catch {
            return core.answer(reply, .failure(error))
        }
        awaitEnd()
        let number = host.current?.number
        show { reply(.success(number)) }
    }

    /// Checks that a picture would be taken now.
    /// - Returns: the host.
    func check(from session: SessionToken) throws(RoomError) -> UserID {
        let user = try checkedHost(session)
        guard core.state.shows(host: user) else {
            throw RoomError(.permissionDenied, "a still shows what the host's camera shows, and it is off")
        }
        try host.check(at: core.now)
        return user
    }

    private func checkedHost(_ session: SessionToken) throws(RoomError) -> UserID {
        if let error = core.closedness { throw error }
        guard let user = core.people.attendance.profile(of: session)?.id else { throw RoomError(.notInRoom) }
        guard core.state.kind == .live else { throw RoomError(.notLive) }
        guard user == core.state.owner.id else { throw RoomError(.permissionDenied) }
        return user
    }

    /// Whoever it shows must still be seen.
    func review() { host.review(core.state) }

    /// One has lived its time.
    func expire() {
        host.expire(at: core.now)
        show()
        awaitEnd()
    }

    private func awaitEnd() {
        if let ends = host.ends { core.deadlines.set(.still, at: ends) }
    }

    /// Shows what has changed in its place in the order.
    private func show(then answer: @escaping () -> Void = {}) {
        let listing = core.listing
        core.inOrder { [unowned core] in
            core.announcer.show(listing)
            core.publishInfo()
            answer()
        }
    }

    // MARK: Those of requests

    var requestCount: Int { requests.count }

    func keep(_ picture: StillPicture, with request: String, of user: UserID) {
        requests.keep(picture, with: request, of: user)
    }

    /// The request is settled.
    func drop(_ request: String) { requests.drop(request) }

    /// `nil`: there was none, or it was lost with a restart.
    func picture(of request: String) -> StillPicture? { requests[request] }
}
