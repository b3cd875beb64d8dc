package import RoomModel
import RoomPorts
package import SignalProtocol
import Timing
import UserSig

/// privateMapKeys (A03): a ticket that also says which room its bearer may enter, and what they may do there.
extension SignIn {
    /// - Parameter creating: the room, which is not there yet.
    /// - Returns: what the key allows; `nil` without a key, where the application asks for none.
    package func rights(
        by key: String?, of user: UserID, in room: RoomID?, creating: Bool, application id: ApplicationID
    ) async throws(Refusal) -> RoomRights? {
        let application = try await application(id)
        guard let key, !key.isEmpty else {
            guard application.settings.roomKeys == .required else { return nil }
            throw Self.failed("this application lets nobody into a room without a privateMapKey", "missing")
        }
        let good: Ticket
        do throws(TicketFailure) {
            good = try TicketVerifier(application: id.rawValue, keys: application.keys)
                .verify(key, user: user.rawValue, now: clock.wallTime.secondsSince1970)
        } catch {
            let refusal = Self.refusal(error)
            throw Self.failed(refusal.error.message, refusal.error.reason ?? "malformed")
        }
        guard let bytes = good.userbuf, let map = PrivateMapKey(bytes) else {
            throw Self.failed("this ticket is no privateMapKey", "malformed")
        }
        guard map.application == id.rawValue else { throw Self.failed("the key is for another application", "app") }
        guard map.user == user.rawValue else { throw Self.failed("the key is for another user", "user") }
        guard let room, map.room.matches(room) else {
            throw Self.failed("the key is for another room; a room that is created with a key has an id", "room")
        }
        guard Int64(map.expiresAt) >= clock.wallTime.secondsSince1970 else {
            throw Self.failed("the key is out of date: get a new one", "expired")
        }
        guard map.privileges.contains(creating ? .createRoom : .enterRoom) else {
            throw Self.failed("the key does not let its bearer \(creating ? "create" : "enter") the room", "scope")
        }
        return RoomRights(map.privileges)
    }

    private static func failed(_ message: String, _ reason: String) -> Refusal {
        Refusal(RoomError(.roomKeyFailed, message, reason: reason))
    }
}

extension PrivateMapKey.Room {
    fileprivate func matches(_ room: RoomID) -> Bool {
        switch (self, room) {
        case (.number(let own), .number(let other)): own == other
        case (.string(let own), .string(let other)): own == other
        default: false
        }
    }
}

extension RoomRights {
    fileprivate init(_ privileges: RoomPrivileges) {
        self = []
        for (privilege, right) in [
            (RoomPrivileges.sendAudio, RoomRights.sendAudio), (.sendVideo, .sendVideo), (.sendSubStream, .sendScreen),
            (.receiveAudio, .receiveAudio), (.receiveVideo, .receiveVideo), (.receiveSubStream, .receiveScreen),
        ] where privileges.contains(privilege) {
            insert(right)
        }
    }
}
