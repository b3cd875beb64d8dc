extension RoomCommand {
    /// All that its author wrote.
    package var texts: [SaidText] {
        switch self {
        case .sendMessage(let draft): draft.body.said(id: draft.id)
        case .sendInvitation(let draft):
            [
                SaidText(.invitationCommand, draft.command, "command"),
                SaidText(.invitationContent, draft.content, "content"),
            ] + [draft.words.map { SaidText(.invitationWords, $0, "words") }, draft.id.said()].compactMap { $0 }
        case .acceptInvitation(let id), .cancelInvitation(let id), .answerChallenge(let id, _, _):
            [SaidText(.wordOfTheProtocol, id, "id")]
        case .rejectInvitation(let id, let reason):
            [SaidText(.wordOfTheProtocol, id, "id")] + (reason.map { [SaidText(.rejectionReason, $0, "reason")] } ?? [])
        case .setRestriction(let draft):
            draft.reason.map { [SaidText(.restrictionReason, $0, "reason")] } ?? []
        case .startSong(let draft): draft.song.said
        case .challenge(_, let terms): terms.map { [SaidText(.forfeit, $0.forfeit, "terms.forfeit")] } ?? []
        case .quitPK(let link): link.map { [SaidText(.wordOfTheProtocol, $0, "link")] } ?? []
        case .muteLink(let link, _): [SaidText(.wordOfTheProtocol, link, "link")]
        case .sendGift(let draft): [SaidText(.wordOfTheProtocol, draft.gift, "gift")]
        case .updateRoom(let update):
            [
                update.name.map { SaidText(.roomName, $0, "name") },
                update.cover.map { SaidText(.pictureAddress, $0, "cover") },
            ].compactMap { $0 } + (update.tags ?? []).said()
        case .setAttributes(let draft): draft.said
        case .takeSeat, .leaveSeat, .moveSeat, .pickSeat, .kickSeat, .muteSeat, .closeSeat, .setMicrophone, .setCamera,
            .allowCamera, .startScreen, .stopScreen, .arrangeStage, .sendLikes, .deleteMessage, .liftRestriction,
            .pauseSong, .resumeSong, .seekSong, .setSongTrack, .stopSong, .setDuetMode, .cancelChallenge, .readyForPK,
            .setRole, .setOwner, .exitRoom, .destroyRoom:
            []
        }
    }
}

extension RoomCreation {
    package var texts: [SaidText] {
        var texts = [
            SaidText(.roomName, settings.name, "name"), SaidText(.pictureAddress, settings.cover, "cover"),
        ]
        texts += settings.tags.said()
        if case .string(let id) = room { texts.append(SaidText(.roomID, id, "room")) }
        return texts
    }
}

extension RoomQuery {
    package var texts: [SaidText] {
        [
            text.map { SaidText(.search, $0, "query") }, tag.map { SaidText(.search, $0, "tag") },
            cursor.map { SaidText(.cursor, $0, "cursor") },
        ].compactMap { $0 }
    }
}

extension ReportDraft {
    package var texts: [SaidText] { words.map { [SaidText(.reportWords, $0, "words")] } ?? [] }
}

extension MessageBody {
    package func said(id: String?) -> [SaidText] {
        let said =
            switch self {
            case .text(let text): [SaidText(.messageText, text, "text")]
            case .custom(let command, let message):
                [SaidText(.messageCommand, command, "command"), SaidText(.messageContent, message, "message")]
            }
        return said + [id.said()].compactMap { $0 }
    }
}

extension AttributesDraft {
    fileprivate var said: [SaidText] {
        self.set.flatMap { [SaidText(.attributeName, $0, "set"), SaidText(.attributeValue, $1, "set")] }
            + add.keys.map { SaidText(.attributeName, $0, "add") }
            + remove.map { SaidText(.wordOfTheProtocol, $0, "remove") }
    }
}

extension Song {
    fileprivate var said: [SaidText] {
        [
            SaidText(.clientID, id, "song.id"), SaidText(.songTitle, title, "song.title"),
            SaidText(.songFile, accompaniment, "song.accompaniment"),
        ]
            + [
                artist.map { SaidText(.songArtist, $0, "song.artist") },
                original.map { SaidText(.songFile, $0, "song.original") },
                lyrics.map { SaidText(.songFile, $0, "song.lyrics") },
            ].compactMap { $0 }
    }
}

extension Array where Element == String {
    /// As tags.
    fileprivate func said() -> [SaidText] { map { SaidText(.roomTag, $0, "tags") } }
}

extension Optional where Wrapped == String {
    /// As the sender's own id.
    fileprivate func said() -> SaidText? { map { SaidText(.clientID, $0, "id") } }
}
