/// What a UserSig ticket (TLSSigAPIv2) says, once decoded. Says nothing about whether it is genuine: that is `TicketVerifier`'s work.
public struct Ticket: Hashable, Sendable {
    /// The application (SDKAppID) for which the ticket was made.
    public var application: UInt32
    /// The user for whom the ticket was made.
    public var user: String
    /// When it was made, in seconds since 1970.
    public var issuedAt: Int64
    /// For how many seconds after `issuedAt` it is good.
    public var lifetime: Int64
    /// Bytes that the signature also covers, if any: in the published generators the room and privileges of a privateMapKey.
    public var userbuf: [UInt8]?
    /// The signature as it stood in the ticket, in base64.
    var signature: String

    /// The last second at which the ticket is good, since 1970. Saturates, so that an absurd lifetime is merely long.
    public var expiresAt: Int64 {
        let (sum, overflow) = issuedAt.addingReportingOverflow(lifetime)
        return overflow ? .max : sum
    }

    /// 180 days, what the published generators use when no other lifetime is asked for.
    public static let defaultLifetime: Int64 = 15_552_000
}

/// Why a ticket was refused.
public enum TicketFailure: Error, Hashable, Sendable {
    /// No ticket was given.
    case empty
    /// The text is not a ticket; says in which step it failed.
    case malformed(String)
    /// Made for the application that is named here.
    case application(UInt32)
    /// Made for another user.
    case user
    /// None of the application's keys made this signature.
    case signature
    /// Its last good second, since 1970, has passed.
    case expired(at: Int64)
    /// Its making lies in the future by more seconds than clocks may differ.
    case notYetValid(skewSeconds: Int64)
}

extension Ticket {
    /// Whether a text is a user id as published (references.md): 1…32 of `A-Z a-z 0-9 _ -`.
    static func isUserID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The text under the signature: these lines in this order, each ended by a line feed, whatever the order in the JSON.
    /// The user id cannot hold a line feed and `userbuf` is encoded here, so no field can pose as the next one.
    var signedText: String {
        var text = "TLS.identifier:\(user)\nTLS.sdkappid:\(application)\nTLS.time:\(issuedAt)\nTLS.expire:\(lifetime)\n"
        if let userbuf { text += "TLS.userbuf:\(Base64.encode(userbuf))\n" }
        return text
    }
}
