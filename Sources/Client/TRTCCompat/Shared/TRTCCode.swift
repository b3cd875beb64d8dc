internal import Ovation

/// The codes that callbacks carry. 0 is success.
///
/// A refusal with a published number has that number (references.md). Every other refusal is -1, as published; its message
/// starts with a stable name. A failure in the client, before the server could answer, has the negative number of `OvationError`.
/// `Documentation/build/trtc-names.md` has the whole table.
public enum TRTCCode {
    /// Success.
    public static let success: Int32 = 0
    /// Refused. The message gives the reason.
    public static let failed: Int32 = -1
    /// No server address is set, or the address is not valid.
    public static let noServer: Int32 = -11
    /// Warning: this device cannot do that, for example play by a receiver that it does not have.
    public static let notSupported: Int32 = -15
    /// Chat: `initSDK` has not been called.
    public static let notInitialized: Int32 = 6_013
    /// Chat: nobody is signed in.
    public static let notSignedIn: Int32 = 6_014
    /// Chat: an argument of the call is not valid.
    public static let invalidParameters: Int32 = 6_017
    /// Chat: the user is not in the group.
    public static let notInGroup: Int32 = 10_007
    /// Chat: the group ID is not valid.
    public static let invalidGroup: Int32 = 10_015
    /// `moveSeat` was called more than once a second.
    public static let tooFrequent: Int32 = 10_001
    /// The connection was lost for two minutes, and the component has left the room.
    public static let connectionTimeout: Int32 = 10_002
    /// Another user took the seat first.
    public static let seatConflict: Int32 = 10_056
    /// Warning: the connection is lost. It reconnects automatically.
    public static let disconnected: Int32 = 5_101
    /// The same user signed in elsewhere.
    public static let replaced: Int32 = 6_208
    /// The ticket has expired.
    public static let ticketExpired: Int32 = 6_206
    /// The microphone could not be opened. The component goes on without one.
    public static let microphoneFailed: Int32 = -1_302
    /// The loudspeaker could not be opened. The component goes on without one.
    public static let speakerFailed: Int32 = -1_321
    /// Warning: the media connection could not be opened. The component tries again.
    public static let soundFailed: Int32 = -30
}

extension OvationError {
    /// As a callback tells it.
    var outcome: (code: Int32, message: String) {
        // Refusals that the published components make themselves have no number there but -1: wrong role, wrong seat, no room.
        // The numbers of our own (20xxx) and of JSON-RPC mean nothing to their apps.
        let isUnnumbered =
            self.code == .permissionDenied || self.code == .notSignedIn || (20_000..<30_000).contains(number)
            || (-32_768 ... -32_000).contains(number)
        return (isUnnumbered ? TRTCCode.failed : number, "\(code): \(message)")
    }
}
