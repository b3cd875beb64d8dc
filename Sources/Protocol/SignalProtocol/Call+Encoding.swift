import Foundation
import RoomModel

// A call as a client writes it.

extension Call {
    package init(number: Int64, _ body: Body) {
        self.init(id: .number(number), method: body.method, body: body)
    }

    /// The whole text of the frame.
    package var text: [UInt8] { SignalText.encode(Envelope(call: self)) }

    private struct Envelope: Encodable {
        var call: Call

        private enum Keys: String, CodingKey { case jsonrpc, id, method, params }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode("2.0", forKey: .jsonrpc)
            try container.encode(call.id, forKey: .id)
            try container.encode(call.method.rawValue, forKey: .method)
            var params = container.nestedContainer(keyedBy: ParameterName.self, forKey: .params)
            try call.body.encode(into: &params)
        }
    }

    enum ParameterName: String, CodingKey {
        case version, app, user, ticket, name, avatar, bio, resume, client
        case room, kind, cover, tags, seats, needsRequest, consent, pictureFormat, since, query, tag, limit, cursor,
            rooms, users
        case key, role, seat, muted, closed, command, content, timeoutSeconds, id, reason, text, message, count
        case number, sdp, lines, screen, size, outputMs, inputMs, roundTripMs, bufferMs
        case song, track, positionMs, leadMs, mode, leader, on, allowed
        case other, terms, agreed, pause, link, guest, picture, words, still, form, large, priority, gift, to, account
        case slowSeconds, hostsOnly, noLinks, chat, seconds, everywhere, cause, order, privateMapKey
        case set, add, remove, replace
    }
}

extension Call.Body {
    package var method: Method {
        switch self {
        case .openSession: .sessionOpen
        case .renewSession: .sessionRenew
        case .closeSession: .sessionClose
        case .readClock: .clockRead
        case .setProfile: .profileSet
        case .getProfiles: .profileGet
        case .sendSignal: .signalSend
        case .rooms(let asked): asked.method
        case .offerMedia: .mediaOffer
        case .viewPicture: .mediaView
        case .closeMedia: .mediaClose
        case .testLine: .lineTest
        case .endLineTest: .lineEnd
        case .stateLatency: .songLatency
        case .wallet(.listGifts): .giftList
        case .wallet(.read): .walletGet
        case .wallet(.readStatement): .walletStatement
        case .wallet(.drawCoins): .walletFaucet
        }
    }

    /// Whether the server may be asked the same again without harm: a read, or a change with an idempotency key.
    package var isRepeatable: Bool {
        switch self {
        case .rooms(let asked): asked.isRepeatable
        case .getProfiles, .setProfile, .stateLatency, .wallet: true
        // Two signals are two; the clock is read on one connection, and media is negotiated with what one remembers of it.
        case .sendSignal, .readClock, .openSession, .renewSession, .closeSession, .offerMedia, .viewPicture,
            .closeMedia, .testLine,
            .endLineTest:
            false
        }
    }

    fileprivate typealias Parameters = KeyedEncodingContainer<Call.ParameterName>

    fileprivate func encode(into params: inout Parameters) throws {
        switch self {
        case .openSession(let opening): try Self.encode(opening, into: &params)
        case .renewSession(let ticket): try params.encode(ticket, forKey: .ticket)
        case .closeSession, .readClock, .endLineTest, .wallet(.listGifts), .wallet(.read): break
        case .wallet(.drawCoins(let key)): try params.encode(key.rawValue, forKey: .key)
        case .wallet(.readStatement(let query)):
            try params.encode(query.account.rawValue, forKey: .account)
            try params.encodeIfPresent(query.before.map { "\($0)" }, forKey: .cursor)
            try params.encode(query.limit, forKey: .limit)
        case .testLine(let sdp): try params.encode(sdp, forKey: .sdp)
        case .setProfile(let name, let avatar, let bio):
            try params.encodeIfPresent(name, forKey: .name)
            try params.encodeIfPresent(avatar, forKey: .avatar)
            try params.encodeIfPresent(bio, forKey: .bio)
        case .getProfiles(let users): try params.encode(users, forKey: .users)
        case .sendSignal(let draft):
            try params.encode(draft.to, forKey: .user)
            try draft.body.encode(into: &params)
            try params.encodeIfPresent(draft.id, forKey: .id)
        case .rooms(let asked): try asked.encode(into: &params)
        case .offerMedia(let room, let number, let sdp, let lines):
            try params.encode(room, forKey: .room)
            try params.encode(number, forKey: .number)
            try params.encode(sdp, forKey: .sdp)
            if !lines.isEmpty { try params.encode(lines, forKey: .lines) }
        case .viewPicture(let room, let picture, let size):
            try params.encode(room, forKey: .room)
            switch picture {
            case .seat(let seat): try params.encode(seat, forKey: .seat)
            case .screen: try params.encode(true, forKey: .screen)
            case .guest(let place): try params.encode(place, forKey: .guest)
            }
            try params.encode(size, forKey: .size)
        case .closeMedia(let room): try params.encode(room, forKey: .room)
        case .stateLatency(let room, let statement):
            try params.encode(room, forKey: .room)
            try params.encode(statement.outputMs, forKey: .outputMs)
            try params.encode(statement.inputMs, forKey: .inputMs)
            try params.encodeIfPresent(statement.roundTripMs, forKey: .roundTripMs)
            try params.encodeIfPresent(statement.bufferMs, forKey: .bufferMs)
        }
    }

    private static func encode(_ opening: SessionOpening, into params: inout Parameters) throws {
        try params.encode(opening.version, forKey: .version)
        try params.encode(opening.application, forKey: .app)
        try params.encode(opening.user, forKey: .user)
        try params.encode(opening.ticket, forKey: .ticket)
        try params.encodeIfPresent(opening.name, forKey: .name)
        try params.encodeIfPresent(opening.avatar, forKey: .avatar)
        try params.encodeIfPresent(opening.resume, forKey: .resume)
        if let client = opening.client {
            // "name version" on our side, two fields on the wire.
            let words = client.split(separator: " ", maxSplits: 1).map(String.init)
            try params.encode(
                ["name": words.first ?? "", "version": words.count > 1 ? words[1] : ""], forKey: .client)
        }
    }
}

extension RoomsCall {
    fileprivate var method: Method {
        switch self {
        case .createRoom: .roomCreate
        case .enterRoom: .roomEnter
        case .listRooms: .roomList
        case .getRooms: .roomGet
        case .listMembers: .roomMembers
        case .listInvitations: .invitationList
        case .listRestrictions: .restrictionList
        case .readGiftRanking: .giftRanking
        case .sendReport: .reportSend
        case .readRequestStill: .invitationStill
        case .setStill: .stillSet
        case .command(_, let command, _): command.method
        }
    }

    fileprivate var isRepeatable: Bool {
        switch self {
        case .createRoom(_, let key, _), .command(_, _, let key): key != nil
        case .listRooms, .getRooms, .listMembers, .listInvitations, .listRestrictions, .readGiftRanking,
            .readRequestStill, .enterRoom:
            true
        // The next one is newer; two reports are two.
        case .setStill, .sendReport: false
        }
    }

    fileprivate func encode(into params: inout KeyedEncodingContainer<Call.ParameterName>) throws {
        switch self {
        case .createRoom(let creation, let key, let mapKey):
            try Self.encode(creation, into: &params)
            try params.encodeIfPresent(mapKey, forKey: .privateMapKey)
            try params.encodeIfPresent(key?.rawValue, forKey: .key)
        case .enterRoom(let room, let since, let mapKey):
            try params.encode(room, forKey: .room)
            try params.encodeIfPresent(mapKey, forKey: .privateMapKey)
            try params.encodeIfPresent(since, forKey: .since)
        case .listRooms(let query):
            try params.encodeIfPresent(query.kind, forKey: .kind)
            try params.encodeIfPresent(query.text, forKey: .query)
            try params.encodeIfPresent(query.tag, forKey: .tag)
            if query.order != .newest { try params.encode(query.order, forKey: .order) }
            try params.encode(query.limit, forKey: .limit)
            try params.encodeIfPresent(query.cursor, forKey: .cursor)
        case .getRooms(let rooms): try params.encode(rooms, forKey: .rooms)
        case .listMembers(let room, let query):
            try params.encode(room, forKey: .room)
            switch query {
            case .users(let users): try params.encode(users, forKey: .users)
            case .everyone(let limit, let cursor):
                try params.encode(limit, forKey: .limit)
                try params.encodeIfPresent(cursor, forKey: .cursor)
            }
        case .listInvitations(let room, let cursor):
            try params.encode(room, forKey: .room)
            try params.encodeIfPresent(cursor, forKey: .cursor)
        case .sendReport(let room, let draft):
            try params.encode(room, forKey: .room)
            try params.encode(draft.user, forKey: .user)
            try params.encode(draft.cause, forKey: .cause)
            try params.encodeIfPresent(draft.words, forKey: .words)
            try params.encodeIfPresent(draft.message, forKey: .chat)
        case .listRestrictions(let room), .readGiftRanking(let room): try params.encode(room, forKey: .room)
        case .readRequestStill(let room, let id):
            try params.encode(room, forKey: .room)
            try params.encode(id, forKey: .id)
        case .setStill(let room, let picture):
            try params.encode(room, forKey: .room)
            try params.encodeIfPresent(picture.map { Data($0.jpeg) }, forKey: .picture)
        case .command(let room, let command, let key):
            try params.encode(room, forKey: .room)
            try command.encode(into: &params)
            try params.encodeIfPresent(key?.rawValue, forKey: .key)
        }
    }

    private static func encode(_ creation: RoomCreation, into params: inout KeyedEncodingContainer<Call.ParameterName>)
        throws
    {
        try params.encodeIfPresent(creation.room, forKey: .room)
        try params.encode(creation.kind, forKey: .kind)
        try params.encode(creation.settings.name, forKey: .name)
        try params.encode(creation.settings.cover, forKey: .cover)
        try params.encode(creation.settings.tags, forKey: .tags)
        try params.encode(creation.settings.needsRequest, forKey: .needsRequest)
        if creation.settings.isAdvisory { try params.encode(ConsentWord.advisory, forKey: .consent) }
        try params.encode(creation.seats, forKey: .seats)
        if creation.kind == .live { try params.encode(creation.settings.pictureFormat, forKey: .pictureFormat) }
    }
}

extension MessageBody {
    fileprivate func encode(into params: inout KeyedEncodingContainer<Call.ParameterName>) throws {
        switch self {
        case .text(let text): try params.encode(text, forKey: .text)
        case .custom(let command, let message):
            try params.encode(command, forKey: .command)
            try params.encode(message, forKey: .message)
        }
    }
}

extension RoomCommand {
    fileprivate var method: Method {
        switch self {
        case .takeSeat: .seatTake
        case .leaveSeat: .seatLeave
        case .moveSeat: .seatMove
        case .pickSeat: .seatPick
        case .kickSeat: .seatKick
        case .muteSeat: .seatMute
        case .closeSeat: .seatClose
        case .setMicrophone: .microphoneSet
        case .setCamera: .cameraSet
        case .allowCamera: .seatCamera
        case .startScreen: .screenStart
        case .stopScreen: .screenStop
        case .arrangeStage: .stageArrange
        case .sendInvitation: .invitationSend
        case .acceptInvitation: .invitationAccept
        case .rejectInvitation: .invitationReject
        case .cancelInvitation: .invitationCancel
        case .sendMessage: .messageSend
        case .deleteMessage: .messageDelete
        case .setRestriction: .restrictionSet
        case .liftRestriction: .restrictionLift
        case .sendLikes: .likeSend
        case .sendGift: .giftSend
        case .startSong: .songStart
        case .pauseSong: .songPause
        case .resumeSong: .songResume
        case .seekSong: .songSeek
        case .setSongTrack: .songTrack
        case .stopSong: .songStop
        case .setDuetMode: .duetMode
        case .challenge: .pkChallenge
        case .cancelChallenge: .pkCancel
        case .answerChallenge: .pkAnswer
        case .readyForPK: .pkReady
        case .quitPK: .pkQuit
        case .muteLink: .pkMute
        case .updateRoom: .roomUpdate
        case .setAttributes: .attributesSet
        case .setRole: .roleSet
        case .setOwner: .ownerSet
        case .exitRoom: .roomExit
        case .destroyRoom: .roomDestroy
        }
    }

    fileprivate func encode(into params: inout KeyedEncodingContainer<Call.ParameterName>) throws {
        switch self {
        case .takeSeat(let seat), .moveSeat(let seat), .kickSeat(let seat): try params.encode(seat, forKey: .seat)
        case .leaveSeat, .exitRoom, .destroyRoom, .pauseSong, .stopSong, .startScreen, .stopScreen,
            .cancelChallenge, .readyForPK:
            break
        case .pickSeat(let seat, let user):
            try params.encode(seat, forKey: .seat)
            try params.encode(user, forKey: .user)
        case .muteSeat(let seat, let muted):
            try params.encode(seat, forKey: .seat)
            try params.encode(muted, forKey: .muted)
        case .closeSeat(let seat, let closed):
            try params.encode(seat, forKey: .seat)
            try params.encode(closed, forKey: .closed)
        case .allowCamera(let seat, let allowed):
            try params.encode(seat, forKey: .seat)
            try params.encode(allowed, forKey: .allowed)
        case .setMicrophone(let muted): try params.encode(muted, forKey: .muted)
        case .setCamera(let on): try params.encode(on, forKey: .on)
        case .arrangeStage(let layout):
            try params.encode(layout.form, forKey: .form)
            try params.encodeIfPresent(layout.large, forKey: .large)
        case .sendInvitation(let draft):
            try params.encode(draft.to, forKey: .user)
            try params.encode(draft.command, forKey: .command)
            try params.encode(draft.content, forKey: .content)
            try params.encodeIfPresent(draft.words, forKey: .words)
            try params.encodeIfPresent(draft.still.map { Data($0.jpeg) }, forKey: .still)
            try params.encode(draft.timeoutSeconds, forKey: .timeoutSeconds)
            try params.encodeIfPresent(draft.id, forKey: .id)
        case .acceptInvitation(let id), .cancelInvitation(let id): try params.encode(id, forKey: .id)
        case .rejectInvitation(let id, let reason):
            try params.encode(id, forKey: .id)
            try params.encodeIfPresent(reason, forKey: .reason)
        case .sendMessage(let draft):
            try draft.body.encode(into: &params)
            try params.encodeIfPresent(draft.id, forKey: .id)
            if draft.priority != .normal { try params.encode(draft.priority, forKey: .priority) }
        case .sendLikes(let count): try params.encode(count, forKey: .count)
        case .sendGift(let draft):
            try params.encode(draft.gift, forKey: .gift)
            try params.encode(draft.count, forKey: .count)
            try params.encodeIfPresent(draft.to, forKey: .to)
        case .startSong(let draft):
            try params.encode(draft.song, forKey: .song)
            try params.encode(draft.track, forKey: .track)
            try params.encode(draft.positionMs, forKey: .positionMs)
            try params.encode(draft.leadMs, forKey: .leadMs)
        case .resumeSong(let leadMs): try params.encode(leadMs, forKey: .leadMs)
        case .seekSong(let positionMs, let leadMs):
            try params.encode(positionMs, forKey: .positionMs)
            try params.encode(leadMs, forKey: .leadMs)
        case .setSongTrack(let track): try params.encode(track, forKey: .track)
        case .setDuetMode(let mode, let leader):
            try params.encode(mode, forKey: .mode)
            try params.encodeIfPresent(leader, forKey: .leader)
        case .challenge(let other, let terms):
            try params.encode(other, forKey: .other)
            try params.encodeIfPresent(terms, forKey: .terms)
        case .answerChallenge(let id, let agreed, let pause):
            try params.encode(id, forKey: .id)
            try params.encode(agreed, forKey: .agreed)
            try params.encodeIfPresent(pause?.rawValue, forKey: .pause)
        case .quitPK(let link): try params.encodeIfPresent(link, forKey: .link)
        case .muteLink(let link, let muted):
            try params.encode(link, forKey: .link)
            try params.encode(muted, forKey: .muted)
        case .updateRoom(let update):
            try params.encodeIfPresent(update.name, forKey: .name)
            try params.encodeIfPresent(update.cover, forKey: .cover)
            try params.encodeIfPresent(update.tags, forKey: .tags)
            try params.encodeIfPresent(update.needsRequest, forKey: .needsRequest)
            try params.encodeIfPresent(update.slowSeconds, forKey: .slowSeconds)
            try params.encodeIfPresent(update.hostsOnly, forKey: .hostsOnly)
            try params.encodeIfPresent(update.noLinks, forKey: .noLinks)
        case .setAttributes(let draft):
            if !draft.set.isEmpty { try params.encode(draft.set, forKey: .set) }
            if !draft.add.isEmpty { try params.encode(draft.add, forKey: .add) }
            if !draft.remove.isEmpty { try params.encode(draft.remove, forKey: .remove) }
            if draft.replace { try params.encode(true, forKey: .replace) }
        case .deleteMessage(let chat): try params.encode(chat, forKey: .chat)
        case .setRestriction(let draft):
            try params.encode(draft.kind, forKey: .kind)
            try params.encode(draft.user, forKey: .user)
            try params.encodeIfPresent(draft.seconds, forKey: .seconds)
            if draft.everywhere { try params.encode(true, forKey: .everywhere) }
            try params.encodeIfPresent(draft.reason, forKey: .reason)
        case .liftRestriction(let kind, let user):
            try params.encode(kind, forKey: .kind)
            try params.encode(user, forKey: .user)
        case .setOwner(let user): try params.encode(user, forKey: .user)
        case .setRole(let user, let role):
            try params.encode(user, forKey: .user)
            try params.encode(role, forKey: .role)
        }
    }
}
