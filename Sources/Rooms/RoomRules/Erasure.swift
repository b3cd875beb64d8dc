import Commerce
package import RoomEvents
package import RoomModel

// What is left of a person who is erased: ids and numbers. What a room shows of itself (name, cover, tags, attributes) is the room's as
// long as it is open, whoever wrote it.

extension DurableRoomState {
    /// R09: what a room does when the operator erases somebody, who is not there any more: their messages are deleted for everybody, and a
    /// room of their own ends.
    /// - Parameter messages: the numbers of what they wrote and is still kept.
    package func erasing(_ user: UserID, _ messages: [UInt64], in context: DecisionContext) -> Decision {
        guard progress.phase == .open else { return .nothing }
        var events = messages.map { RoomEvent.messageDeleted(MessageDeleted($0)) }
        // What is sung has a title that they gave it.
        if chorus.play?.by == user { events.append(.songChanged(SongChanged(nil, .stopped))) }
        events.append(.personErased(.init(user)))
        return Decision(owner.id == user ? events + decide(.dismissed, in: context).events : events)
    }

    mutating func erase(_ user: UserID) {
        hosts.erase(user)
        seats.erase(user)
        invitations.erase(user)
        restrictions.erase(user)
        figures.gifts.erase(user)
        chorus.erase(user)
        links.erase(user)
        answers.forget(user)
        beginning.erase(user)
    }

    /// As it is kept: of a room that has ended nobody sees name, cover, tags and attributes any more.
    package func erasing(_ user: UserID, isEnded: Bool) -> DurableRoomState {
        var state = self
        state.erase(user)
        if isEnded { state.details = details.withoutTexts }
        return state
    }
}

/// What decides about an event beside the event itself.
struct ErasedCommand {
    /// Who asked for it.
    let author: UserID?
    /// Of a room that has ended nobody sees name, cover, tags and attributes any more, whoever wrote them.
    let isRoomEnded: Bool
}

extension AcceptedCommand {
    /// As it is kept.
    /// - Parameter isEnded: of a room that has ended, whose name, cover, tags and attributes nobody sees any more, whoever wrote them.
    package func erasing(_ user: UserID, isEnded: Bool) -> AcceptedCommand {
        var command = self
        let erased = ErasedCommand(author: by, isRoomEnded: isEnded)
        command.events = events.map { $0.erasing(user, in: erased) }
        if answer?.user == user { command.answer = nil }
        return command
    }
}

extension UserProfile {
    func erasing(_ user: UserID) -> UserProfile { id == user ? UserProfile(id: id) : self }
}

extension RoomSettings {
    var withoutTexts: RoomSettings {
        var settings = self
        (settings.name, settings.cover, settings.tags) = ("", "", [])
        return settings
    }
}
