import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

/// What holds for every text that somebody can make others read (G03, G06).
@Suite struct TextTests {
    /// Commands that say something, with a word in each of their texts in turn; `nil` where nothing of it is filtered.
    private static func commands(saying word: String) -> [(RoomCommand, TextKind)] {
        let song = Song(id: "s", title: "Song", artist: "Artist", durationMs: 10_000, accompaniment: "/song.ogg")
        func start(_ change: (inout Song) -> Void) -> RoomCommand {
            var changed = song
            change(&changed)
            return .startSong(SongDraft(song: changed))
        }
        return [
            (.sendMessage(MessageDraft(.text(word))), .messageText),
            (.sendMessage(MessageDraft(.custom(command: word, message: "m"))), .messageCommand),
            (.sendMessage(MessageDraft(.custom(command: "c", message: word))), .messageContent),
            (.sendMessage(MessageDraft(.text("hi"), id: word)), .clientID),
            (.sendInvitation(InvitationDraft(to: .owner, command: word)), .invitationCommand),
            (.sendInvitation(InvitationDraft(to: .owner, command: "c", content: word)), .invitationContent),
            (.sendInvitation(InvitationDraft(to: .owner, command: "c", words: word)), .invitationWords),
            (.sendInvitation(InvitationDraft(to: .owner, command: "c", id: word)), .clientID),
            (.rejectInvitation(RejectInvitation(id: "i", reason: word)), .rejectionReason),
            (.setRestriction(RestrictionDraft(.chatMute, of: .member, reason: word)), .restrictionReason),
            (.updateRoom(RoomUpdate(name: word)), .roomName), (.updateRoom(RoomUpdate(tags: [word])), .roomTag),
            (.setAttributes(AttributesDraft(set: ["a": word])), .attributeValue),
            (.setAttributes(AttributesDraft(set: [word: "1"])), .attributeName),
            (.setAttributes(AttributesDraft(add: [word: 1])), .attributeName),
            (start { $0.title = word }, .songTitle), (start { $0.artist = word }, .songArtist),
            (start { $0.id = word }, .clientID),
            (.challenge(ChallengeHost(.number(1), PKTerms(seconds: 60, forfeitSeconds: 10, forfeit: word))), .forfeit),
        ]
    }

    @Test("G03-S the word filter reads every text that others can read, in whatever command it comes")
    func everyTextIsFiltered() {
        struct Words: TextFilter {
            func stopped(in text: String) -> String? { text.contains("badger") ? "badger" : nil }
        }
        var kinds: Set<TextKind> = []
        for (command, kind) in Self.commands(saying: "badger") {
            #expect(throws: RoomError.self, "\(command)") { try command.texts.check(against: Words()) }
            kinds.insert(kind)
        }
        let creation = RoomCreation(room: .string("badger"), kind: .voice, settings: RoomSettings(name: "a"), seats: [])
        #expect(throws: RoomError.self) { try creation.texts.check(against: Words()) }
        // All others have their own calls, or nobody reads them.
        let elsewhere: Set<TextKind> = [.personName, .personBio, .lyrics, .roomID]
        #expect(Set(TextKind.allCases.filter(\.rule.isFiltered)) == kinds.union(elsewhere))
    }

    @Test("G03-S ids that are drawn at random are not read as words")
    func randomIDs() throws {
        struct Words: TextFilter {
            func stopped(in text: String) -> String? { text.contains("dead") ? "dead" : nil }
        }
        let id = "0f3a1c77-dead-4b2e-9f00-0a1b2c3d4e5f"
        try RoomCommand.sendMessage(MessageDraft(.text("hi"), id: id)).texts.check(against: Words())
        #expect(throws: RoomError.self) {
            try RoomCommand.sendMessage(MessageDraft(.text("hi"), id: "the dead")).texts.check(against: Words())
        }
    }

    @Test(
        "G06-S who is muted makes nobody read anything, in whatever command it would come, and may still ask for a seat"
    )
    func muteStopsEveryText() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .chorus, seats: 2)
        let admin = salon.enter(.admin)
        #expect(salon.refusal(.setRole(SetRole(.admin, .admin)), by: owner) == nil)
        #expect(salon.refusal(.setRestriction(RestrictionDraft(.chatMute, of: .admin)), by: owner) == nil)
        for (command, kind) in Self.commands(saying: "a word") {
            // Challenges are the owner's.
            guard kind.rule.mute == .all, kind != .forfeit else { continue }
            #expect(salon.refusal(command, by: admin) == .chatMuted, "\(command)")
        }
        // A number says no word: apps write the seat into the content. Neither do an app's word for it, and its id.
        let request = InvitationDraft(to: .owner, command: "ENTER_SEAT", content: "1", id: "4b2e-9f00:1")
        #expect(salon.refusal(.sendInvitation(request), by: admin) == nil)
        #expect(salon.refusal(.updateRoom(RoomUpdate(needsRequest: true)), by: admin) == nil)
        #expect(salon.refusal(.setRestriction(RestrictionDraft(.chatMute, of: .member)), by: admin) == nil)
    }

    @Test("G06-S the operator's mute stops the owner's texts too: room name, tags, attributes, forfeits, songs")
    func operatorsMute() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .chorus, seats: 2)
        salon.restrictions.set(
            Restriction(.chatMute, user: .owner, name: "", until: nil, by: UserID(literal: "shop")), from: .application,
            in: salon.key.application)
        for (command, kind) in Self.commands(saying: "a word") {
            guard kind.rule.mute != .none else { continue }
            #expect(salon.refusal(command, by: owner) == .chatMuted, "\(command)")
        }
        #expect(salon.refusal(.updateRoom(RoomUpdate(slowSeconds: 5)), by: owner) == nil)
    }

    @Test(
        "R05-S a refused call is never read by the word filter: not what is too large, too frequent, not allowed, or muted"
    )
    func refusedCallsAreNotRead() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let long = String(repeating: "\u{fdfa}", count: 20_000)
        func expectUnread(_ code: RoomError.Code, _ command: RoomCommand, by client: Client, _ why: String) {
            salon.read.set([])
            #expect(salon.refusal(command, by: client) == code, "\(why)")
            #expect(salon.read.current.isEmpty, "\(why)")
        }
        expectUnread(.messageTooLarge, .sendMessage(MessageDraft(.text(long))), by: owner, "a long message")
        for (command, kind) in Self.commands(saying: long) {
            salon.read.set([])
            #expect(salon.refusal(command, by: owner) != nil, "\(kind)")
            #expect(salon.read.current.isEmpty, "\(kind) is too long to be read")
        }
        expectUnread(.permissionDenied, .updateRoom(RoomUpdate(name: "a")), by: member, "not allowed")
        expectUnread(.permissionDenied, .setAttributes(AttributesDraft(set: ["a": "b"])), by: member, "not allowed")

        while salon.refusal(.sendMessage(MessageDraft(.text("again"))), by: member) == nil {}
        expectUnread(.rateLimited, .sendMessage(MessageDraft(.text("again"))), by: member, "too many messages")
        while salon.refusal(.setAttributes(AttributesDraft(add: ["n": 1])), by: owner) == nil {}
        expectUnread(.rateLimited, .setAttributes(AttributesDraft(add: ["n": 1])), by: owner, "too many changes")
        #expect(salon.refusal(.setRestriction(RestrictionDraft(.chatMute, of: .member)), by: owner) == nil)
        expectUnread(.chatMuted, .sendMessage(MessageDraft(.text("again"))), by: member, "muted")
    }

    @Test("G03-S in slow mode, who is told that a word is not let through may say it better at once")
    func slowModeAfterTheFilter() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.stopped.set(["badger"])
        #expect(salon.refusal(.updateRoom(RoomUpdate(slowSeconds: 60)), by: owner) == nil)
        #expect(salon.refusal(.sendMessage(MessageDraft(.text("badger"))), by: member) == .textFiltered)
        #expect(salon.refusal(.sendMessage(MessageDraft(.text("friend"))), by: member) == nil)
        #expect(salon.refusal(.sendMessage(MessageDraft(.text("more"))), by: member) == .slowMode)
    }
}
