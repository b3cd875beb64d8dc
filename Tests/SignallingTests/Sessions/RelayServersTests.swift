import RoomModel
import SignalProtocol
import Testing
import Timing

@testable import Signalling

@Suite struct RelayServersTests {
    @Test("a relay's name says until when it holds, and its password is the name's code, as openssl makes it")
    func password() throws {
        let relays = RelayServers(
            urls: ["turn:relay.example:3478", "stun:relay.example", "turns:relay.example:443?transport=tcp"],
            secret: "north")
        let alice = try #require(UserID("alice"))
        let servers = relays.servers(for: alice, at: WallTime(secondsSince1970: 1_700_000_000))
        try #require(servers.count == 2)
        #expect(servers[0].urls == ["stun:relay.example"])
        #expect(servers[0].username == nil && servers[0].credential == nil)
        #expect(servers[1].urls == ["turn:relay.example:3478", "turns:relay.example:443?transport=tcp"])
        #expect(servers[1].username == "1700086400:alice")
        // printf 1700086400:alice | openssl dgst -sha1 -hmac north -binary | base64
        #expect(servers[1].credential == "SXua5ne/+mDhiHTp0pQJzRO4ESg=")
        #expect(RelayServers.none.servers(for: alice, at: WallTime(secondsSince1970: 0)).isEmpty)
    }

    @Test(
        "what is no relay's address is refused",
        arguments: [
            "relay.example", "https://relay.example", "turn:", "turn://relay.example", "turn:relay.example x",
            "turn:me@relay.example", "TURN:relay.example",
        ])
    func addresses(url: String) {
        #expect(!RelayServers.isURL(url))
        #expect(RelayServers.isURL("turn:[2001:db8::1]:3478?transport=udp"))
    }
}
