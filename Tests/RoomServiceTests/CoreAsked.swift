import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport

@testable import RoomService

/// What `Room` asks of its core, for tests that give the core its turns themselves.
extension RoomCore {
    var people: RoomPeople { parts.people }
    var requestStillCount: Int { parts.stills.requestCount }
    var listing: RoomListing { parts.stills.listing(turn.info, turn.state.hosts) }
    var overview: RoomOverview {
        var turn = turn
        return parts.overview(in: &turn)
    }

    func serve(_ command: ServerCommand) { inTurn { $0.decide(command, in: &$1) } }
    func expel(_ ban: Restriction) { inTurn { $0.expel(ban, in: &$1) } }

    func setProfile(_ profile: UserProfile, of session: SessionToken) {
        inTurn { $0.people.setProfile(profile, of: session, in: &$1) }
    }

    func setEquipment(_ equipment: SingerEquipment, of session: SessionToken) {
        inTurn { $0.media.setEquipment(equipment, of: session, in: &$1) }
    }

    func closeMedia(for session: SessionToken) { inTurn { $0.closeMedia(for: session, done: {}, in: &$1) } }

    func setStill(_ picture: StillPicture?, from session: SessionToken, reply: @escaping Reply<Int64?>) {
        inTurn { $0.stills.set(picture, from: session, reply: reply, in: &$1) }
    }

    func report(_ draft: ReportDraft, by session: SessionToken, reply: @escaping Reply<Void>) {
        inTurn { $0.reporting.report(draft, by: session, reply: reply, in: &$1) }
    }

    func members(_ query: MembersQuery, for session: SessionToken, reply: @escaping Reply<MembersPage>) {
        read(reply, for: session) { _, turn, _ throws(RoomError) in try turn.page(query) }
    }

    func invitations(after cursor: String?, for session: SessionToken, reply: @escaping Reply<InvitationsPage>) {
        read(reply, for: session) { _, turn, user throws(RoomError) in
            try turn.invitations(of: user, after: cursor)
        }
    }

    func restrictions(for session: SessionToken, reply: @escaping Reply<RestrictionsPage>) {
        read(reply, for: session) { parts, turn, user throws(RoomError) in
            try parts.restrictions.page(for: user, in: &turn)
        }
    }

    func requestStill(_ id: String, for session: SessionToken, reply: @escaping Reply<StillPicture?>) {
        read(reply, for: session) { parts, turn, user throws(RoomError) in
            try parts.requestStill(id, for: user, in: &turn)
        }
    }

    func giftRanking(for session: SessionToken, reply: @escaping Reply<GiftRanking>) {
        read(reply, for: session) { _, turn, user in turn.state.figures.gifts.ranking(for: user) }
    }
}
