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
/// | `offline` | -1 | there is no connection, and none came within the call's time; it comes back by itself |
/// | `connection_lost` | -2 | the connection broke before the answer, and the call cannot be repeated by itself |
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
/// | `media_failed` | -30 | the path for sound could not be opened |
public struct OvationError: Error, Hashable, Sendable {
    /// The documented number. Several names may share one.
    public let code: Int32
    /// Stable, to switch on; see `OvationError.Name`.
    public let name: String
    /// An English sentence for a log. People get theirs by the name, in their language.
    public let message: String
    /// The parameter that is missing or wrong, with `invalid_params`.
    public let field: String?
    /// What exactly is wrong where the name alone does not say it.
    public let reason: String?
    /// After this time the call may be tried again.
    public let retryAfter: Duration?
    /// With `internal`: where the server's log tells more.
    public let incident: String?

    /// The name of an error. Those of the server are the names of `RoomError.Code`.
    public struct Name: Hashable, Sendable {
        /// The stable text.
        public let text: String
        let code: Int32
        let meaning: String

        private init(_ text: String, _ code: Int32, _ meaning: String) {
            self.text = text
            self.code = code
            self.meaning = meaning
        }

        /// There is no connection, and none came within the call's time.
        public static let offline = Name("offline", -1, "there is no connection")
        /// The connection broke before the answer.
        public static let connectionLost = Name("connection_lost", -2, "the connection broke before the answer")
        /// No answer in time.
        public static let timeout = Name("timeout", -3, "there was no answer in time")
        /// The calling task was cancelled.
        public static let cancelled = Name("cancelled", -4, "the calling task was cancelled")
        /// Nobody is signed in.
        public static let signedOut = Name("signed_out", -5, "nobody is signed in")
        /// No server answers at that address.
        public static let serverUnreachable = Name("server_unreachable", -6, "no server answers at this address")
        /// This server gives out no tickets of its own.
        public static let signInUnavailable = Name("sign_in_unavailable", -7, "this server gives out no tickets")
        /// Too many calls wait for answers.
        public static let tooManyCalls = Name("too_many_calls", -8, "too many calls wait for answers")
        /// Events were not read fast enough.
        public static let tooSlow = Name("too_slow", -9, "events were not read fast enough")
        /// This is no address of a server.
        public static let invalidAddress = Name("invalid_address", -11, "this is no address of a server")
        /// What answered is no Ovation server.
        public static let invalidAnswer = Name("invalid_answer", -12, "what answered is no server of this kind")
        /// A file of this machine cannot be read.
        public static let fileUnreadable = Name("file_unreadable", -13, "the file cannot be read")
        /// The room is of a kind that this version does not know.
        public static let roomKindUnknown = Name(
            "room_kind_unknown", -14, "the room needs a newer version of this app")
        /// The path for sound could not be opened.
        public static let mediaFailed = Name("media_failed", -30, "the path for sound could not be opened")

        /// Every failure of this side.
        public static let all: [Name] = [
            offline, connectionLost, timeout, cancelled, signedOut, serverUnreachable, signInUnavailable, tooManyCalls,
            tooSlow, invalidAddress, invalidAnswer, fileUnreadable, roomKindUnknown, mediaFailed,
        ]
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
