// Words that a newer server may have more of.
//
// A client reads an unknown one as the nearest word that it knows and that does no harm: the room goes on. Whoever is not told to be so
// lenient refuses it, as a server does with what clients send and with what stands in its journal. An event of an unknown type is passed
// over (`HeardEvent`), and so is a restriction of an unknown kind that is news (`RestrictionNews`); `RoomKind` and `PictureFormat` keep
// the word itself.

extension CodingUserInfoKey {
    /// Set to `true` where what is read comes from a server that may be newer.
    package static let readsNewerWords = CodingUserInfoKey(rawValue: "readsNewerWords") ?? Self.impossible
    private static var impossible: CodingUserInfoKey { preconditionFailure("the key is a constant text") }
}

extension Decoder {
    /// Whether an unknown word is no error.
    var readsNewerWords: Bool { userInfo[.readsNewerWords] as? Bool ?? false }
}

/// A choice of words, or numbers, in what servers tell.
package protocol GrowingWord: RawRepresentable, Decodable where RawValue: Decodable {
    /// What a word of a newer server is read as.
    static var nearest: Self { get }
}

extension GrowingWord {
    public init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(RawValue.self)
        if let known = Self(rawValue: word) {
            self = known
        } else if decoder.readsNewerWords {
            self = .nearest
        } else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "\(word) is no word of \(Self.self)"))
        }
    }
}

// What a person may do is decided by the server: the least is shown.
extension Role: GrowingWord { package static var nearest: Role { .member } }
extension Presence: GrowingWord { package static var nearest: Presence { .online } }
extension AudienceLeaveReason: GrowingWord { package static var nearest: AudienceLeaveReason { .left } }
extension SeatLeaveReason: GrowingWord { package static var nearest: SeatLeaveReason { .left } }
// Nobody is offered a seat of which nothing is known.
extension SeatState: GrowingWord { package static var nearest: SeatState { .closed } }
extension CameraState: GrowingWord { package static var nearest: CameraState { .off } }
extension StageLayout.Form: GrowingWord { package static var nearest: StageLayout.Form { .grid } }

extension RoomEndReason: GrowingWord { package static var nearest: RoomEndReason { .owner } }
extension OwnerChangeReason: GrowingWord { package static var nearest: OwnerChangeReason { .handedOver } }
// The graver one, on which no client acts: who is put out is told by other words.
extension RestrictionKind: GrowingWord { package static var nearest: RestrictionKind { .ban } }
// It waits no longer.
extension InvitationState: GrowingWord { package static var nearest: InvitationState { .expired } }
extension StatementEntry.Kind: GrowingWord { package static var nearest: StatementEntry.Kind { .topUp } }
extension NetworkQuality: GrowingWord { package static var nearest: NetworkQuality { .unknown } }

extension DuetMode.Name: GrowingWord { package static var nearest: DuetMode.Name { .together } }
extension SongTrack: GrowingWord { package static var nearest: SongTrack { .accompaniment } }
// The song itself comes with it; only its place is to be looked at anew.
extension SongChange: GrowingWord { package static var nearest: SongChange { .sought } }

// The points stand still.
extension PKMatch.Phase: GrowingWord { package static var nearest: PKMatch.Phase { .counting } }
extension PKResult.Outcome: GrowingWord { package static var nearest: PKResult.Outcome { .draw } }
extension PKResult.Cause: GrowingWord { package static var nearest: PKResult.Cause { .time } }
// The links themselves come with it, and nothing else need have changed.
extension PKCause: GrowingWord { package static var nearest: PKCause { .muted } }
extension ChallengeState: GrowingWord { package static var nearest: ChallengeState { .gone } }
// Whoever is not known to be free is not asked.
extension PKReadiness: GrowingWord { package static var nearest: PKReadiness { .paused } }
