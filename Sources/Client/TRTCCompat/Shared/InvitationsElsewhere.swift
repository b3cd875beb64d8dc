internal import Ovation
internal import Platform

/// Invitations of rooms in which the user is not. The published components get invitations wherever their user is, and so do these.
final class InvitationsElsewhere: Sendable {
    private let rooms = Mutex<[String: RoomID]>([:])

    /// - Returns: what the app is told of it.
    func take(_ news: InvitationNews) -> RoomNotice? {
        let invitation = news.invitation
        let isWaiting = invitation.state == .waiting
        rooms.withLock { $0[invitation.id] = isWaiting ? invitation.room : nil }
        return switch invitation.state {
        case .waiting: .invited(invitation)
        case .cancelled: .cancelled(id: invitation.id, inviter: invitation.from)
        case .accepted, .rejected, .expired: nil
        }
    }

    /// The room of an invitation, if that is not the user's own.
    func room(of id: String, present: RoomID?) -> RoomID? {
        rooms.withLock { $0[id] }.flatMap { $0 == present ? nil : $0 }
    }

    func forget() { rooms.withLock { $0 = [:] } }
}
