// What people are told, as `WireSize` counts it.

package import RoomModel

extension UserProfile {
    package var wireSize: Int { WireSize.object + WireSize.of(name) + WireSize.of(avatar) + WireSize.of(bio) }
}

extension Message {
    package var wireSize: Int {
        let body =
            switch body {
            case .text(let text): WireSize.of(text)
            case .custom(let command, let message): WireSize.of(command) + WireSize.of(message)
            }
        return 2 * WireSize.object + from.wireSize + body + WireSize.of(id)
    }
}

extension Invitation {
    package var wireSize: Int {
        3 * WireSize.object + WireSize.of(id) + WireSize.of(command) + WireSize.of(content) + WireSize.of(words)
            + WireSize.of(reason)
    }
}

extension RoomChange {
    package var wireSize: Int {
        switch what {
        case .updated(let info):
            WireSize.object + info.wireSize
        case .attributesChanged(let change, _):
            2 * WireSize.object + WireSize.of(change.set) + change.removed.reduce(0) { $0 + WireSize.of($1) + 1 }
        case .songChanged(let play, _, _):
            WireSize.object + (play?.wireSize ?? 0)
        case .seatTaken(_, let user, _), .seatLeft(_, let user, _, _): 4 * WireSize.object + user.wireSize
        case .pkChanged(let pk, _, _): 2 * WireSize.object + pk.wireSize
        case .gifted(let sent, let standing):
            standing.wireSize
                + sent.reduce(WireSize.object) {
                    $0 + 3 * WireSize.object + WireSize.of($1.gift.name) + WireSize.of($1.gift.names)
                        + WireSize.of($1.gift.picture) + $1.from.wireSize + $1.to.wireSize
                }
        case .destroyed, .seatMuted, .seatClosed, .microphoneMuted, .cameraChanged, .screenChanged, .stageArranged,
            .roleChanged,
            .ownerChanged, .duetChanged, .messageDeleted:
            4 * WireSize.object
        }
    }
}

extension RoomNewsEvent {
    package var wireSize: Int {
        switch self {
        case .change(let change): change.wireSize
        case .message(let message): message.wireSize
        case .invitation(let news): WireSize.object + news.invitation.wireSize
        case .challenge(let news): WireSize.object + news.challenge.wireSize
        case .restriction(let news): WireSize.object + news.restriction.wireSize
        case .passing(.audienceEntered(let member)): 2 * WireSize.object + member.profile.wireSize
        case .passing(.levels(let levels)): WireSize.object + 40 * levels.count
        case .passing(.network(let report)): WireSize.object * (2 + report.singers.count)
        case .passing(.pictures(let pictures)): WireSize.object * (1 + pictures.count)
        case .passing: 2 * WireSize.object
        }
    }
}

extension Restriction {
    package var wireSize: Int { 2 * WireSize.object + WireSize.of(name) + WireSize.of(reason) }
}

extension RoomInfo {
    package var wireSize: Int {
        3 * WireSize.object + owner.wireSize + WireSize.of(name) + WireSize.of(cover)
            + tags.reduce(0) { $0 + WireSize.of($1) }
    }
}

extension PKState {
    package var wireSize: Int {
        let match = match.map { 4 * WireSize.object + WireSize.of($0.terms.forfeit) } ?? 0
        return links.reduce(match) { $0 + 3 * WireSize.object + $1.host.wireSize }
    }
}

extension PKChallenge {
    package var wireSize: Int {
        4 * WireSize.object + host.wireSize + WireSize.of(terms?.forfeit ?? "")
    }
}

extension SongPlay {
    package var wireSize: Int {
        4 * WireSize.object + WireSize.of(song.title) + WireSize.of(song.artist) + WireSize.of(song.accompaniment)
            + WireSize.of(song.original) + WireSize.of(song.lyrics)
    }
}

extension GiftStanding {
    package var wireSize: Int {
        supporters.reduce(WireSize.object) { $0 + WireSize.object + $1.user.wireSize }
    }
}

extension RoomEntry {
    package var wireSize: Int {
        switch self {
        case .snapshot(let snapshot): snapshot.wireSize
        case .resumed(let gap): gap.wireSize
        }
    }
}

extension RoomSnapshot {
    fileprivate var wireSize: Int {
        let size =
            4 * WireSize.object + info.wireSize + me.profile.wireSize + (challenge?.wireSize ?? 0)
            + (chatMute?.wireSize ?? 0)
        return invitations.reduce(size) { $0 + $1.wireSize } + (sharedText?.wireSize ?? sharedWireSize)
    }

    /// Of the part that is the same for everybody.
    package var sharedWireSize: Int {
        var size = 4 * WireSize.object + (play?.wireSize ?? 0)
        size += members.reduce(0) { $0 + 2 * WireSize.object + $1.profile.wireSize }
        size += 2 * WireSize.object * seats.count + (pk?.wireSize ?? 0) + (gifts?.wireSize ?? 0)
        size += attributes.map { WireSize.object + WireSize.of($0) } ?? 0
        return messages.reduce(size) { $0 + $1.wireSize }
    }
}

extension RoomResumption {
    fileprivate var wireSize: Int {
        var size = 6 * WireSize.object + WireSize.object * state.presence.count
        size += state.invitations.reduce(0) { $0 + $1.wireSize } + (state.challenge?.wireSize ?? 0)
        size += state.chatMute?.wireSize ?? 0
        size += (state.settled ?? []).reduce(0) { $0 + WireSize.object + $1.invitation.wireSize }
        return events.reduce(size) { $0 + $1.wireSize }
    }
}
