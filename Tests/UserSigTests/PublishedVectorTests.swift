import Testing

@testable import UserSig

/// Outputs of the published generators for fixed inputs.
@Suite struct PublishedVectorTests {
    static let key = "5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e"
    static let time: Int64 = 1_700_000_000
    let signer = TicketSigner(application: 1_400_000_000, key: key)

    @Test("A02-S a ticket's signature is that of the published generators, and their ticket is accepted")
    func plainTicket() throws {
        let made = try TicketText.decode(signer.ticket(user: "xiaojun", issuedAt: Self.time))
        #expect(made.signature == "LvA7d/Iw7gSsnskvVzBDPOCCDbuNCw4GHwTC0bip+B4=")

        let published =
            "eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQWpYJkTE1NjRDiJZm5YFFz"
            + "NPXFmekgG3zKHM1T9D3LzdODi-OKs8vCqpxcAvydnV2SSv2cy03cPcpDnA2SMgu0nUxslWoBHdYzUg__"
        let verifier = TicketVerifier(application: 1_400_000_000, keys: [Self.key])
        let ticket = try verifier.verify(published, user: "xiaojun", now: Self.time + 1)
        #expect(ticket == made)
        #expect(ticket.lifetime == 15_552_000)
    }

    @Test("A02-S a userbuf is covered by the signature")
    func userbuf() throws {
        let made = try TicketText.decode(
            signer.ticket(user: "xiaojun", issuedAt: Self.time, userbuf: Array("abc".utf8)))
        #expect(made.signature == "QjT201xPkXk/aM1e+y0vakZb0K2iPrFue++0s5y6bFM=")
        #expect(made.userbuf == Array("abc".utf8))
    }

    @Test("A02-S another application, key and lifetime")
    func otherApplication() throws {
        let made = try TicketText.decode(
            TicketSigner(application: 88_888_888, key: "testkey")
                .ticket(user: "user-A_01", issuedAt: 1_600_000_000, lifetime: 604_800))
        #expect(made.signature == "+ViNopgNtw/mToI2JwdsWmNqxWlPDa9YVpI801X2nuY=")

        let published =
            "eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkSotTi3Qd4w0MYdLFKdmJBQWZKUBJCyiAyqRWFGQWpQLFzQxMLAwMoKIlmbkgMUMz"
            + "AyiAmZOZDjJfOyzTL78g3a*kXD83JN-TyKs8pTg816*wIjwnwCXRMjKswNPCwDDCKK800lapFgCxCTNp"
        let verifier = TicketVerifier(application: 88_888_888, keys: ["testkey"])
        #expect(try verifier.verify(published, user: "user-A_01", now: 1_600_000_000) == made)
    }

    @Test(
        "A02-S privateMapKeys for number and string rooms",
        arguments: [
            (
                PrivateMapKey.Room.number(10001), "0000077869616f6a756e53724e000000271166413f00000000ff00000000",
                "Pm00LUu9+1s/A9xHMEUbppz2Z6rnbqK6vBYSSvX/vjk="
            ),
            (
                .string("room-10001"),
                "0100077869616f6a756e53724e000000000066413f00000000ff00000000000a726f6f6d2d3130303031",
                "1Gt1TT99MKmIoKhYre+kWrVzdgN4+oMn1JAXm3KVweg="
            ),
        ])
    func privateMapKey(room: PrivateMapKey.Room, userbuf: String, signature: String) throws {
        let text = try signer.privateMapKey(user: "xiaojun", room: room, privileges: .all, issuedAt: Self.time)
        let made = try TicketText.decode(text)
        let body = try #require(made.userbuf)
        #expect(body.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == userbuf)
        #expect(made.signature == signature)

        let key = try #require(PrivateMapKey(body))
        #expect(key.room == room)
        #expect(key.user == "xiaojun")
        #expect(key.privileges == .all)
        #expect(key.expiresAt == 1_715_552_000)
    }
}
