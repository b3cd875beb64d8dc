internal import Ovation
internal import Platform

/// Turns what happens in a room into what the component tells its app. Runs on the client's thread, in its order.
final class RoomEventReporter: Sendable {
    private struct State {
        var likes = LikeCount()
        var echoesOwnMessages = false
    }

    private let tell: @Sendable (RoomNotice) -> Void
    private let state = Mutex(State())

    init(tell: @escaping @Sendable (RoomNotice) -> Void) { self.tell = tell }

    /// Whether the app also hears its own user's messages.
    var echoesOwnMessages: Bool {
        get { state.withLock { $0.echoesOwnMessages } }
        set { state.withLock { $0.echoesOwnMessages = newValue } }
    }

    /// The room was entered: its likes count from here.
    func begin(_ room: RoomSession) { state.withLock { $0.likes = LikeCount(before: room.state.likes) } }

    /// The server has counted likes of this side.
    func add(ownLikes count: Int) { state.withLock { $0.likes.add(own: count) } }

    func report(_ event: RoomSession.Event, in room: RoomSession) {
        switch event {
        case .infoChanged: tellInfo(of: room)
        case .seatsChanged(let seats): tell(.seats(seats))
        case .seatTaken(let taken):
            let person = RoomPerson(profile: taken.user, isMuted: taken.seat.micMuted ?? false)
            tell(.seatTaken(taken.seat.index, person))
        case .seatLeft(let seat, let user, _, _):
            tell(.seatLeft(seat.index, RoomPerson(profile: user, isMuted: true)))
        case .seatMuted(let change):
            let seat = change.seat
            tell(.seatMuted(seat.index, seat.muted))
            // As the published component does: whether the person can be heard has changed.
            if let user = seat.user, seat.micMuted == false { tell(.microphone(user, muted: seat.muted)) }
        case .seatClosed(let change): tell(.seatClosed(change.seat.index, change.seat.state == .closed))
        case .microphoneMuted(let change): tell(.microphone(change.user, muted: change.muted))
        case .memberEntered(let member): tell(.entered(RoomPerson(profile: member.profile, isMuted: member.micMuted)))
        case .memberLeft(let user, _): tell(.left(RoomPerson(profile: user, isMuted: true)))
        case .message(let message): report(message, in: room)
        case .messagesMissed(let numbers):
            tell(.log("\(numbers.count) messages were missed: the connection was too slow for them"))
        case .invitation(let news): report(news, in: room)
        case .presenceChanged(let user, .reconnecting, _): tell(.log("\(user) is reconnecting"))
        case .presenceChanged(let user, .online, _): tell(.log("\(user) has reconnected"))
        case .ownerAbsent: tell(.log("the owner is away"))
        case .ownerReturned: tell(.log("the owner is back"))
        case .ownerChanged(let change): tell(.log("\(change.user.id) is now the owner of the room"))
        case .roleChanged(let change): tell(.log("\(change.user) is now \(change.role.rawValue)"))
        case .resumed:
            // What happened meanwhile was told one by one; a picture that was drawn anew needs the whole.
            tellInfo(of: room)
            tell(.seats(room.state.seats))
        case .likes(let news): report(news, in: room)
        // The controller acts on the room's end and on songs, and tells of them. Of the rest the published interface has no callback:
        // no later event gets one.
        default: break
        }
    }

    private func tellInfo(of room: RoomSession) {
        let state = room.state
        tell(.info(state.info, memberCount: state.memberCount))
    }

    private func report(_ message: Message, in room: RoomSession) {
        let state = room.state
        guard message.from.id != state.me.id || echoesOwnMessages, !message.deleted else { return }
        let sender = RoomPerson(profile: message.from, isMuted: state.member(message.from.id)?.micMuted ?? true)
        switch message.body {
        case .text(let text): tell(.text(text, from: sender))
        case .custom(let command, let text):
            // What V2TIMManager sent is for its listeners.
            guard !GroupMessage.isOne(command) else { return }
            tell(.custom(command: command, message: text, from: sender))
        }
    }

    private func report(_ news: InvitationNews, in room: RoomSession) {
        let invitation = news.invitation
        let isMine = invitation.from == room.state.me.id
        switch invitation.state {
        case .waiting: if !isMine { tell(.invited(invitation)) }
        case .accepted: if isMine { tell(.accepted(id: invitation.id, by: news.by ?? invitation.to)) }
        case .rejected: if isMine { tell(.rejected(id: invitation.id, by: news.by ?? invitation.to)) }
        case .cancelled: if !isMine { tell(.cancelled(id: invitation.id, inviter: invitation.from)) }
        case .expired: tell(.log("the invitation \(invitation.id) has expired"))
        }
    }

    /// One callback for all that came since the last; its message is their number.
    private func report(_ news: LikesNews, in room: RoomSession) {
        let room = room.state
        let (added, echoes) = state.withLock { state in
            (
                state.likes.take(total: news.total, withOwn: state.echoesOwnMessages),
                state.echoesOwnMessages
            )
        }
        guard added > 0, let user = news.users.first(where: { echoes || $0 != room.me.id }) ?? news.users.first else {
            return
        }
        let sender = RoomPerson(
            profile: room.profile(of: user), isMuted: room.member(user)?.micMuted ?? true)
        tell(.custom(command: LikeCount.command, message: String(added), from: sender))
    }
}
