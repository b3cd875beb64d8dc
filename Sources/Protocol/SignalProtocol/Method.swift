package import RoomModel

/// The name of a call: a command of a room, or one of the others.
package enum Method: Hashable, Sendable {
    case command(RoomCommand.Name)
    case call(CallName)

    /// The largest text of a call, in bytes; a session description with many lines is the only long one.
    package var maximumBytes: Int {
        self == .call(.mediaOffer) || self == .call(.lineTest) ? 256 << 10 : Self.usualBytes
    }
    package static let usualBytes = 64 << 10
}

extension Method: RawRepresentable, CaseIterable {
    package init?(rawValue: String) {
        if let name = RoomCommand.Name(rawValue: rawValue) {
            self = .command(name)
        } else if let name = CallName(rawValue: rawValue) {
            self = .call(name)
        } else {
            return nil
        }
    }

    package var rawValue: String {
        switch self {
        case .command(let name): name.rawValue
        case .call(let name): name.rawValue
        }
    }

    package static var allCases: [Method] {
        CallName.allCases.map(Method.call) + RoomCommand.Name.allCases.map(Method.command)
    }
}

/// The calls that are no commands of a room.
package enum CallName: String, CaseIterable, Hashable, Sendable {
    case sessionOpen = "session.open"
    case sessionRenew = "session.renew"
    case sessionClose = "session.close"
    case clockRead = "clock.read"
    case profileSet = "profile.set"
    case profileGet = "profile.get"
    case roomCreate = "room.create"
    case roomEnter = "room.enter"
    case roomList = "room.list"
    case roomGet = "room.get"
    case roomMembers = "room.members"
    case stillSet = "still.set"
    case invitationList = "invitation.list"
    case invitationStill = "invitation.still"
    case restrictionList = "restriction.list"
    case reportSend = "report.send"
    case signalSend = "signal.send"
    case giftList = "gift.list"
    case giftRanking = "gift.ranking"
    case walletGet = "wallet.get"
    case walletStatement = "wallet.statement"
    case walletFaucet = "wallet.faucet"
    case songLatency = "song.latency"
    case mediaOffer = "media.offer"
    case mediaView = "media.view"
    case mediaClose = "media.close"
    case lineTest = "line.test"
    case lineEnd = "line.end"

    /// What the call says.
    package var type: any NamedCall.Type {
        switch self {
        case .sessionOpen: SessionOpening.self
        case .sessionRenew: RenewSession.self
        case .sessionClose: CloseSession.self
        case .clockRead: ReadClock.self
        case .profileSet: SetProfile.self
        case .profileGet: GetProfiles.self
        case .roomCreate: CreateRoom.self
        case .roomEnter: EnterRoom.self
        case .roomList: RoomQuery.self
        case .roomGet: GetRooms.self
        case .roomMembers: ListMembers.self
        case .stillSet: SetStill.self
        case .invitationList: ListInvitations.self
        case .invitationStill: ReadRequestStill.self
        case .restrictionList: ListRestrictions.self
        case .reportSend: SendReport.self
        case .signalSend: SignalDraft.self
        case .giftList: ListGifts.self
        case .giftRanking: ReadGiftRanking.self
        case .walletGet: ReadWallet.self
        case .walletStatement: StatementQuery.self
        case .walletFaucet: DrawCoins.self
        case .songLatency: StateLatency.self
        case .mediaOffer: OfferMedia.self
        case .mediaView: ViewPicture.self
        case .mediaClose: CloseMedia.self
        case .lineTest: TestLine.self
        case .lineEnd: EndLineTest.self
        }
    }
}
