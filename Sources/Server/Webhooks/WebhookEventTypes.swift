import Foundation
import RoomModel
import RoomPorts
import SignalProtocol

/// The types of events that webhooks can be told.
package enum WebhookEventTypes {
    /// The room is there; every other type is one of the wire protocol.
    static let roomCreated = "room.created"

    /// What passes by is left out but for who came and went: levels, counts and ways say nothing a second later.
    package static let all: [String] =
        [roomCreated]
        + EventType.allCases.filter { type in
            switch type {
            case .dropped, .presence, .ownerAbsent, .ownerBack, .levels, .likes, .count, .network, .pkPoints,
                .mediaPictures, .mediaWanted:
                false
            default: true
            }
        }.map(\.rawValue)

    private static let told = Set(all)

    /// Those that have a published callback command.
    static let compatible: Set<String> = [
        roomCreated, EventType.roomDestroyed.rawValue, EventType.message.rawValue, EventType.audienceEntered.rawValue,
        EventType.audienceLeft.rawValue,
    ]

    /// Whether `pattern` is a type, or `seat.*` for all whose names begin so.
    package static func isPattern(_ pattern: String) -> Bool {
        all.contains { matches($0, pattern) }
    }

    static func matches(_ type: String, _ pattern: String) -> Bool {
        pattern.hasSuffix(".*") ? type.hasPrefix(pattern.dropLast(1)) : type == pattern
    }

    static func isWanted(_ type: String, by webhook: Webhook) -> Bool {
        guard case .events(let patterns) = webhook.use, webhook.state == .on else { return false }
        if webhook.format == .compatible, !compatible.contains(type) { return false }
        return patterns.isEmpty || patterns.contains { matches(type, $0) }
    }

    /// `nil` for what no webhook is told.
    static func type(of event: RoomNewsEvent) -> String? {
        let type = event.type.rawValue
        return told.contains(type) ? type : nil
    }
}
