/// What a session may do in a room by the key with which it entered (privateMapKey). Without a key: everything.
package struct RoomRights: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To be heard.
    package static let sendAudio = RoomRights(rawValue: 1)
    /// To be seen.
    package static let sendVideo = RoomRights(rawValue: 2)
    /// To share a screen.
    package static let sendScreen = RoomRights(rawValue: 4)
    /// To hear.
    package static let receiveAudio = RoomRights(rawValue: 8)
    /// To see.
    package static let receiveVideo = RoomRights(rawValue: 16)
    /// To see what is shared.
    package static let receiveScreen = RoomRights(rawValue: 32)
    package static let all: RoomRights = [
        .sendAudio, .sendVideo, .sendScreen, .receiveAudio, .receiveVideo, .receiveScreen,
    ]

    /// What the rights do not reach to.
    package static let refusal = RoomError(
        .permissionDenied, "the key with which you entered does not allow this", reason: "scope")
}
