import RoomEvents
import RoomModel
import RoomPorts
import RoomRules

/// The pictures of a room at work that are kept in memory: what the host's camera shows, for the room list (L01), and what came with the
/// requests that wait (L03).
struct RoomStills {
    private var host = StillHolder()
    private var requests = RequestStills()

    // MARK: The host's

    /// What is shown.
    var current: RoomStill? { host.current }
    /// What is found under its number too.
    var earlier: RoomStill? { host.earlier }

    /// Shows the directory what the host's camera shows; without a picture, nothing any more.
    /// - Parameter reply: the number under which it can be fetched.
    mutating func set(
        _ picture: StillPicture?, from session: SessionToken, reply: @escaping Reply<Int64?>, in turn: inout RoomTurn
    ) {
        do throws(RoomError) {
            if let picture {
                host.take(picture, of: try check(from: session, in: &turn), at: turn.now)
                awaitEnd(in: &turn)
            } else {
                _ = try checkedHost(session, in: &turn)
                host.remove()
            }
        } catch {
            return turn.answer(reply, .failure(error))
        }
        let number = picture == nil ? nil : host.current?.number
        show(in: &turn, answer: PlannedAnswer { _ in reply(.success(number)) })
    }

    /// Checks that a picture would be taken now.
    /// - Returns: the host.
    @discardableResult
    func check(from session: SessionToken, in turn: inout RoomTurn) throws(RoomError) -> UserID {
        let user = try checkedHost(session, in: &turn)
        guard turn.state.shows(host: user) else {
            throw RoomError(.permissionDenied, "a still shows what the host's camera shows, and it is off")
        }
        try host.check(at: turn.now)
        return user
    }

    private func checkedHost(_ session: SessionToken, in turn: inout RoomTurn) throws(RoomError) -> UserID {
        if let error = turn.closedness { throw error }
        guard let user = turn.attendance.profile(of: session)?.id else { throw RoomError(.notInRoom) }
        guard turn.state.beginning.kind == .live else { throw RoomError(.notLive) }
        guard user == turn.state.owner.id else { throw RoomError(.permissionDenied) }
        return user
    }

    /// Whoever it shows must still be seen; what came with a request goes when that is settled.
    mutating func review(after events: [RoomEvent] = [], in turn: inout RoomTurn) {
        for case .invitationSettled(let settled) in events { requests.drop(settled.id) }
        host.review(turn.state)
    }

    /// The room has been loaded: what came with requests that were not stored goes.
    mutating func adopt(in turn: inout RoomTurn) {
        requests.keep(of: Set(turn.state.invitations.waiting.map(\.id)))
        review(in: &turn)
    }

    /// One has lived its time.
    mutating func expire(in turn: inout RoomTurn) {
        host.expire(at: turn.now)
        show(in: &turn)
        awaitEnd(in: &turn)
    }

    private func awaitEnd(in turn: inout RoomTurn) {
        if let ends = host.ends { turn.deadlines.set(.still, at: ends) }
    }

    /// What the directory shows of the room, as it was when this was decided.
    func listing(_ info: RoomInfo, _ hosts: RoomHosts? = nil) -> RoomListing {
        RoomListing(info, still: current, earlierStill: earlier, admins: hosts?.admins ?? [])
    }

    /// The room with the number of its still.
    func info(_ info: RoomInfo) -> RoomInfo { listing(info).info }

    /// Shows what has changed in its place in the order.
    private func show(in turn: inout RoomTurn, answer: PlannedAnswer? = nil) {
        let shown = [Effect.out(.show(listing(turn.info, turn.state.hosts)))]
        turn.add(
            .release(Release(needs: turn.watermark, answer: answer, first: shown, otherwise: shown)))
    }

    // MARK: Those of requests

    var requestCount: Int { requests.count }

    mutating func keep(_ picture: StillPicture, with request: String, of user: UserID) {
        requests.keep(picture, with: request, of: user)
    }

    /// `nil`: there was none, or it was lost with a restart.
    func picture(of request: String) -> StillPicture? { requests[request] }
}
