// Values that people are told, as `WireSize` counts them.

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

extension RoomNewsEvent {
    package var wireSize: Int { payload.wireSize }
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

extension SentGift {
    package var wireSize: Int {
        3 * WireSize.object + WireSize.of(gift.name) + WireSize.of(gift.names) + WireSize.of(gift.picture)
            + from.wireSize + to.wireSize
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
