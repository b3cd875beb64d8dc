import RoomModel

/// The names of the calls. A new call is a case here and its line in `decode`.
package enum Method: String, CaseIterable, Sendable {
    case sessionOpen = "session.open"
    case sessionRenew = "session.renew"
    case sessionClose = "session.close"
    case clockRead = "clock.read"
    case profileSet = "profile.set"
    case profileGet = "profile.get"

    case roomCreate = "room.create"
    case roomEnter = "room.enter"
    case roomExit = "room.exit"
    case roomDestroy = "room.destroy"
    case roomUpdate = "room.update"
    case attributesSet = "attributes.set"
    case roomList = "room.list"
    case roomGet = "room.get"
    case roomMembers = "room.members"
    case roleSet = "role.set"
    case ownerSet = "owner.set"
    case stillSet = "still.set"

    case seatTake = "seat.take"
    case seatLeave = "seat.leave"
    case seatMove = "seat.move"
    case seatPick = "seat.pick"
    case seatKick = "seat.kick"
    case seatMute = "seat.mute"
    case seatClose = "seat.close"
    case seatCamera = "seat.camera"
    case microphoneSet = "microphone.set"
    case cameraSet = "camera.set"
    case screenStart = "screen.start"
    case screenStop = "screen.stop"
    case stageArrange = "stage.arrange"

    case invitationSend = "invitation.send"
    case invitationAccept = "invitation.accept"
    case invitationReject = "invitation.reject"
    case invitationCancel = "invitation.cancel"
    case invitationList = "invitation.list"
    case invitationStill = "invitation.still"
    case messageSend = "message.send"
    case messageDelete = "message.delete"
    case restrictionSet = "restriction.set"
    case restrictionLift = "restriction.lift"
    case restrictionList = "restriction.list"
    case reportSend = "report.send"
    case signalSend = "signal.send"
    case likeSend = "like.send"

    case giftList = "gift.list"
    case giftSend = "gift.send"
    case giftRanking = "gift.ranking"
    case walletGet = "wallet.get"
    case walletStatement = "wallet.statement"
    case walletFaucet = "wallet.faucet"

    case songStart = "song.start"
    case songPause = "song.pause"
    case songResume = "song.resume"
    case songSeek = "song.seek"
    case songTrack = "song.track"
    case songStop = "song.stop"
    case songLatency = "song.latency"
    case duetMode = "duet.mode"

    case pkChallenge = "pk.challenge"
    case pkCancel = "pk.cancel"
    case pkAnswer = "pk.answer"
    case pkReady = "pk.ready"
    case pkQuit = "pk.quit"
    case pkMute = "pk.mute"

    case mediaOffer = "media.offer"
    case mediaView = "media.view"
    case mediaClose = "media.close"
    case lineTest = "line.test"
    case lineEnd = "line.end"

    /// The largest text of a call, in bytes; a session description with many lines is the only long one.
    package var maximumBytes: Int { self == .mediaOffer || self == .lineTest ? 256 << 10 : Self.usualBytes }
    package static let usualBytes = 64 << 10

    /// What equipment takes at most, in milliseconds: wireless headphones take 300.
    private var latencyRange: ClosedRange<Int> { 0...500 }
    /// A way that takes longer carries no duet, nor a conversation.
    private var roundTripRange: ClosedRange<Int> { 0...2_000 }
    /// More no jitter buffer of a conversation holds.
    private var bufferRange: ClosedRange<Int> { 0...1_000 }

    /// Reads the parameters; throws a `RoomError` or a `DecodingError`.
    func decode(_ p: Parameters) throws -> Call.Body {
        switch self {
        case .sessionOpen: .openSession(try p.sessionOpening())
        case .sessionRenew: .renewSession(ticket: try p.required("ticket"))
        case .sessionClose: .closeSession
        case .clockRead: .readClock
        case .profileSet:
            .setProfile(
                name: try p.personName(), avatar: try p.optional("avatar"), bio: try p.optional("bio"))
        case .profileGet: .getProfiles(try p.ids("users", wrong: .userIDInvalid) ?? [])

        case .roomCreate:
            .rooms(
                .createRoom(
                    try p.roomCreation(), key: try p.key(), privateMapKey: try p.text("privateMapKey", .secret)))
        case .roomEnter:
            .rooms(
                .enterRoom(
                    try p.room(), since: try p.optional("since"), privateMapKey: try p.text("privateMapKey", .secret)))
        case .roomExit: try p.command(.exitRoom)
        case .roomDestroy: try p.command(.destroyRoom)
        case .roomUpdate: try p.command(.updateRoom(p.roomUpdate()))
        case .attributesSet: try p.command(.setAttributes(p.attributes()))
        case .roomList: .rooms(.listRooms(try p.roomQuery()))
        case .roomGet: .rooms(.getRooms(try p.rooms()))
        case .roomMembers: .rooms(.listMembers(try p.room(), try p.membersQuery()))
        case .roleSet: try p.command(.setRole(p.user(), p.role()))
        case .ownerSet: try p.command(.setOwner(p.user()))

        case .stillSet: .rooms(.setStill(try p.room(), try p.still()))
        case .seatTake: try p.command(.takeSeat(p.seat()))
        case .seatLeave: try p.command(.leaveSeat)
        case .seatMove: try p.command(.moveSeat(p.seat()))
        case .seatPick: try p.command(.pickSeat(p.seat(), p.user()))
        case .seatKick: try p.command(.kickSeat(p.seat()))
        case .seatMute: try p.command(.muteSeat(p.seat(), muted: p.required("muted")))
        case .seatClose: try p.command(.closeSeat(p.seat(), closed: p.required("closed")))
        case .seatCamera: try p.command(.allowCamera(p.seat(), allowed: p.required("allowed")))
        case .microphoneSet: try p.command(.setMicrophone(muted: p.required("muted")))
        case .cameraSet: try p.command(.setCamera(on: p.required("on")))
        case .screenStart: try p.command(.startScreen)
        case .screenStop: try p.command(.stopScreen)

        case .stageArrange: try p.command(.arrangeStage(p.stageLayout()))
        case .invitationSend: try p.command(.sendInvitation(p.invitation()))
        case .invitationAccept: try p.command(.acceptInvitation(id: p.required("id")))
        case .invitationReject: try p.command(.rejectInvitation(id: p.required("id"), reason: p.optional("reason")))
        case .invitationCancel: try p.command(.cancelInvitation(id: p.required("id")))
        case .invitationStill: .rooms(.readRequestStill(try p.room(), id: try p.required("id")))
        case .invitationList: .rooms(.listInvitations(try p.room(), cursor: try p.optional("cursor")))
        case .messageSend: try p.command(.sendMessage(p.message()))
        case .messageDelete: try p.command(.deleteMessage(p.required("chat")))
        case .restrictionSet: try p.command(.setRestriction(p.restriction()))
        case .restrictionLift: try p.command(.liftRestriction(p.restrictionKind(), of: p.user()))
        case .restrictionList: .rooms(.listRestrictions(try p.room()))
        case .signalSend: .sendSignal(try p.signal())
        case .reportSend: .rooms(.sendReport(try p.room(), try p.report()))
        case .likeSend: try p.command(.sendLikes(p.integer("count", in: 1...100)))

        case .giftList: .wallet(.listGifts)
        case .giftSend: try p.command(.sendGift(p.gift()))
        case .giftRanking: .rooms(.readGiftRanking(try p.room()))
        case .walletGet: .wallet(.read)
        case .walletStatement: .wallet(.readStatement(try p.statement()))
        case .walletFaucet: .wallet(.drawCoins(key: try p.requiredKey()))

        case .songStart: try p.command(.startSong(p.song()))
        case .songPause: try p.command(.pauseSong)
        case .songResume: try p.command(.resumeSong(leadMs: p.optional("leadMs") ?? SongLead.resume))
        case .songSeek:
            try p.command(
                .seekSong(positionMs: p.required("positionMs"), leadMs: p.optional("leadMs") ?? SongLead.resume))
        case .songTrack: try p.command(.setSongTrack(p.track()))
        case .songStop: try p.command(.stopSong)
        case .songLatency:
            .stateLatency(
                try p.room(),
                LatencyStatement(
                    outputMs: try p.integer("outputMs", in: latencyRange),
                    inputMs: try p.integer("inputMs", in: latencyRange),
                    roundTripMs: try p.optionalInteger("roundTripMs", in: roundTripRange),
                    bufferMs: try p.optionalInteger("bufferMs", in: bufferRange)))
        case .duetMode: try p.command(.setDuetMode(p.duetMode(), leader: p.optionalUser("leader")))

        case .pkChallenge: try p.command(.challenge(p.room("other"), p.pkTerms()))
        case .pkCancel: try p.command(.cancelChallenge)
        case .pkAnswer:
            try p.command(.answerChallenge(id: p.required("id"), agreed: p.required("agreed"), pause: p.pkPause()))
        case .pkReady: try p.command(.readyForPK)
        case .pkQuit: try p.command(.quitPK(link: p.optional("link")))
        case .pkMute: try p.command(.muteLink(p.required("link"), muted: p.required("muted")))

        case .mediaOffer:
            .offerMedia(
                try p.room(), number: try p.required("number"), sdp: try p.required("sdp"), lines: try p.mediaLines())
        case .mediaView: .viewPicture(try p.room(), try p.picture(), try p.required("size"))
        case .mediaClose: .closeMedia(try p.room())
        case .lineTest: .testLine(sdp: try p.required("sdp"))
        case .lineEnd: .endLineTest
        }
    }
}

// How the parameters of a call become the values of the room model. What only a room can judge (lengths, who may) is left to its rules.
extension Parameters {
    fileprivate func picture() throws -> PictureView {
        if try optional("screen") == true { return .screen }
        return try optionalInteger("guest", in: 0...Int(UInt16.max)).map { .guest($0) } ?? .seat(seat())
    }

    fileprivate func pkTerms() throws -> PKTerms? {
        guard let terms = try object("terms") else { return nil }
        return PKTerms(
            seconds: try terms.required("seconds"), forfeitSeconds: try terms.optional("forfeitSeconds") ?? 0,
            forfeit: try terms.optional("forfeit") ?? "")
    }

    fileprivate func pkPause() throws -> PKPause? {
        guard let name: String = try optional("pause") else { return nil }
        guard let pause = PKPause(rawValue: name) else {
            throw RoomError.invalid("pause", "a pause is host or all")
        }
        return pause
    }

    fileprivate func mediaLines() throws -> [String: MediaLineName] {
        let lines: [String: MediaLineName] = try optional("lines") ?? [:]
        guard lines.count <= MediaLineName.mostLines else {
            throw RoomError.invalid("lines", "an offer has at most \(MediaLineName.mostLines) lines")
        }
        try lines.keys.map { SaidText(.mediaLine, $0, "lines") }.checkSizes()
        return lines
    }

    fileprivate func command(_ command: RoomCommand) throws -> Call.Body {
        .rooms(.command(try room(), command, key: try key()))
    }

    fileprivate func sessionOpening() throws -> SessionOpening {
        let client = try object("client")
        return SessionOpening(
            version: try required("version"), application: ApplicationID(try required("app")), user: try user(),
            ticket: try optional("ticket") ?? "", name: try personName(), avatar: try optional("avatar"),
            resume: try text("resume", .secret),
            client: try client.map {
                "\(try $0.text("name", .clientName) ?? "") \(try $0.text("version", .clientName) ?? "")"
            })
    }

    fileprivate func roomCreation() throws -> RoomCreation {
        let kindName: String? = try optional("kind")
        let kind = kindName.map(RoomKind.init(rawValue:)) ?? .voice
        guard kind.isKnown else {
            throw RoomError.invalid("kind", "there is no such kind of room")
        }
        let formatName: String? = try optional("pictureFormat")
        let format = formatName.map(PictureFormat.init(rawValue:)) ?? .vp8
        guard format.isKnown else { throw RoomError.invalid("pictureFormat", "pictures come as vp8, h264, vp9 or av1") }
        var settings = RoomSettings(
            name: try required("name"), cover: try optional("cover") ?? "", tags: try optional("tags") ?? [],
            needsRequest: try optional("needsRequest") ?? false, pictureFormat: format)
        let consent: String? = try optional("consent")
        guard let word = ConsentWord(rawValue: consent ?? ConsentWord.enforced.rawValue) else {
            throw RoomError.invalid("consent", "consent is enforced or advisory")
        }
        settings.isAdvisory = word == .advisory
        return RoomCreation(
            room: try optionalRoom(), kind: kind, settings: settings, seats: try seats(default: kind == .chorus ? 2 : 8)
        )
    }

    /// A number of plain seats, or a list that says how each starts out.
    private func seats(default usual: Int) throws -> [SeatSetup] {
        let bounds = 1...16
        let seats: [SeatSetup]
        if let list = try? optional("seats", as: [LenientSeat].self) {
            seats = list.map(\.setup)
        } else {
            seats = Array(repeating: SeatSetup(), count: try integer("seats", in: bounds, default: usual))
        }
        guard bounds.contains(seats.count) else { throw RoomError.invalid("seats", "a room has 1…16 seats") }
        return seats
    }

    private struct LenientSeat: Decodable {
        var muted: Bool?
        var closed: Bool?
        var setup: SeatSetup { SeatSetup(muted: muted ?? false, closed: closed ?? false) }
    }

    fileprivate func roomUpdate() throws -> RoomUpdate {
        RoomUpdate(
            name: try optional("name"), cover: try optional("cover"), tags: try optional("tags"),
            needsRequest: try optional("needsRequest"), slowSeconds: try optional("slowSeconds"),
            hostsOnly: try optional("hostsOnly"), noLinks: try optional("noLinks"))
    }

    fileprivate func attributes() throws -> AttributesDraft {
        AttributesDraft(
            set: try optional("set") ?? [:], add: try optional("add") ?? [:], remove: try optional("remove") ?? [],
            replace: try optional("replace") ?? false)
    }

    fileprivate func restrictionKind() throws -> RestrictionKind {
        guard let kind = RestrictionKind(rawValue: try required("kind")) else {
            throw RoomError.invalid("kind", "a restriction is chat_mute or ban")
        }
        return kind
    }

    fileprivate func report() throws -> ReportDraft {
        guard let cause = ReportCause(rawValue: try required("cause")) else {
            let causes = ReportCause.allCases.map(\.rawValue).joined(separator: ", ")
            throw RoomError.invalid("cause", "a cause is one of \(causes)")
        }
        return ReportDraft(try user(), cause: cause, words: try optional("words"), message: try optional("chat"))
    }

    fileprivate func restriction() throws -> RestrictionDraft {
        RestrictionDraft(
            try restrictionKind(), of: try user(), seconds: try optional("seconds"),
            everywhere: try optional("everywhere") ?? false, reason: try optional("reason"))
    }

    fileprivate func roomQuery() throws -> RoomQuery {
        let kindName: String? = try optional("kind")
        let kind = try kindName.map { name throws -> RoomKind in
            let kind = RoomKind(rawValue: name)
            guard kind.isKnown else {
                throw RoomError.invalid("kind", "there is no such kind of room")
            }
            return kind
        }
        return RoomQuery(
            kind: kind, text: try optional("query"), tag: try optional("tag"), order: try roomOrder(),
            limit: try integer("limit", in: 1...100, default: 30), cursor: try optional("cursor"))
    }

    private func roomOrder() throws -> RoomOrder {
        guard let name: String = try optional("order") else { return .newest }
        guard let order = RoomOrder(rawValue: name) else {
            throw RoomError.invalid("order", "an order is newest or busiest")
        }
        return order
    }

    fileprivate func membersQuery() throws -> MembersQuery {
        if let users: [UserID] = try ids("users", wrong: .userIDInvalid) { return .users(users) }
        return .everyone(limit: try integer("limit", in: 1...200, default: 100), cursor: try optional("cursor"))
    }

    /// `owner` can be nobody's new role: a room is handed on by its own rule.
    fileprivate func role() throws -> Role {
        guard let role = Role(rawValue: try required("role")), role != .owner else {
            throw RoomError.invalid("role", "role is admin or member")
        }
        return role
    }

    fileprivate func stageLayout() throws -> StageLayout {
        guard let form = StageLayout.Form(rawValue: try required("form")) else {
            throw RoomError.invalid("form", "form is grid or spotlight")
        }
        return StageLayout(form: form, large: try optionalUser("large"))
    }

    fileprivate func invitation() throws -> InvitationDraft {
        InvitationDraft(
            to: try user(), command: try required("command"), content: try optional("content") ?? "",
            words: try optional("words"), still: try still("still", byteLimit: StillPicture.requestByteLimit),
            timeoutSeconds: try integer("timeoutSeconds", in: 0...3600, default: 0), id: try optional("id"))
    }

    fileprivate func song() throws -> SongDraft {
        guard let fields = try object("song") else {
            throw RoomError.invalid("song", "the parameter song is missing")
        }
        let song = Song(
            id: try fields.required("id"), title: try fields.required("title"), artist: try fields.optional("artist"),
            durationMs: try fields.required("durationMs"), accompaniment: try fields.required("accompaniment"),
            original: try fields.optional("original"), lyrics: try fields.optional("lyrics"))
        return SongDraft(
            song: song, track: try track(default: .accompaniment),
            positionMs: try optional("positionMs") ?? 0, leadMs: try optional("leadMs") ?? SongLead.start)
    }

    fileprivate func track(default fallback: SongTrack? = nil) throws -> SongTrack {
        let name: String = try fallback.map { try optional("track") ?? $0.rawValue } ?? required("track")
        guard let track = SongTrack(rawValue: name) else {
            throw RoomError.invalid("track", "a track is accompaniment or original")
        }
        return track
    }

    fileprivate func duetMode() throws -> DuetMode.Name {
        guard let mode = DuetMode.Name(rawValue: try required("mode")) else {
            throw RoomError.invalid("mode", "a mode is together or leadFollow")
        }
        return mode
    }

    private func messageBody() throws -> MessageBody {
        if let text: String = try optional("text") { return .text(text) }
        return .custom(command: try required("command"), message: try required("message"))
    }

    fileprivate func signal() throws -> SignalDraft {
        SignalDraft(to: try user(), try messageBody(), id: try optional("id"))
    }

    fileprivate func message() throws -> MessageDraft {
        let body = try messageBody()
        var priority = MessagePriority.normal
        if let name: String = try optional("priority") {
            guard let known = MessagePriority(rawValue: name) else {
                throw RoomError.invalid("priority", "a priority is high, normal or low")
            }
            priority = known
        }
        return MessageDraft(body, id: try optional("id"), priority: priority)
    }
}

/// Whether listeners have to ask before they sit down is a rule of the server, where the application has it so, or left to the clients.
enum ConsentWord: String, Codable { case enforced, advisory }
