import RoomEvents
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
import Timing

/// Who may not write in a group, or not be there (R01).
struct ChatRestrictions: Sendable {
    /// Forever, in the API's words.
    private static let forever = 4_294_967_295

    let rooms: OperatorRooms
    let standing: OperatorRestrictions
    let clock: any TimeSource

    func mute(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        let seconds = try request.number("MuteTime", in: 0...Self.forever)
        for user in try request.users("Members_Account", limit: 500) {
            if seconds == 0 {
                try await lift(.chatMute, of: user, request)
            } else {
                try await restrict(.chatMute, user, seconds: seconds, reason: nil, request)
            }
        }
        return ChatNothing()
    }

    func ban(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        let seconds = try request.number("Duration", in: 1...Self.forever)
        let why = try request.optionalText("Description")
        guard (why?.utf8.count ?? 0) <= 1_000 else { throw .invalid("Description") }
        for user in try request.users("Members_Account", limit: 20) {
            // The room shows the first 200 characters of it.
            try await restrict(.ban, user, seconds: seconds, reason: why.map { String($0.prefix(200)) }, request)
        }
        return ChatNothing()
    }

    func unban(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        for user in try request.users("Members_Account", limit: 20) { try await lift(.ban, of: user, request) }
        return ChatNothing()
    }

    private func restrict(
        _ kind: RestrictionKind, _ user: UserID, seconds: Int, reason: String?, _ request: ChatRequest
    ) async throws(ChatFailure) {
        // Longer than a room's rules know is for good.
        let seconds = seconds > 31_536_000 ? nil : seconds
        _ = try await rooms.submit(
            .setRestriction(RestrictionDraft(kind, of: user, seconds: seconds, reason: reason)), request)
    }

    /// Who is not restricted stays so.
    private func lift(_ kind: RestrictionKind, of user: UserID, _ request: ChatRequest) async throws(ChatFailure) {
        let room = try request.group()
        do throws(Refusal) {
            _ = try await rooms.submit(
                .liftRestriction(LiftRestriction(kind, of: user)), to: room, in: request.application,
                by: .operator(request.caller))
        } catch {
            if error.error.code != .notRestricted { throw ChatFailure(error) }
        }
    }

    // MARK: In all groups

    /// Mutes somebody in all groups for so many seconds; 0: lets them write again. There are no messages to one person, so what the call says
    /// of those has nothing to change; a call that says nothing else is refused, since its sender expects something of it.
    func muteEverywhere(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        let user = try request.user("Set_Account")
        _ = try request.optionalNumber("C2CmsgNospeakingTime", in: 0...Self.forever)
        guard let seconds = try request.optionalNumber("GroupmsgNospeakingTime", in: 0...Self.forever) else {
            throw .invalid("GroupmsgNospeakingTime")
        }
        do throws(Refusal) {
            if seconds == 0 {
                try await standing.lift(.chatMute, of: user, by: request.caller, in: request.application)
            } else {
                _ = try await standing.set(
                    .chatMute, of: user, seconds: seconds > Restriction.longestSeconds ? nil : Int64(seconds),
                    reason: nil,
                    by: request.caller, in: request.application)
            }
        } catch {
            // Who is not muted stays so.
            if error.error.code != .notRestricted { throw ChatFailure(error) }
        }
        return ChatNothing()
    }

    struct Mute: Encodable, Sendable {
        var C2CmsgNospeakingTime = 0
        var GroupmsgNospeakingTime: Int64
    }

    /// How many seconds somebody's mute in all groups goes on.
    func readMute(_ request: ChatRequest) throws(ChatFailure) -> Mute {
        let user = try request.user("Get_Account")
        guard let mute = standing.held(.chatMute, of: user, in: request.application) else {
            return Mute(GroupmsgNospeakingTime: 0)
        }
        let left = mute.until.map { ($0 - clock.wallTime.millisecondsSince1970 + 999) / 1_000 }
        return Mute(GroupmsgNospeakingTime: left ?? Int64(Self.forever))
    }

    struct Restricted: Encodable, Sendable {
        struct Muted: Encodable, Sendable {
            var Member_Account: UserID
            var MutedUntil: Int64
        }
        struct Banned: Encodable, Sendable {
            var Member_Account: UserID
            var BannedUntil: Int64
        }
        var GroupId: String
        var MutedAccountList: [Muted]?
        var BannedAccountList: [Banned]?
    }

    func list(
        _ kind: RestrictionKind, _ request: ChatRequest
    ) async throws(ChatFailure) -> Restricted {
        let room = try request.group()
        let page = try await rooms.asking { () async throws(Refusal) -> RestrictionsPage in
            let found = try await rooms.find(room, in: request.application)
            return try await rooms.asked { await found.restrictions(reply: $0) }
        }
        let held = page.restrictions.filter { $0.kind == kind }
        func end(_ restriction: Restriction) -> Int64 {
            restriction.until.map { $0 / 1_000 } ?? Int64(Self.forever)
        }
        var answer = Restricted(GroupId: RoomSlug.text(room))
        switch kind {
        case .chatMute:
            answer.MutedAccountList = held.map { Restricted.Muted(Member_Account: $0.user, MutedUntil: end($0)) }
        case .ban:
            answer.BannedAccountList = held.map { Restricted.Banned(Member_Account: $0.user, BannedUntil: end($0)) }
        case .unknown: break
        }
        return answer
    }
}
