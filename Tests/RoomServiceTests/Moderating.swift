import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport

@testable import RoomService

// What those who run a room ask, and how those hear of it whom it concerns.

func say(_ text: String) -> RoomCommand { .sendMessage(MessageDraft(.text(text))) }

func mute(_ user: UserID, _ seconds: Int? = nil) -> RoomCommand {
    .setRestriction(RestrictionDraft(.chatMute, of: user, seconds: seconds, reason: "spam"))
}

func ban(_ user: UserID, _ seconds: Int? = nil, everywhere: Bool = false) -> RoomCommand {
    .setRestriction(RestrictionDraft(.ban, of: user, seconds: seconds, everywhere: everywhere))
}

func error(_ command: RoomCommand, by client: Client, in salon: Salon) -> RoomError? {
    if case .failure(let error)? = salon.submit(command, by: client).current { error } else { nil }
}

func heard(_ client: Client) -> [RestrictionNews] {
    client.outbox.heard.compactMap {
        if case .news(.restriction(let news), _) = $0 { news } else { nil }
    }
}

/// Why the last entry was refused.
func refusal(_ client: Client) -> RoomError? {
    if case .failure(let error)? = client.entries.current.last { error } else { nil }
}
