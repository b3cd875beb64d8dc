/// Asks another room's host for a PK, or without terms for a link alone.
package struct ChallengeHost: CommandPayload {
    package static let name = RoomCommand.Name.challenge
    package var asCommand: RoomCommand { .challenge(self) }

    /// The other room.
    package var other: RoomID
    package var terms: PKTerms?

    package init(_ other: RoomID, _ terms: PKTerms?) {
        self.other = other
        self.terms = terms
    }

    package var texts: [SaidText] { terms.map { [SaidText(.forfeit, $0.forfeit, "terms.forfeit")] } ?? [] }
}

/// Takes back a challenge.
package struct CancelChallenge: CommandPayload {
    package static let name = RoomCommand.Name.cancelChallenge
    package var asCommand: RoomCommand { .cancelChallenge }

    package init() {}
}

/// Says yes or no to another room's host.
package struct AnswerChallenge: CommandPayload {
    package static let name = RoomCommand.Name.answerChallenge
    package var asCommand: RoomCommand { .answerChallenge(self) }

    package var id: String
    package var agreed: Bool
    /// With a no: for how long there is to be no other one.
    package var pause: PKPause?

    package init(id: String, agreed: Bool, pause: PKPause?) {
        self.id = id
        self.agreed = agreed
        self.pause = pause
    }

    package var texts: [SaidText] { [SaidText(.wordOfTheProtocol, id, "id")] }
}

/// Says that the host sees the other one.
package struct ReadyForPK: CommandPayload {
    package static let name = RoomCommand.Name.readyForPK
    package var asCommand: RoomCommand { .readyForPK }

    package init() {}
}

/// Ends a link and the PK with it.
package struct QuitPK: CommandPayload {
    package static let name = RoomCommand.Name.quitPK
    package static var operatorPath: OperatorPath? { OperatorPath(.delete, "rooms/{room}/pk", query: ["link": false]) }
    package var asCommand: RoomCommand { .quitPK(self) }

    /// `nil`: the only one.
    package var link: String?

    package init(link: String?) {
        self.link = link
    }

    package var texts: [SaidText] { link.map { [SaidText(.wordOfTheProtocol, $0, "link")] } ?? [] }
}

/// Mutes another room's host for everybody here, or does so no more.
package struct MuteLink: CommandPayload {
    package static let name = RoomCommand.Name.muteLink
    package var asCommand: RoomCommand { .muteLink(self) }

    package var link: String
    package var muted: Bool

    package init(_ link: String, muted: Bool) {
        self.link = link
        self.muted = muted
    }

    package var texts: [SaidText] { [SaidText(.wordOfTheProtocol, link, "link")] }
}
