// Words that a newer server may have more of.
//
// A client reads an unknown one as the nearest word that it knows and that does no harm, or keeps it where each known one would say
// something false: the room goes on. A server refuses it in what clients send and in its journal. An app that stores values says nothing of
// either: what was kept is read as it was written. An event of an unknown type is passed over (`HeardEvent`); `RoomKind` and
// `PictureFormat` keep any word.

extension CodingUserInfoKey {
    /// `true` where what is read comes from a server that may be newer; `false` where it is to have no word that this version does not
    /// know.
    package static let readsNewerWords = CodingUserInfoKey(rawValue: "readsNewerWords") ?? Self.impossible
    private static var impossible: CodingUserInfoKey { preconditionFailure("the key is a constant text") }
}

extension Decoder {
    /// `nil`: nothing was said of it.
    var readsNewerWords: Bool? { userInfo[.readsNewerWords] as? Bool }
}

/// A choice of words, or numbers, in what servers tell.
package protocol GrowingWord: RawRepresentable, Decodable where RawValue: Decodable {
    /// What an unknown word is read as; `nil`: it is refused.
    static func newer(_ word: RawValue, in decoder: any Decoder) -> Self?
}

extension GrowingWord {
    public init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(RawValue.self)
        guard let read = Self(rawValue: word) ?? .newer(word, in: decoder) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "\(word) is no word of \(Self.self)"))
        }
        self = read
    }
}

/// One among whose words there is one that an unknown one may be read as.
package protocol NearWord: GrowingWord {
    static var nearest: Self { get }
}

extension NearWord {
    package static func newer(_ word: RawValue, in decoder: any Decoder) -> Self? {
        decoder.readsNewerWords == true ? nearest : nil
    }
}

/// One that keeps unknown words.
package protocol KeptWord: GrowingWord, CaseIterable where RawValue == String {
    static func unknown(_ word: String) -> Self
}

extension KeptWord {
    package static func newer(_ word: String, in decoder: any Decoder) -> Self? {
        decoder.readsNewerWords == false ? nil : unknown(word)
    }

    /// `nil` for a word that this version does not know.
    public init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }
}

// What a person may do is decided by the server: the least is shown.
extension Role: NearWord { package static var nearest: Role { .member } }
extension Presence: NearWord { package static var nearest: Presence { .online } }
extension AudienceLeaveReason: NearWord { package static var nearest: AudienceLeaveReason { .left } }
extension SeatLeaveReason: NearWord { package static var nearest: SeatLeaveReason { .left } }
// Nobody is offered a seat of which nothing is known.
extension SeatState: NearWord { package static var nearest: SeatState { .closed } }
extension CameraState: NearWord { package static var nearest: CameraState { .off } }
extension StageLayout.Form: NearWord { package static var nearest: StageLayout.Form { .grid } }

extension RoomEndReason: NearWord { package static var nearest: RoomEndReason { .owner } }
extension OwnerChangeReason: NearWord { package static var nearest: OwnerChangeReason { .handedOver } }
// It waits no longer.
extension InvitationState: NearWord { package static var nearest: InvitationState { .expired } }
extension NetworkQuality: NearWord { package static var nearest: NetworkQuality { .unknown } }

extension DuetMode.Name: NearWord { package static var nearest: DuetMode.Name { .together } }
extension SongTrack: NearWord { package static var nearest: SongTrack { .accompaniment } }
// The song itself comes with it; only its place is to be looked at anew.
extension SongChange: NearWord { package static var nearest: SongChange { .sought } }

// The points stand still.
extension PKMatch.Phase: NearWord { package static var nearest: PKMatch.Phase { .counting } }
extension PKResult.Cause: NearWord { package static var nearest: PKResult.Cause { .time } }
// The links themselves come with it, and nothing else need have changed.
extension PKCause: NearWord { package static var nearest: PKCause { .muted } }
extension ChallengeState: NearWord { package static var nearest: ChallengeState { .gone } }
// Whoever is not known to be free is not asked.
extension PKReadiness: NearWord { package static var nearest: PKReadiness { .paused } }

extension RestrictionKind: KeptWord {}
extension StatementEntry.Kind: KeptWord {}
extension PKResult.Outcome: KeptWord {}
