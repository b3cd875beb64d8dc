package import RoomModel
import SignalProtocol

/// Why we close a WebSocket: the code of RFC 6455 §7.4, or our own from 4001 on, which `session.closed` announces.
package struct SocketCloseReason: Hashable, Sendable {
    package var code: UInt16
    private var number = 0
    private var name = ""
    private var message = ""
    private var data: Answer.SessionEnd.Details?

    private init(_ code: UInt16) { self.code = code }

    private init(_ code: UInt16, _ error: RoomError.Code) {
        self.init(code, number: error.number, name: error.name, message: error.meaning)
    }

    private init(_ code: UInt16, number: Int, name: String, message: String) {
        self.code = code
        self.number = number
        self.name = name
        self.message = message
    }

    static let goingDown = SocketCloseReason(1001)
    static let protocolError = SocketCloseReason(1002)
    static let binaryFrame = SocketCloseReason(1003)
    static let notText = SocketCloseReason(1007)
    package static let tooLarge = SocketCloseReason(1009)
    static let replaced = SocketCloseReason(4001, .sessionReplaced)
    package static let ticketExpired = SocketCloseReason(4002, .sessionExpired)
    package static let notSignedIn = SocketCloseReason(4003, .notSignedIn)
    package static let flood = SocketCloseReason(4004, .rateLimited)
    package static let tooSlow = SocketCloseReason(
        4005, number: 4005, name: "too_slow",
        message: "more news waited than this connection takes: reconnect and resume")
    package static let signedOut = SocketCloseReason(
        4006, number: 4006, name: "signed_out", message: "the session was closed on request")

    /// The operator keeps the person out.
    package static func banned(_ error: RoomError) -> SocketCloseReason {
        var reason = SocketCloseReason(4007, error.code)
        reason.data = Answer.SessionEnd.Details(retryAfterMs: error.retryAfterMs, reason: error.reason)
        return reason
    }

    /// The `session.closed` that goes before the close frame.
    var notice: EncodedFrame? {
        name.isEmpty
            ? nil
            : EncodedFrame(
                text: Answer.sessionClosed(
                    Answer.SessionEnd(code: number, name: name, message: message, data: data)))
    }
}
