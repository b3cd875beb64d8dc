import HTTP
import RoomModel
import RoomPorts
import RoomTestSupport
import SignalProtocol
import Signalling
import Testing
import Timing
import UserSig

@testable import PagesAndSongs

/// Tickets in virtual time.
@Suite struct TicketOfficeTests {
    private let clock = VirtualRoomClock()
    private let application = Application(id: ApplicationID(9), name: "Demo", keys: ["new key", "old key"])
    private let here = ClientAddress(text: "127.0.0.1")

    private func office(_ kind: TicketIssuer.Kind) -> (TicketIssuer, SignIn) {
        let signIn = SignIn(accounts: MemoryAccounts([application]), restrictions: MemoryRestrictions(), clock: clock)
        let office = TicketIssuer(
            kind: kind, application: application.id, signIn: signIn,
            sessions: SessionRegistry(ownsNameOf: TicketIssuer.isOwn), clock: clock, limits: AdmissionLimits())
        return (office, signIn)
    }

    private func refusal<Value>(_ body: () async throws(Refusal) -> Value) async -> String? {
        do throws(Refusal) {
            _ = try await body()
            return nil
        } catch {
            return error.error.code.name
        }
    }

    @Test(
        "A10-S an own ticket is renewed until seven days after its end, and not a second longer; a forged or another's never"
    )
    func renewal() async throws {
        let (office, signIn) = office(.guests)
        let issued = try await office.issue(name: "Kim", to: here)
        #expect(TicketIssuer.isOwn(issued.user))
        let user = issued.user.rawValue
        clock.setWall(clock.wallTime + .seconds(86_400 + 7 * 86_400))
        let renewed = try await office.renew(user: user, ticket: issued.ticket)
        #expect(renewed.user == issued.user && renewed.expiresInSeconds == 86_400)
        #expect(
            try signIn.verify(renewed.ticket, of: issued.user, in: application).end == clock.wallTime + .seconds(86_400)
        )
        clock.setWall(clock.wallTime + .seconds(1))
        #expect(
            await refusal { () async throws(Refusal) in try await office.renew(user: user, ticket: issued.ticket) }
                == "ticket_expired")
        #expect(
            await refusal { () async throws(Refusal) in try await office.renew(user: "other", ticket: renewed.ticket) }
                == "ticket_failed")
        #expect(
            await refusal { () async throws(Refusal) in try await office.renew(user: "no such!", ticket: renewed.ticket)
            } == "user_id_invalid")
    }

    @Test("A10-S renewing never gives more than was given: not longer, not of more scope, not what others have made")
    func renewalKeepsTheScope() async throws {
        let (office, signIn) = office(.guests)
        let guest = try await office.issue(name: "Kim", to: here)
        let signer = TicketSigner(application: application.id.rawValue, key: "new key")
        let now = clock.wallTime.secondsSince1970
        // Somebody with the key has made a short ticket for the guest.
        let short = try signer.ticket(user: guest.user.rawValue, issuedAt: now, lifetime: 600)
        #expect(try await office.renew(user: guest.user.rawValue, ticket: short).expiresInSeconds == 600)
        // A ticket of ten minutes for the operator's own user does not become one of a day.
        let operators = try signer.ticket(user: "alice", issuedAt: now, lifetime: 600)
        #expect(
            await refusal { () async throws(Refusal) in try await office.renew(user: "alice", ticket: operators) }
                == "ticket_failed")
        let scoped = try signer.privateMapKey(
            user: guest.user.rawValue, room: .number(5), privileges: .listen, issuedAt: now, lifetime: 600)
        #expect(
            await refusal { () async throws(Refusal) in
                try await office.renew(user: guest.user.rawValue, ticket: scoped)
            } == "ticket_failed")
        #expect(
            await refusal { () throws(Refusal) in try signIn.verify(scoped, of: guest.user, in: application) }
                == "ticket_failed")
    }

    @Test("a name is kept for ten seconds for whoever got a ticket for it; guests with one name are different users")
    func reservation() async throws {
        let (office, _) = office(.guests)
        let first = try await office.issue(name: "Kim", to: here)
        #expect(
            await refusal { () async throws(Refusal) in try await office.issue(name: "KIM", to: here) } == "name_taken")
        _ = try await office.issue(name: "Lee", to: here)
        clock.advance(by: .seconds(10))
        let second = try await office.issue(name: "kim", to: here)
        #expect(first.user != second.user)
    }

    @Test("in development a name always gives the same user; elsewhere than on this machine nobody is served")
    func development() async throws {
        let (office, _) = office(.development)
        let first = try await office.issue(name: "Kim", to: here)
        let again = try await office.issue(name: " kim ", to: here)
        #expect(first.user == again.user)
        #expect(
            office.serves(here) && !office.serves(ClientAddress(text: "192.0.2.1"))
                && !office.serves(ClientAddress(text: "unknown")))
    }

    @Test("names that are empty, too long or hold controls are refused")
    func names() async {
        let (office, _) = office(.guests)
        for name in ["", "  \n ", String(repeating: "a", count: 65), "a\u{7}b", "\u{0}"] {
            #expect(
                await refusal { () async throws(Refusal) in try await office.issue(name: name, to: here) }
                    == "invalid_params", "\(name)")
        }
        #expect(
            await refusal { () async throws(Refusal) in
                try await office.issue(name: String(repeating: "홍", count: 40), to: here)
            } == nil)
    }

    @Test("A10-S a ticket of either key is good, and a dropped key's is not once the keys are read again")
    func keyRotation() async throws {
        let accounts = MemoryAccounts([application])
        let signIn = SignIn(accounts: accounts, restrictions: MemoryRestrictions(), clock: clock)
        let user = try #require(UserID("kim"))
        let now = clock.wallTime.secondsSince1970
        let old = try TicketSigner(application: 9, key: "old key").ticket(user: "kim", issuedAt: now)
        let new = try TicketSigner(application: 9, key: "new key").ticket(user: "kim", issuedAt: now)
        func outcome(_ ticket: String) async -> String? {
            await refusal { () async throws(Refusal) in
                try await signIn.identify(
                    SessionOpening(application: ApplicationID(9), user: user, ticket: ticket),
                    isTaken: { _, _, _ in false })
            }
        }
        #expect(await outcome(old) == nil)
        #expect(await outcome(new) == nil)
        var rotated = application
        rotated.keys = ["new key"]
        try await accounts.save(rotated)
        clock.advance(by: .seconds(6))
        #expect(await outcome(old) == "ticket_failed")
        #expect(await outcome(new) == nil)
    }
}
