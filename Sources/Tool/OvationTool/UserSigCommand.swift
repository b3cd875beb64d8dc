import ArgumentParser
import Foundation
import UserSig

struct UserSigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usersig", abstract: "Create and verify tickets (UserSig).",
        subcommands: [Make.self, Verify.self])

    struct Make: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a ticket for a user.",
            discussion: """
                Without --key, the key is read from OVATION_KEY, which keeps it out of the shell's history.

                With --room it is a privateMapKey: good for that room alone, and for what --privileges says: the sum of 1 create, \
                2 enter, 4 send sound, 8 receive sound, 16 send a picture, 32 receive pictures, 64 share a screen, 128 see one. \
                42 enters and listens. A room whose id is a text is written ~id.
                """)

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "Secret key of the application.")
        var key: String?
        @Option(help: "User id: 1…32 of A-Z a-z 0-9 _ -")
        var user: String
        @Option(help: "Seconds for which the ticket is good.")
        var lifetime: Int64 = Ticket.defaultLifetime
        @Option(help: "Make a privateMapKey for this room.")
        var room: String?
        @Option(help: "What its bearer may do there, 0…255.")
        var privileges: UInt32 = 255

        func validate() throws {
            guard privileges <= 255 else { throw ValidationError("--privileges is 0…255") }
        }

        func run() throws {
            let signer = TicketSigner(application: app, key: try secret(key))
            do throws(TicketSigner.Failure) {
                if let room {
                    print(
                        try signer.privateMapKey(
                            user: user, room: Self.room(room), privileges: RoomPrivileges(rawValue: privileges),
                            issuedAt: now, lifetime: lifetime))
                } else {
                    print(try signer.ticket(user: user, issuedAt: now, lifetime: lifetime))
                }
            } catch {
                switch error {
                case .userID: throw ValidationError("a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
                case .time: throw ValidationError("a lifetime is not negative")
                case .userbufTooLarge: throw ValidationError("the userbuf is too large")
                }
            }
        }

        /// As links write it: 48213 is a number, ~48213 a text, and what is no number is a text too.
        private static func room(_ text: String) -> PrivateMapKey.Room {
            if text.hasPrefix("~") { return .string(String(text.dropFirst())) }
            return UInt32(text).map { .number($0) } ?? .string(text)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verify a ticket. Exits with 0, or with 1 and the reason.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "Secret key of the application. [default: OVATION_KEY]")
        var key: String?
        @Option(help: "User id.")
        var user: String
        @Argument(help: "The ticket.")
        var ticket: String

        func run() throws {
            let verifier = TicketVerifier(application: app, keys: [try secret(key)])
            do throws(TicketFailure) {
                let good = try verifier.verify(ticket, user: user, now: now)
                print(
                    "good for \(good.user) of \(good.application) until \(Date(timeIntervalSince1970: Double(good.expiresAt)))"
                )
            } catch {
                FileHandle.standardError.write(Data("ovation: \(Self.sentence(error))\n".utf8))
                throw ExitCode.failure
            }
        }

        /// What is wrong with the ticket, and where to look.
        private static func sentence(_ failure: TicketFailure) -> String {
            switch failure {
            case .empty: "the ticket is empty"
            case .malformed(let what): "this is no ticket, or it was cut short (\(what))"
            case .application(let other): "the ticket was made for application \(other)"
            case .user: "the ticket was made for another user"
            case .signature: "the signature does not fit: the ticket was made with another key, or changed"
            case .expired(let end): "the ticket expired at \(Date(timeIntervalSince1970: Double(end)))"
            case .notYetValid(let seconds):
                "the ticket was made \(seconds) s in the future: the clock of this machine or of the ticket's maker is wrong"
            }
        }
    }
}

private var now: Int64 { Int64(Date().timeIntervalSince1970) }

private func secret(_ key: String?) throws -> String {
    guard let key = key ?? ProcessInfo.processInfo.environment["OVATION_KEY"], !key.isEmpty else {
        throw ValidationError("give the application's key: --key or OVATION_KEY")
    }
    return key
}
