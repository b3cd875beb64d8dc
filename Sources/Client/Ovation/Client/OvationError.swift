public import RoomModel
internal import SignalProtocol

/// Why something did not work: a refusal of the server, or a failure on this side.
///
/// Switch on `name`, which is stable; `code` is the number that the reference systems document where they have one;
/// `message` is an English sentence for a log. The refusals of the server are listed in Documentation/protocol.md §3. Failures
/// on this side are:
///
/// | name | code | meaning, and what to do |
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
    /// The documented number. Several names may share one.
    public let code: Int32
    /// Stable, to switch on; see `OvationError.Name`.
    public let name: String
    /// An English sentence for a log. For users, show a sentence of your own by `name`.
    public let message: String
    /// The parameter that is missing or wrong, with `invalid_params`.
    public let field: String?
    /// What exactly is wrong where the name alone does not say it.
    public let reason: String?
    /// How long to wait before trying the call again.
    public let retryAfter: Duration?
    /// With `internal`: the incident's number in the server's log.
    public let incident: String?

    /// The name of a failure on this side. Those of the server are the names of `RoomError.Code`.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        /// There was no connection within the call's timeout.
        case offline
        /// The connection broke before the answer.
        case connectionLost = "connection_lost"
        /// No answer in time.
        case timeout
        /// The calling task was cancelled.
        case cancelled
        /// Nobody is signed in.
        case signedOut = "signed_out"
        /// No server answers at that address.
        case serverUnreachable = "server_unreachable"
        /// This server gives out no tickets of its own.
        case signInUnavailable = "sign_in_unavailable"
        /// Too many calls wait for answers.
        case tooManyCalls = "too_many_calls"
        /// Events were not read fast enough.
        case tooSlow = "too_slow"
        /// This is no address of a server.
        case invalidAddress = "invalid_address"
        /// What answered is no Ovation server.
        case invalidAnswer = "invalid_answer"
        /// A file of this machine cannot be read.
        case fileUnreadable = "file_unreadable"
        /// The room is of a kind that this version does not know.
        case roomKindUnknown = "room_kind_unknown"
        /// This device cannot do that.
        case notSupported = "not_supported"
        /// The path for sound could not be opened.
        case mediaFailed = "media_failed"

        /// The stable text.
        public var text: String { rawValue }
        var code: Int32 { row.code }
        var meaning: String { row.meaning }

        private var row: (code: Int32, meaning: String) {
            switch self {
            case .offline: (-1, "there is no connection")
            case .connectionLost: (-2, "the connection broke before the answer")
            case .timeout: (-3, "there was no answer in time")
            case .cancelled: (-4, "the calling task was cancelled")
            case .signedOut: (-5, "nobody is signed in")
            case .serverUnreachable: (-6, "no server answers at this address")
            case .signInUnavailable: (-7, "this server gives out no tickets")
            case .tooManyCalls: (-8, "too many calls wait for answers")
            case .tooSlow: (-9, "events were not read fast enough")
            case .invalidAddress: (-11, "this is no address of a server")
            case .invalidAnswer: (-12, "the answer is not from an Ovation server")
            case .fileUnreadable: (-13, "the file cannot be read")
            case .roomKindUnknown: (-14, "the room needs a newer version of this app")
            case .notSupported: (-15, "this device cannot do that")
            case .mediaFailed: (-30, "the path for sound could not be opened")
            }
        }
    }

    /// A failure of this side.
    /// - Parameter message: absent: what the name means.
    public init(_ name: Name, _ message: String? = nil, retryAfter: Duration? = nil) {
        self.init(code: name.code, name: name.text, message: message ?? name.meaning, retryAfter: retryAfter)
    }

    /// A refusal as a server gives it, for a program that stands in for one in its tests.
    public init(_ code: RoomError.Code, _ message: String? = nil, retryAfter: Duration? = nil) {
        self.init(
            code: Int32(clamping: code.number), name: code.name, message: message ?? code.meaning,
            retryAfter: retryAfter)
    }

    private init(
        code: Int32, name: String, message: String, field: String? = nil, reason: String? = nil,
        retryAfter: Duration? = nil, incident: String? = nil
    ) {
        self.code = code
        self.name = name
        self.message = message
        self.field = field
        self.reason = reason
        self.retryAfter = retryAfter
        self.incident = incident
    }

    init(_ refusal: ServerRefusal) {
        self.init(
            code: Int32(clamping: refusal.code), name: refusal.name, message: refusal.message, field: refusal.field,
            reason: refusal.reason,
            retryAfter: refusal.retryAfterMs.flatMap { $0 >= 0 ? .milliseconds($0) : nil }, incident: refusal.incident)
    }

    /// Whether it is the failure of that name.
    public func `is`(_ name: Name) -> Bool { self.name == name.text }

    /// Whether it is the server's refusal of that code.
    public func `is`(_ code: RoomError.Code) -> Bool { name == code.name }

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
        return "\(name) (\(code)): \(message)" + (details.isEmpty ? "" : " [\(details.joined(separator: ", "))]")
    }
}
