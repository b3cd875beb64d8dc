internal import Ovation

/// The numbers that callbacks carry. 0 is success.
///
/// The rule behind them (`Documentation/trtc-names.md` has the whole table): a refusal that the reference systems document has
/// their number; every other refusal is -1, as theirs is, with its stable name at the start of the message; what failed on this
/// side before the server could say anything has the negative number of `OvationError`.
public enum TRTCCode {
    /// It worked.
    public static let success: Int32 = 0
    /// Refused: the message says why.
    public static let failed: Int32 = -1
    /// No server is named, or what is named is none.
    public static let noServer: Int32 = -11
    /// `moveSeat` more than once a second.
    public static let tooFrequent: Int32 = 10_001
    /// The connection has been lost for two minutes; the room was left.
    public static let connectionTimeout: Int32 = 10_002
    /// Somebody else was faster on the seat.
    public static let seatConflict: Int32 = 10_056
    /// Warning: the connection is lost; it reconnects automatically.
    public static let disconnected: Int32 = 5_101
    /// The same user signed in elsewhere.
    public static let replaced: Int32 = 6_208
    /// The ticket has run out.
    public static let ticketExpired: Int32 = 6_206
    /// The microphone could not be opened.
    public static let microphoneFailed: Int32 = -1_302
    /// Warning: the loudspeaker could not be opened.
    public static let speakerFailed: Int32 = -1_321
    /// Warning: no way was found for the sound; it is tried again.
    public static let soundFailed: Int32 = -30
}

extension OvationError {
    /// As a callback tells it.
    var outcome: (code: Int32, message: String) {
        // Refusals that the published components make themselves have no number there but -1: wrong role, wrong seat, no room.
        // The numbers of our own (20xxx) and of JSON-RPC mean nothing to their apps.
        let isUnnumbered =
            self.is(.permissionDenied) || self.is(.notSignedIn) || (20_000..<30_000).contains(code)
            || (-32_768 ... -32_000).contains(code)
        return (isUnnumbered ? TRTCCode.failed : code, "\(name): \(message)")
    }
}
