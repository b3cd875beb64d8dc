import CZlib
import Foundation
import Testing

@testable import UserSig

@Suite struct TicketVerifierTests {
    let key = "an-old-key"
    let now: Int64 = 1_750_000_000
    var signer: TicketSigner { TicketSigner(application: 7, key: key) }
    var verifier: TicketVerifier { TicketVerifier(application: 7, keys: [key]) }

    func failure(_ text: String, user: String = "alice", now: Int64? = nil) -> TicketFailure? {
        do throws(TicketFailure) {
            _ = try verifier.verify(text, user: user, now: now ?? self.now)
            return nil
        } catch {
            return error
        }
    }

    /// A ticket in another generator's handwriting.
    func pack(_ json: String, level: Int32) -> String {
        let source = Array(json.utf8)
        var length = compressBound(uLong(source.count))
        var output = [UInt8](repeating: 0, count: Int(length))
        #expect(compress2(&output, &length, source, uLong(source.count), level) == Z_OK)
        return Data(output.prefix(Int(length))).base64EncodedString()
            .replacingOccurrences(of: "+", with: "*").replacingOccurrences(of: "/", with: "-")
            .replacingOccurrences(of: "=", with: "_")
    }

    @Test(
        "A02-S spacing, key order, compression level and numbers as strings make no difference", arguments: Int32(0)...9
    )
    func lenient(level: Int32) throws {
        let ticket = try TicketText.decode(signer.ticket(user: "alice", issuedAt: now, lifetime: 60))
        let json = """
            { "TLS.sig" : "\(ticket.signature)",
              "TLS.expire": "60", "TLS.time": \(now), "unknown": [1, {"x": null}],
              "TLS.sdkappid": "7", "TLS.identifier": "alice", "TLS.ver": "2.0" }

            """
        #expect(failure(pack(json, level: level)) == nil)
    }

    @Test(
        "A02-S a ticket that was copied with the end of its line, or spaces around it, is good; one with a space inside is not"
    )
    func copied() throws {
        let ticket = try signer.ticket(user: "alice", issuedAt: now, lifetime: 60)
        for text in ["\(ticket)\n", "\r\n\t \(ticket) \r\n", "\u{b}\(ticket)\u{c}"] { #expect(failure(text) == nil) }
        let middle = ticket.index(ticket.startIndex, offsetBy: 20)
        #expect(failure(ticket[..<middle] + "\n" + ticket[middle...]) != nil)
        #expect(failure(" \n") == .empty)
    }

    @Test("A02-S a ticket is good to its last second and not a second longer")
    func expiry() throws {
        let ticket = try signer.ticket(user: "alice", issuedAt: now, lifetime: 60)
        #expect(failure(ticket, now: now + 60) == nil)
        #expect(failure(ticket, now: now + 61) == .expired(at: now + 60))
    }

    @Test("R08-S a ticket from a clock that runs ahead is refused as such, with the difference")
    func clockSkew() throws {
        let ticket = try signer.ticket(user: "alice", issuedAt: now + 301)
        #expect(failure(ticket) == .notYetValid(skewSeconds: 301))
        #expect(failure(ticket, now: now + 1) == nil)
    }

    @Test("A02-S forged tickets, and those of another application or user, are told apart")
    func wrongTickets() throws {
        let ticket = try signer.ticket(user: "alice", issuedAt: now)
        #expect(failure("") == .empty)
        #expect(failure(ticket, user: "bob") == .user)
        #expect(
            failure(try TicketSigner(application: 8, key: key).ticket(user: "alice", issuedAt: now)) == .application(8))
        #expect(
            failure(try TicketSigner(application: 7, key: "other").ticket(user: "alice", issuedAt: now)) == .signature)
        // An expired forgery is a forgery: nothing is said about times before the signature is known to be good.
        let forged = try TicketSigner(application: 7, key: "other").ticket(user: "alice", issuedAt: 0, lifetime: 1)
        #expect(failure(forged) == .signature)
    }

    @Test("A10-S two keys are good at once while a key is rotated, and a dropped key is not")
    func rotation() throws {
        let old = try signer.ticket(user: "alice", issuedAt: now)
        let new = try TicketSigner(application: 7, key: "a-new-key").ticket(user: "alice", issuedAt: now)
        let both = TicketVerifier(application: 7, keys: ["a-new-key", key])
        #expect(try both.verify(old, user: "alice", now: now).user == "alice")
        #expect(try both.verify(new, user: "alice", now: now).user == "alice")
        let after = TicketVerifier(application: 7, keys: ["a-new-key"])
        #expect(throws: TicketFailure.signature) { try after.verify(old, user: "alice", now: now) }
        let none = TicketVerifier(application: 7, keys: [])
        #expect(throws: TicketFailure.signature) { try none.verify(new, user: "alice", now: now) }
    }

    @Test("a signature check alone passes an expired ticket, which renewal needs")
    func signatureOnly() throws {
        let ticket = try signer.ticket(user: "alice", issuedAt: 0, lifetime: 1)
        #expect(try verifier.verifySignature(ticket, user: "alice").expiresAt == 1)
    }

    @Test("A02-S a zip bomb is refused without being inflated")
    func bomb() {
        let bomb = pack(String(repeating: " ", count: 2_000_000), level: 9)
        #expect(bomb.utf8.count < TicketText.maximumBytes)
        #expect(failure(bomb) == .malformed("zlib"))
        #expect(failure(String(repeating: "A", count: TicketText.maximumBytes + 1)) == .malformed("too long"))
    }

    @Test("absurd numbers are refused or merely long, never a trap")
    func numbers() throws {
        for (field, value) in [
            ("TLS.time", "-1"), ("TLS.expire", "-5"), ("TLS.sdkappid", "4294967296"), ("TLS.sdkappid", "-7"),
            ("TLS.time", "9223372036854775808"), ("TLS.time", "1e300"), ("TLS.time", "\"x\""), ("TLS.sdkappid", "7.5"),
        ] {
            var fields = ["TLS.sdkappid": "7", "TLS.time": "\(now)", "TLS.expire": "60"]
            fields[field] = value
            let json =
                fields.reduce("{\"TLS.identifier\":\"alice\",\"TLS.sig\":\"AAAA\"") {
                    $0 + ",\"\($1.key)\":\($1.value)"
                } + "}"
            guard case .malformed = failure(pack(json, level: 6)) else {
                Issue.record("\(field)=\(value) was not refused as malformed")
                continue
            }
        }
        let eternal = try signer.ticket(user: "alice", issuedAt: now, lifetime: .max)
        #expect(failure(eternal, now: .max) == nil)
        #expect(failure(eternal, now: .min) == .notYetValid(skewSeconds: .max))
    }

    @Test("every single changed character of a ticket is refused")
    func everyCharacter() throws {
        let ticket = Array(try signer.ticket(user: "alice", issuedAt: now).utf8)
        var accepted = 0
        for index in ticket.indices {
            var changed = ticket
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            if failure(String(decoding: changed, as: UTF8.self)) == nil { accepted += 1 }
        }
        // The last characters hold zlib's checksum and base64's unused bits; a change there never survives unnoticed either.
        #expect(accepted == 0)
    }

    @Test("seeded garbage is refused and never traps", arguments: [UInt64(1), 2, 3])
    func garbage(seed: UInt64) {
        var state = seed
        func next() -> UInt64 {  // xorshift64*
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return state &* 2_685_821_657_736_338_717
        }
        for _ in 0..<500 {
            let bytes = (0..<Int(next() % 200)).map { _ in UInt8(truncatingIfNeeded: next()) }
            #expect(failure(String(decoding: bytes, as: UTF8.self)) != nil)
            #expect(failure(pack(String(decoding: bytes, as: UTF8.self), level: 1)) != nil)
            _ = PrivateMapKey(bytes)
        }
    }

    @Test("what cannot be a ticket is not made")
    func signerRefusals() {
        #expect(throws: TicketSigner.Failure.userID) { try signer.ticket(user: "a\nTLS.sdkappid:8", issuedAt: now) }
        #expect(throws: TicketSigner.Failure.userID) {
            try signer.ticket(user: String(repeating: "a", count: 33), issuedAt: now)
        }
        #expect(throws: TicketSigner.Failure.time) { try signer.ticket(user: "alice", issuedAt: -1) }
        let large = [UInt8](repeating: 0, count: TicketText.maximumUserbufBytes + 1)
        #expect(throws: TicketSigner.Failure.userbufTooLarge) {
            try signer.ticket(user: "alice", issuedAt: now, userbuf: large)
        }
        let full = [UInt8](repeating: 0xa5, count: TicketText.maximumUserbufBytes)
        #expect((try? signer.ticket(user: "alice", issuedAt: now, userbuf: full)).map { failure($0) } == .some(nil))
    }

    @Test("a privateMapKey that is cut or too long is none")
    func privateMapKeyBounds() {
        let body = PrivateMapKey(
            application: 7, user: "alice", room: .string("salon"), expiresAt: 5, privileges: .listen
        ).encoded
        for length in 0..<body.count { #expect(PrivateMapKey(Array(body.prefix(length))) == nil) }
        #expect(PrivateMapKey(body + [0]) == nil)
        #expect(PrivateMapKey(body)?.privileges.rawValue == 42)
    }
}
