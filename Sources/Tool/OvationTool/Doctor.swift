import ArgumentParser
import Foundation
import Ovation
import ServerApp
import UserSig

/// `ovation doctor`: what keeps people out, in sentences.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for what would keep people out: ports, addresses, certificate, clock, disk, relays.",
        discussion: """
            On the server:  ovation doctor --config /etc/ovation/ovation.yml
            From outside:   ovation doctor --from https://salon.example --name Test
            As a user:      --app 1400000002 --user test, with OVATION_KEY

            From outside it signs in (as a guest under that name and four letters), makes a room for a moment, and opens a media path to it. Give --name where the server issues tickets (guests), or --app and --user. \
            Exit code: 0 when nothing was found, 1 when something keeps people out. Warnings alone are 0.
            """)

    @Option(help: "Look from this machine at a server that runs elsewhere: its http: or https: address.")
    var from: String?
    @Option(help: "With --from: sign in with this name, where the server issues tickets.")
    var name: String?
    @Option(help: "With --from: application (SDKAppID), for signing in as a user.")
    var app: UInt32?
    @Option(help: "With --from: user id.")
    var user: String?
    @Option(help: "With --from: the user's ticket. [default: made with OVATION_KEY]")
    var ticket: String?
    @Option(help: "With --from: certificates to trust (PEM).")
    var trust: String?
    @Flag(help: "Print the findings as JSON.")
    var json = false
    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard from != nil else {
            guard name == nil, app == nil, user == nil, ticket == nil, trust == nil else {
                throw ValidationError("--name, --app, --user, --ticket and --trust go with --from")
            }
            return
        }
        guard (app != nil) == (user != nil), name == nil || user == nil else {
            throw ValidationError("sign in by --name, or by --app and --user")
        }
    }

    func run() async throws {
        let findings: [Finding]
        if let from {
            findings = await OutsideView(server: try ServerAddress(from), trust: trust, identity: try identity())
                .findings()
        } else {
            do {
                findings = await Examination(try options.settings()).findings()
            } catch let failure as ConfigurationFailure {
                findings = [
                    .problem("settings", "\(failure).", "Mend the settings; Configuration/ovation.yml explains each.")
                ]
            }
        }
        try print(findings)
        if findings.contains(where: { $0.grade == .problem }) { throw ExitCode.failure }
    }

    private func identity() throws -> OutsideView.Identity? {
        if let name { return .name(name) }
        guard let app, let user else { return nil }
        if let ticket { return .ticket(app: app, user: user, ticket: ticket) }
        guard let key = ProcessInfo.processInfo.environment["OVATION_KEY"] else {
            throw ValidationError("--user needs --ticket, or a key to make one with in OVATION_KEY")
        }
        do {
            let ticket = try TicketSigner(application: app, key: key)
                .ticket(user: user, issuedAt: Int64(Date().timeIntervalSince1970), lifetime: 600)
            return .ticket(app: app, user: user, ticket: ticket)
        } catch {
            throw ValidationError("a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
        }
    }

    private func print(_ findings: [Finding]) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            Swift.print(String(decoding: try encoder.encode(findings), as: UTF8.self))
            return
        }
        let width = findings.map(\.subject.count).max() ?? 0
        for finding in findings {
            let subject = finding.subject.padding(toLength: width, withPad: " ", startingAt: 0)
            Swift.print("\(Self.mark(finding.grade)) \(subject)  \(finding.sentence)")
            if let advice = finding.advice {
                Swift.print("          \(String(repeating: " ", count: width))  → \(advice)")
            }
        }
    }

    private static func mark(_ grade: Finding.Grade) -> String {
        switch grade {
        case .fine: "ok       "
        case .warning: "warning  "
        case .problem: "PROBLEM  "
        }
    }
}
