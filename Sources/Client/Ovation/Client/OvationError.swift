internal import SignalProtocol

/// Why something did not work: a refusal of the server, or a failure on this side.
///
/// Compare `code`, which is stable; `number` is the published one where there is one (references.md);
/// `message` is an English sentence for a log. The refusals of the server are listed in Documentation/build/protocol.md §3. Failures
/// on this side are:
///
/// | code | number | meaning, and what to do |
/// |---|---|---|
/// | `offline` | -1 | there was no connection within the call's timeout; the client keeps reconnecting |
/// | `connection_lost` | -2 | the connection broke before the answer, and the client cannot safely repeat the call |
/// | `timeout` | -3 | no answer in time; what was asked may still happen |
/// | `cancelled` | -4 | the calling task was cancelled; what was asked may still happen |
/// | `signed_out` | -5 | nobody is signed in: signed out here or on the server |
/// | `server_unreachable` | -6 | no server answers at that address |
/// | `sign_in_unavailable` | -7 | this server gives out no tickets of its own |
/// | `too_many_calls` | -8 | too many calls wait for answers; wait for some of them |
/// | `too_slow` | -9 | events were not read fast enough: this subscription has ended, subscribe again and read `state` |
/// | `invalid_address` | -11 | this is no address of a server |
/// | `invalid_answer` | -12 | what answered is no Ovation server, or one of another version |
/// | `file_unreadable` | -13 | a file of this machine that was to be sent cannot be read |
/// | `room_kind_unknown` | -14 | the room is of a kind that this version does not know: the app needs a newer one |
/// | `not_supported` | -15 | this device cannot do that; everything else goes on |
/// | `media_failed` | -30 | the path for sound could not be opened |
public struct OvationError: Error, Hashable, Sendable {
    /// Stable, to compare with.
    public let code: Code
    /// The documented number. Several codes may share one.
    public let number: Int32
    /// An English sentence for a log. For users, show a sentence of your own by `code`.
    public let message: String
    /// The parameter that is missing or wrong, with `invalid_params`.
    public let field: String?
    /// What exactly is wrong where the name alone does not say it.
    public let reason: String?
    /// How long to wait before trying the call again.
    public let retryAfter: Duration?
    /// With `internal`: the incident's number in the server's log.
    public let incident: String?

    init(
        code: Code, number: Int32, message: String, field: String? = nil, reason: String? = nil,
        retryAfter: Duration? = nil, incident: String? = nil
    ) {
        self.code = code
        self.number = number
        self.message = message
        self.field = field
        self.reason = reason
        self.retryAfter = retryAfter
        self.incident = incident
    }

    init(_ refusal: ServerRefusal) {
        self.init(
            code: Code(rawValue: refusal.name), number: Int32(clamping: refusal.code), message: refusal.message,
            field: refusal.field, reason: refusal.reason,
            retryAfter: refusal.retryAfterMs.flatMap { $0 >= 0 ? .milliseconds($0) : nil }, incident: refusal.incident)
    }

    /// Whatever was thrown, as an error of ours.
    static func of(_ thrown: any Error) -> OvationError {
        switch thrown {
        case let error as OvationError: error
        case is CancellationError: OvationError(.cancelled)
        default: OvationError(.internalError, "\(thrown)")
        }
    }
}

extension OvationError: CustomStringConvertible {
    public var description: String {
        let details = [field.map { "field: \($0)" }, reason.map { "reason: \($0)" }].compactMap { $0 }
        return "\(code) (\(number)): \(message)" + (details.isEmpty ? "" : " [\(details.joined(separator: ", "))]")
    }
}

extension OvationError {
    /// Of whoever is put out of a room. Only a ban keeps them out; of one the error says as much as the refusal of whoever comes back too
    /// soon.
    /// - Parameters:
    ///   - host: the name of the room's owner.
    ///   - time: the server's, in milliseconds since 1970; `nil`: it is not known.
    init(_ restriction: Restriction, by host: String, at time: Int64?) {
        let why = restriction.reason.map { ": \($0)" } ?? ""
        let message = "\(restriction.by) put this user out of the room\(why)"
        guard restriction.kind == .ban else {
            self.init(.permissionDenied, message)
            return
        }
        guard let until = restriction.until else {
            self.init(.bannedForGood, message, reason: host, retryAfter: nil)
            return
        }
        let wait = time.map { max(.zero, Duration.milliseconds(until) - .milliseconds($0)) }
        self.init(.banned, message, reason: host, retryAfter: wait)
    }
}
