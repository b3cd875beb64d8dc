package import RoomModel

/// What is said of a room by those who run it.
package struct RoomDetails: Equatable, Sendable {
    package var settings = RoomSettings(name: "")
    /// What the app keeps with the room, by name.
    package var attributes: [String: String] = [:]

    var withoutTexts: RoomDetails { RoomDetails(settings: settings.withoutTexts) }
}

extension RoomDetails: Codable {
    private enum CodingKeys: String, CodingKey { case settings, attributes }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        settings = try fields.decodeIfPresent(RoomSettings.self, forKey: .settings) ?? RoomSettings(name: "")
        attributes = try fields.decodeIfPresent([String: String].self, forKey: .attributes) ?? [:]
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(settings, forKey: .settings)
        if !attributes.isEmpty { try fields.encode(attributes, forKey: .attributes) }
    }
}
