internal import Foundation
internal import Platform
internal import UserSig

/// Makes tickets inside an app, for development only. Anybody who has the app can read the key out of it and sign in as any user:
/// for a release, let the application's server make the tickets.
///
/// ```swift
/// GenerateTestUserSig.SDKAPPID = 1_400_000_001
/// GenerateTestUserSig.SECRETKEY = "…"
/// ```
/// `ovation app create` prints both values. Set them in the app's code, not in this file, which a package update replaces.
public enum GenerateTestUserSig {
    /// What to write when something is unset.
    static let advice =
        "GenerateTestUserSig.SDKAPPID and GenerateTestUserSig.SECRETKEY hold what `ovation app create` printed"
    /// The lifetime of a ticket in seconds: seven days, as in the published samples.
    public static let EXPIRETIME = 604_800

    private struct Chosen {
        var application: Int32 = 0
        var key = ""
        var hasWarned = false
    }

    private static let chosen = Mutex(Chosen())

    /// The application's number; 0 until the app sets it.
    public static var SDKAPPID: Int32 {
        get { chosen.withLock { $0.application } }
        set { chosen.withLock { $0.application = newValue } }
    }

    /// The application's secret key; empty until the app sets it.
    public static var SECRETKEY: String {
        get { chosen.withLock { $0.key } }
        set { chosen.withLock { $0.key = newValue } }
    }

    /// Makes a ticket for a user. Returns an empty string, and writes the reason to the standard error stream, if that fails.
    public static func genTestUserSig(identifier: String) -> String {
        make(identifier, now: Int64(Date().timeIntervalSince1970), isRelease: isRelease, say: say)
    }

    /// The same, with the label of newer samples.
    public static func genTestUserSig(userID: String) -> String { genTestUserSig(identifier: userID) }

    /// The same, as in Objective-C samples.
    public static func genTestUserSig(_ identifier: String) -> String { genTestUserSig(identifier: identifier) }

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - say: is told what is wrong, and once that a release build makes its own tickets.
    static func make(_ user: String, now: Int64, isRelease: Bool, say: (String) -> Void) -> String {
        let (application, key, isFirst) = chosen.withLock { chosen in
            defer { chosen.hasWarned = chosen.hasWarned || isRelease }
            return (chosen.application, chosen.key, !chosen.hasWarned)
        }
        if isRelease, isFirst {
            say(
                "GenerateTestUserSig is in a release build: the secret key can be read out of the app. "
                    + "Let the application's server make the tickets.")
        }
        guard application != 0 else {
            say("SDKAPPID is 0: write GenerateTestUserSig.SDKAPPID = <the number that `ovation app create` printed>")
            return ""
        }
        guard !key.isEmpty else {
            say(
                "SECRETKEY is empty: write GenerateTestUserSig.SECRETKEY = \"<the key that `ovation app create` printed>\""
            )
            return ""
        }
        guard let number = UInt32(exactly: application) else {
            say("SDKAPPID is \(application), which no application has")
            return ""
        }
        do throws(TicketSigner.Failure) {
            return try TicketSigner(application: number, key: key)
                .ticket(user: user, issuedAt: now, lifetime: Int64(EXPIRETIME))
        } catch {
            say("\(user.debugDescription) gets no ticket: a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
            return ""
        }
    }

    private static var isRelease: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    private static func say(_ sentence: String) {
        FileHandle.standardError.write(Data("\(sentence)\n".utf8))
    }
}
