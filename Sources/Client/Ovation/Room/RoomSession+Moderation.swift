public import RoomModel
internal import SignalProtocol

// What those who run a room do about messages and people.

extension RoomSession {
    /// Removes the text of a message for everybody, and for whoever enters later. For the owner and admins; an admin cannot remove the
    /// owner's.
    /// - Parameter number: `Message.chat`.
    /// - Throws: `message_not_found` when the room does not keep the message any more: it keeps about 1,000.
    public func deleteMessage(_ number: UInt64) async throws(OvationError) { try await ask(DeleteMessage(number)) }

    /// Keeps a member from writing messages. For the owner and admins, against those below them.
    /// - Parameters:
    ///   - duration: 1 second to 1 year; `nil`: until the room ends.
    ///   - reason: up to 200 characters, which the member reads too.
    public func muteChat(
        of user: UserID, for duration: Duration? = nil, reason: String? = nil
    ) async throws(OvationError) {
        try await ask(RestrictionDraft(.chatMute, of: user, seconds: duration?.wholeSeconds, reason: reason))
    }

    /// Lets a member write messages again.
    /// - Throws: `not_restricted` when nothing keeps the member from it.
    public func unmuteChat(of user: UserID) async throws(OvationError) {
        try await ask(LiftRestriction(.chatMute, of: user))
    }

    /// Puts somebody out of the room and keeps them from entering it. For the owner and admins, against those below them.
    /// - Parameters:
    ///   - duration: up to 1 year; `nil`: for good; `.zero`: they are put out, and may come back at once.
    ///   - everywhere: in all rooms of this room's owner, those to come included.
    ///   - reason: up to 200 characters, which the one concerned reads too.
    public func ban(
        _ user: UserID, for duration: Duration? = nil, everywhere: Bool = false, reason: String? = nil
    ) async throws(OvationError) {
        try await ask(
            RestrictionDraft(
                .ban, of: user, seconds: duration?.wholeSeconds, everywhere: everywhere, reason: reason))
    }

    /// Lets somebody enter again, everywhere.
    /// - Throws: `not_restricted` when nothing keeps them from it.
    public func liftBan(of user: UserID) async throws(OvationError) {
        try await ask(LiftRestriction(.ban, of: user))
    }

    /// Returns who may not write or enter for the time being, the newest first. For the owner and admins.
    public func restrictions() async throws(OvationError) -> [Restriction] {
        guard
            case .restrictions(let page) = try await outlet.ask(
                .rooms(.listRestrictions(ListRestrictions(id))), over: line)
        else { throw OvationError(.invalidAnswer) }
        return page.restrictions
    }

    /// Reports somebody to the operator of the server. The server adds what it knows: their name and last messages.
    /// - Parameters:
    ///   - words: up to 200 characters.
    ///   - message: `Message.chat` of a message of theirs.
    /// - Throws: `rate_limited` after five reports, until a minute has passed.
    public func report(
        _ user: UserID, cause: ReportCause, words: String? = nil, message: UInt64? = nil
    ) async throws(OvationError) {
        let draft = ReportDraft(user, cause: cause, words: words, message: message)
        guard case .empty = try await outlet.ask(.rooms(.sendReport(SendReport(id, draft))), over: line) else {
            throw OvationError(.invalidAnswer)
        }
    }

    /// Hands the room over to a member who is in it. The former owner stays admin. For the owner.
    public func handOver(to user: UserID) async throws(OvationError) { try await ask(SetOwner(user)) }
}

extension Duration {
    /// What is left of a second counts as a whole one.
    var wholeSeconds: Int {
        let (seconds, rest) = components
        return Int(clamping: rest > 0 ? seconds.addingReportingOverflow(1).partialValue : seconds)
    }
}
