import RoomModel

extension RoomCommand {
    /// Tells bodies that come with the same idempotency key apart, also after a restart: FNV-1a (64 bit) over the
    /// command's fields. Nobody gains by a collision: one would only get one's own earlier answer.
    var fingerprint: UInt64 {
        var hash = Fingerprint(name.rawValue)
        switch self {
        case .leaveSeat, .exitRoom, .destroyRoom, .pauseSong, .stopSong, .startScreen, .stopScreen, .cancelChallenge,
            .readyForPK:
            break
        case .takeSeat(let seat), .moveSeat(let seat), .kickSeat(let seat): hash.add(seat)
        case .pickSeat(let seat, let user):
            hash.add(seat)
            hash.add(user.rawValue)
        case .muteSeat(let seat, let on), .closeSeat(let seat, let on), .allowCamera(let seat, let on):
            hash.add(seat)
            hash.add(on)
        case .setMicrophone(let muted): hash.add(muted)
        case .setCamera(let on): hash.add(on)
        case .sendInvitation(let draft):
            hash.add(draft.to.rawValue)
            hash.add(draft.command)
            hash.add(draft.content)
            hash.add(draft.timeoutSeconds)
            hash.add(draft.id)
            // Only what came later: the keys of earlier servers stay good.
            if let words = draft.words { hash.add(words) }
            if let still = draft.still { hash.add(still.jpeg.count) }
        case .arrangeStage(let layout):
            hash.add(layout.form.rawValue)
            hash.add(layout.large?.rawValue)
        case .acceptInvitation(let id), .cancelInvitation(let id): hash.add(id)
        case .rejectInvitation(let id, let reason):
            hash.add(id)
            hash.add(reason)
        case .sendMessage(let draft):
            switch draft.body {
            case .text(let text): hash.add(text)
            case .custom(let command, let message):
                hash.add(command)
                hash.add(message)
            }
            hash.add(draft.id)
        case .sendLikes(let count): hash.add(count)
        case .sendGift(let draft):
            hash.add(draft.gift)
            hash.add(draft.count)
            hash.add(draft.to?.rawValue)
        case .startSong(let draft):
            hash.add(draft.song.id)
            hash.add(draft.song.title)
            hash.add(draft.song.artist)
            hash.add(Int(clamping: draft.song.durationMs))
            hash.add(draft.song.accompaniment)
            hash.add(draft.song.original)
            hash.add(draft.song.lyrics)
            hash.add(draft.track.rawValue)
            hash.add(Int(clamping: draft.positionMs))
            hash.add(Int(clamping: draft.leadMs))
        case .resumeSong(let leadMs): hash.add(Int(clamping: leadMs))
        case .seekSong(let positionMs, let leadMs):
            hash.add(Int(clamping: positionMs))
            hash.add(Int(clamping: leadMs))
        case .setSongTrack(let track): hash.add(track.rawValue)
        case .setDuetMode(let mode, let leader):
            hash.add(mode.rawValue)
            hash.add(leader?.rawValue)
        case .challenge(let room, let terms):
            hash.add(room.description)
            hash.add(terms?.seconds)
            hash.add(terms?.forfeitSeconds)
            hash.add(terms?.forfeit)
        case .answerChallenge(let id, let agreed, let pause):
            hash.add(id)
            hash.add(agreed)
            hash.add(pause?.rawValue)
        case .quitPK(let link): hash.add(link)
        case .muteLink(let link, let muted):
            hash.add(link)
            hash.add(muted)
        case .updateRoom(let update):
            hash.add(update.name)
            hash.add(update.cover)
            hash.add(update.tags?.count)
            for tag in update.tags ?? [] { hash.add(tag) }
            hash.add(update.needsRequest)
            // Only what came later: the keys of earlier servers stay good.
            if let slowSeconds = update.slowSeconds { hash.add(slowSeconds) }
            if update.hostsOnly != nil || update.noLinks != nil {
                hash.add(update.hostsOnly)
                hash.add(update.noLinks)
            }
        case .setAttributes(let draft):
            hash.add(draft.set.count)
            for (name, words) in draft.set.sorted(by: { $0.key < $1.key }) {
                hash.add(name)
                hash.add(words)
            }
            for name in draft.remove { hash.add(name) }
            hash.add(draft.replace)
            // Came later.
            for (name, amount) in draft.add.sorted(by: { $0.key < $1.key }) {
                hash.add(name)
                hash.add(Int(amount))
            }
        case .deleteMessage(let chat): hash.add(Int(truncatingIfNeeded: chat))
        case .setRestriction(let draft):
            hash.add(draft.kind.rawValue)
            hash.add(draft.user.rawValue)
            hash.add(draft.seconds)
            hash.add(draft.everywhere)
            hash.add(draft.reason)
        case .liftRestriction(let kind, let user):
            hash.add(kind.rawValue)
            hash.add(user.rawValue)
        case .setOwner(let user): hash.add(user.rawValue)
        case .setRole(let user, let role):
            hash.add(user.rawValue)
            hash.add(role.rawValue)
        }
        return hash.value
    }
}

extension RoomCreation {
    /// The server's own choice of a room id is no part of the body.
    var fingerprint: UInt64 { fingerprint(for: nil) }

    /// - Parameter owner: for whom an operator creates it.
    func fingerprint(for owner: UserID?) -> UInt64 {
        var hash = Fingerprint("createRoom")
        if let owner { hash.add(owner.rawValue) }
        hash.add(room?.description)
        hash.add(kind.rawValue)
        hash.add(settings.name)
        hash.add(settings.cover)
        for tag in settings.tags { hash.add(tag) }
        hash.add(settings.needsRequest)
        if settings.isAdvisory { hash.add(true) }
        for seat in seats {
            hash.add(seat.muted)
            hash.add(seat.closed)
        }
        return hash.value
    }
}

/// FNV-1a; each field with its length, so that neighbours cannot run together.
private struct Fingerprint {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    init(_ name: String) { add(name) }

    mutating func add(_ text: String?) {
        guard let text else { return add(-1) }
        add(text.utf8.count)
        for byte in text.utf8 { mix(byte) }
    }

    mutating func add(_ number: Int?) {
        for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: (number ?? .min) >> shift)) }
    }

    mutating func add(_ flag: Bool?) { mix(flag.map { $0 ? 1 : 0 } ?? 2) }

    private mutating func mix(_ byte: UInt8) {
        value ^= UInt64(byte)
        value = value &* 0x0000_0100_0000_01b3
    }
}
