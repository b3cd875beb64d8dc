package import HTTPTypes
package import RoomModel

extension RoomError.Code {
    /// The HTTP status that says the same. The only place that maps our codes to HTTP.
    package var status: HTTPResponse.Status {
        switch self {
        case .parseError, .invalidRequest, .invalidParams, .tooManyMarks, .userIDInvalid, .roomIDInvalid: .badRequest
        case .notSignedIn, .ticketEmpty, .ticketFailed, .ticketExpired, .ticketNotYetValid, .sessionExpired:
            .unauthorized
        case .permissionDenied, .consentRequired, .seatMuted, .seatClosed, .cameraBlocked, .invitationDenied,
            .roomKeyFailed, .banned, .bannedForGood, .bannedHere, .bannedHereForGood, .chatMuted, .hostsOnly,
            .linksRefused:
            .forbidden
        case .methodNotFound, .appUnknown, .roomNotFound, .seatNotFound, .userNotInRoom, .invitationNotFound,
            .songNotFound, .notLinked, .messageNotFound, .notRestricted, .giftUnknown, .faceNotFound:
            .notFound
        case .roomClosed: .gone
        case .messageTooLarge, .songTooLarge, .faceTooLarge: .contentTooLarge
        case .songFormat, .lyricsInvalid, .faceFormat: .unsupportedMediaType
        case .textFiltered, .reviewRefused: .unprocessableContent
        case .tooFrequent, .rateLimited, .guestsLimited, .slowMode: .tooManyRequests
        case .unavailable: .serviceUnavailable
        case .uploadsUnavailable: .notImplemented
        case .internalError: .internalServerError
        default: .conflict  // what is left are states of a room or a name that do not allow the call now
        }
    }
}
