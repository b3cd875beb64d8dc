/// The parameters of a call: one value, declared once, which the wire, the rules and the clients share. Its fields stand in the call by
/// their names. What does not fit is refused by a `RoomError` that names the field (`ParameterDecoder`).
package protocol CallPayload: Codable, Hashable, Sendable {
    /// What can be judged without looking at a room: bounds of numbers, lengths of lists.
    func check() throws(RoomError)
}

extension CallPayload {
    package func check() throws(RoomError) {}
}

/// What a command of a room says. On the wire the room and, where the caller has one, the key stand beside its fields.
package protocol CommandPayload: CallPayload {
    static var name: RoomCommand.Name { get }
    /// As one of all commands.
    var asCommand: RoomCommand { get }
    /// All that its author wrote.
    var texts: [SaidText] { get }
    /// Whether it asks for what the rights of its access are about.
    var usesRights: Bool { get }
    /// Whether it counts among the changes that one person may make.
    static var allowance: ChangeAllowance { get }
    /// Where operators' programs find it over HTTP; `nil`: they do not.
    static var operatorPath: OperatorPath? { get }
    /// What it answers when it is accepted.
    static var answer: CommandResult.Form { get }
}

extension CommandPayload {
    package var texts: [SaidText] { [] }
    package var usesRights: Bool { true }
    package static var allowance: ChangeAllowance { .needed }
    package static var operatorPath: OperatorPath? { nil }
    package static var answer: CommandResult.Form { .done }
}

/// How a command counts among the changes that one person may make in a room: each is told to everybody there.
package enum ChangeAllowance: Hashable, Sendable {
    /// It takes one, and is refused where none is left.
    case needed
    /// So does what begins something (`usesRights`). Who falls silent need not wait.
    case neededToBegin
    /// It ends what took one when it began, and is never refused.
    case notNeeded
    /// The room has another measure for it.
    case measuredByRoom
}

/// A command as an operation of the REST API.
package struct OperatorPath: Hashable, Sendable {
    package enum Method: Sendable { case post, put, patch, delete }

    package var method: Method
    /// Below `/v1/`, with the names of its parameters in braces.
    package var path: String
    /// What may stand in the query, and whether it is a number.
    package var query: [String: Bool]

    package init(_ method: Method, _ path: String, query: [String: Bool] = [:]) {
        self.method = method
        self.path = path
        self.query = query
    }
}

extension RoomError {
    /// The refusal of a number that is outside its bounds.
    package static func check(_ number: Int, in range: ClosedRange<Int>, _ field: String) throws(RoomError) {
        guard range.contains(number) else {
            throw .invalid(field, "\(field) is \(range.lowerBound)…\(range.upperBound)")
        }
    }
}

/// What a person in a room can ask for. Each command is declared in the file of its subject, here it is one of all.
package enum RoomCommand: Hashable, Sendable {
    // seats
    case takeSeat(TakeSeat)
    case leaveSeat
    case moveSeat(MoveSeat)
    case pickSeat(PickSeat)
    case kickSeat(KickSeat)
    case muteSeat(MuteSeat)
    case closeSeat(CloseSeat)
    case setMicrophone(SetMicrophone)
    // pictures
    case setCamera(SetCamera)
    case allowCamera(AllowCamera)
    case startScreen
    case stopScreen
    case arrangeStage(ArrangeStage)
    // invitations
    case sendInvitation(InvitationDraft)
    case acceptInvitation(AcceptInvitation)
    case rejectInvitation(RejectInvitation)
    case cancelInvitation(CancelInvitation)
    // chat
    case sendMessage(MessageDraft)
    case sendLikes(SendLikes)
    case sendGift(GiftDraft)
    // moderation
    case deleteMessage(DeleteMessage)
    case setRestriction(RestrictionDraft)
    case liftRestriction(LiftRestriction)
    // songs
    case startSong(SongDraft)
    case pauseSong
    case resumeSong(ResumeSong)
    case seekSong(SeekSong)
    case setSongTrack(SetSongTrack)
    case stopSong
    case setDuetMode(SetDuetMode)
    // other rooms
    case challenge(ChallengeHost)
    case cancelChallenge
    case answerChallenge(AnswerChallenge)
    case readyForPK
    case quitPK(QuitPK)
    case muteLink(MuteLink)
    // membership
    case updateRoom(RoomUpdate)
    case setAttributes(AttributesDraft)
    case setRole(SetRole)
    case setOwner(SetOwner)
    case exitRoom
    case destroyRoom

    /// The command without its arguments: a line of the permission table, and the method on the wire.
    package enum Name: String, CaseIterable, Hashable, Sendable {
        case takeSeat = "seat.take"
        case leaveSeat = "seat.leave"
        case moveSeat = "seat.move"
        case pickSeat = "seat.pick"
        case kickSeat = "seat.kick"
        case muteSeat = "seat.mute"
        case closeSeat = "seat.close"
        case setMicrophone = "microphone.set"
        case setCamera = "camera.set"
        case allowCamera = "seat.camera"
        case startScreen = "screen.start"
        case stopScreen = "screen.stop"
        case arrangeStage = "stage.arrange"
        case sendInvitation = "invitation.send"
        case acceptInvitation = "invitation.accept"
        case rejectInvitation = "invitation.reject"
        case cancelInvitation = "invitation.cancel"
        case sendMessage = "message.send"
        case sendLikes = "like.send"
        case sendGift = "gift.send"
        case deleteMessage = "message.delete"
        case setRestriction = "restriction.set"
        case liftRestriction = "restriction.lift"
        case startSong = "song.start"
        case pauseSong = "song.pause"
        case resumeSong = "song.resume"
        case seekSong = "song.seek"
        case setSongTrack = "song.track"
        case stopSong = "song.stop"
        case setDuetMode = "duet.mode"
        case challenge = "pk.challenge"
        case cancelChallenge = "pk.cancel"
        case answerChallenge = "pk.answer"
        case readyForPK = "pk.ready"
        case quitPK = "pk.quit"
        case muteLink = "pk.mute"
        case updateRoom = "room.update"
        case setAttributes = "attributes.set"
        case setRole = "role.set"
        case setOwner = "owner.set"
        case exitRoom = "room.exit"
        case destroyRoom = "room.destroy"
    }

    package var payload: any CommandPayload {
        switch self {
        case .takeSeat(let payload): payload
        case .leaveSeat: LeaveSeat()
        case .moveSeat(let payload): payload
        case .pickSeat(let payload): payload
        case .kickSeat(let payload): payload
        case .muteSeat(let payload): payload
        case .closeSeat(let payload): payload
        case .setMicrophone(let payload): payload
        case .setCamera(let payload): payload
        case .allowCamera(let payload): payload
        case .startScreen: StartScreen()
        case .stopScreen: StopScreen()
        case .arrangeStage(let payload): payload
        case .sendInvitation(let payload): payload
        case .acceptInvitation(let payload): payload
        case .rejectInvitation(let payload): payload
        case .cancelInvitation(let payload): payload
        case .sendMessage(let payload): payload
        case .sendLikes(let payload): payload
        case .sendGift(let payload): payload
        case .deleteMessage(let payload): payload
        case .setRestriction(let payload): payload
        case .liftRestriction(let payload): payload
        case .startSong(let payload): payload
        case .pauseSong: PauseSong()
        case .resumeSong(let payload): payload
        case .seekSong(let payload): payload
        case .setSongTrack(let payload): payload
        case .stopSong: StopSong()
        case .setDuetMode(let payload): payload
        case .challenge(let payload): payload
        case .cancelChallenge: CancelChallenge()
        case .answerChallenge(let payload): payload
        case .readyForPK: ReadyForPK()
        case .quitPK(let payload): payload
        case .muteLink(let payload): payload
        case .updateRoom(let payload): payload
        case .setAttributes(let payload): payload
        case .setRole(let payload): payload
        case .setOwner(let payload): payload
        case .exitRoom: ExitRoom()
        case .destroyRoom: DestroyRoom()
        }
    }

    package var name: Name { type(of: payload).name }
    /// All that its author wrote.
    package var texts: [SaidText] { payload.texts }
}

extension RoomCommand.Name {
    package var type: any CommandPayload.Type {
        switch self {
        case .takeSeat: TakeSeat.self
        case .leaveSeat: LeaveSeat.self
        case .moveSeat: MoveSeat.self
        case .pickSeat: PickSeat.self
        case .kickSeat: KickSeat.self
        case .muteSeat: MuteSeat.self
        case .closeSeat: CloseSeat.self
        case .setMicrophone: SetMicrophone.self
        case .setCamera: SetCamera.self
        case .allowCamera: AllowCamera.self
        case .startScreen: StartScreen.self
        case .stopScreen: StopScreen.self
        case .arrangeStage: ArrangeStage.self
        case .sendInvitation: InvitationDraft.self
        case .acceptInvitation: AcceptInvitation.self
        case .rejectInvitation: RejectInvitation.self
        case .cancelInvitation: CancelInvitation.self
        case .sendMessage: MessageDraft.self
        case .sendLikes: SendLikes.self
        case .sendGift: GiftDraft.self
        case .deleteMessage: DeleteMessage.self
        case .setRestriction: RestrictionDraft.self
        case .liftRestriction: LiftRestriction.self
        case .startSong: SongDraft.self
        case .pauseSong: PauseSong.self
        case .resumeSong: ResumeSong.self
        case .seekSong: SeekSong.self
        case .setSongTrack: SetSongTrack.self
        case .stopSong: StopSong.self
        case .setDuetMode: SetDuetMode.self
        case .challenge: ChallengeHost.self
        case .cancelChallenge: CancelChallenge.self
        case .answerChallenge: AnswerChallenge.self
        case .readyForPK: ReadyForPK.self
        case .quitPK: QuitPK.self
        case .muteLink: MuteLink.self
        case .updateRoom: RoomUpdate.self
        case .setAttributes: AttributesDraft.self
        case .setRole: SetRole.self
        case .setOwner: SetOwner.self
        case .exitRoom: ExitRoom.self
        case .destroyRoom: DestroyRoom.self
        }
    }
}

/// What an accepted command answers.
package enum CommandResult: Hashable, Sendable {
    /// `{}`
    case done
    /// The invitation's id, and its place among the requests that wait for the same person, from 1.
    case invited(id: String, position: Int)
    /// Number and time (milliseconds since 1970) of the message.
    case sent(chat: UInt64, time: Int64)
    /// The room's likes, these included.
    case liked(total: UInt64)
    /// The room time (milliseconds since 1970) at which the song is heard.
    case scheduled(startAt: Int64)
    /// The gift's number, and the coins that its sender had left.
    case gifted(number: Int64, balance: Int64)

    /// Which of them a command answers.
    package enum Form: Hashable, Sendable, CaseIterable {
        case done, invited, sent, liked, scheduled, gifted
        /// `scheduled`, or `done` while the song is paused.
        case scheduledUnlessPaused
    }
}

/// What an accepted command answers, and how far the room has come with it.
package struct CommandOutcome: Hashable, Sendable {
    package var result: CommandResult
    /// Number of the room's last durable change when the command was carried out, its own included: whoever has taken up the
    /// changes up to it sees what the command did. Absent where nothing durable is meant.
    package var seq: UInt64?

    package init(_ result: CommandResult, seq: UInt64? = nil) {
        self.result = result
        self.seq = seq
    }
}

/// A client's name for one attempt to change something, so that it can safely be tried again: 1…64 printable ASCII
/// characters.
package struct IdempotencyKey: Hashable, Sendable, Codable {
    package let rawValue: String

    package init?(_ rawValue: String) {
        guard (1...64).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = IdempotencyKey(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a key is 1…64 printable ASCII characters")
        }
        self = key
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
