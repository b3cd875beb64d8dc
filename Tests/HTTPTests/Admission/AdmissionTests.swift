import NIOCore
import Testing
import Timing

@testable import HTTP

@Suite struct AdmissionTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 5_000_000_000) + .milliseconds(milliseconds)
    }

    @Test("an allowance gives its burst at once, then its rate, and says how long to wait")
    func bucket() {
        var bucket = TokenBucket(Allowance(burst: 3, perSecond: 2), now: at(0))
        let first = (0..<4).map { _ in bucket.take(now: at(0)) }
        #expect(first == [true, true, true, false])
        #expect(bucket.wait(now: at(0)) == 500)
        let (early, due) = (bucket.take(now: at(499)), bucket.take(now: at(501)))
        #expect(!early && due)
        #expect(!bucket.isFull(now: at(1000)))
        #expect(bucket.isFull(now: at(10_000)))
        // Saved up no further than the burst, however long nobody came.
        let later = (0..<5).map { _ in bucket.take(now: at(1_000_000)) }
        #expect(later.filter { $0 }.count == 3)
    }

    @Test("addresses have allowances of their own, an IPv6 network one together, and the table forgets the idle")
    func rates() {
        let rates = AddressRates(Allowance(burst: 2, perSecond: 1))
        func take(_ address: String, _ time: Int64 = 0) -> Bool {
            rates.take(ClientAddress(text: address), now: at(time)) == nil
        }
        #expect(take("192.0.2.1") && take("192.0.2.1") && !take("192.0.2.1"))
        #expect(take("192.0.2.2"))
        #expect(take("2001:db8::1") && take("2001:db8::2") && !take("2001:db8::ffff"))
        #expect(take("2001:db8:0:1::1"))
        for index in 0..<3000 {
            #expect(take("10.0.\(index / 256).\(index % 256)", Int64(index) * 10))
            #expect(rates.addresses <= 1_024)
        }
        #expect(take("192.0.2.1", 60_000))
        // Who was there just now is not forgotten, however many they are.
        for index in 0..<2000 { #expect(take("10.1.\(index / 256).\(index % 256)", 90_000)) }
        #expect(rates.addresses >= 2_000)
        for index in 0..<2000 { _ = take("10.1.\(index / 256).\(index % 256)", 90_000) }
        for index in 0..<2000 { #expect(!take("10.1.\(index / 256).\(index % 256)", 90_000)) }
        // The table is looked through when it has doubled, not each time that somebody new comes.
        for index in 0..<500 { _ = take("10.2.\(index / 256).\(index % 256)", 200_000) }
        #expect(rates.addresses >= 2_500)
    }

    @Test("R08-S a forwarded address is believed from a trusted proxy only, and only what the proxies themselves wrote")
    func forwarded() throws {
        let proxies = TrustedProxies(["10.0.0.0/8", "::1"].compactMap(AddressRange.init))
        func client(_ peer: String, _ forwardedFor: String?, _ proto: String? = nil) throws -> ClientAddress {
            proxies.client(
                peer: try SocketAddress(ipAddress: peer, port: 1), secure: false, forwardedFor: forwardedFor,
                forwardedProto: proto)
        }
        #expect(try client("203.0.113.7", "198.51.100.1", "https") == ClientAddress(text: "203.0.113.7"))
        #expect(try client("10.1.2.3", "198.51.100.1", "https") == ClientAddress(text: "198.51.100.1", isSecure: true))
        // The client's own claim stands left of what the proxy saw.
        #expect(try client("10.1.2.3", "127.0.0.1, 198.51.100.1").text == "198.51.100.1")
        #expect(try client("10.1.2.3", "198.51.100.1, 10.9.9.9").text == "198.51.100.1")
        // U+0600 joins with what follows it, the proxy's comma too: its entry is the proxy's all the same.
        #expect(try client("10.1.2.3", "\u{600}, 198.51.100.1").text == "198.51.100.1")
        #expect(try client("10.1.2.3", "127.0.0.1\u{600},198.51.100.1").text == "198.51.100.1")
        #expect(try client("10.1.2.3", nil).text == "10.1.2.3")
        #expect(try client("10.1.2.3", "nonsense").text == "10.1.2.3")
        #expect(try client("10.1.2.3", "[2001:db8::5]:443").text == "2001:db8::5")
        #expect(try client("10.1.2.3", "198.51.100.1:5555").text == "198.51.100.1")
        #expect(try client("::1", "::ffff:198.51.100.1").text == "198.51.100.1")
        #expect(try client("::ffff:10.1.2.3", "198.51.100.1").text == "198.51.100.1")
        #expect(
            TrustedProxies([]).client(peer: nil, secure: true, forwardedFor: "1.2.3.4", forwardedProto: nil).text
                == "unknown")
        for address in ["127.0.0.1", "127.9.9.9", "::1"] { #expect(ClientAddress(text: address).isLoopback) }
        for address in ["128.0.0.1", "unknown", "", "::2"] { #expect(!ClientAddress(text: address).isLoopback) }
    }

    @Test("networks hold their addresses and no others, and what is none is refused")
    func ranges() {
        #expect(AddressRange("10.0.0.0/8")?.contains("10.255.0.1") == true)
        #expect(AddressRange("10.0.0.0/8")?.contains("11.0.0.1") == false)
        #expect(AddressRange("10.0.0.77/29")?.contains("10.0.0.72") == true)
        #expect(AddressRange("0.0.0.0/0")?.contains("8.8.8.8") == true)
        #expect(AddressRange("0.0.0.0/0")?.contains("::1") == false)
        #expect(AddressRange("2001:db8::/33")?.contains("2001:db8:7fff::1") == true)
        #expect(AddressRange("2001:db8::/33")?.contains("2001:db8:8000::1") == false)
        for text in ["", "10", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::/129", "example.org", "10.0.0.0/"] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
    }

    @Test("R08-S a page may connect from our own origin, or those that were named, and from nowhere else")
    func origins() {
        let own = OriginRule(origins: [])
        #expect(own.allows(origin: nil, host: "a:8080"))
        #expect(own.allows(origin: "http://a:8080", host: "a:8080"))
        #expect(own.allows(origin: "https://A", host: "a:443"))
        #expect(!own.allows(origin: "http://b:8080", host: "a:8080"))
        #expect(!own.allows(origin: "http://a:8080", host: "a:8081"))
        #expect(!own.allows(origin: "null", host: "a"))
        #expect(!own.allows(origin: "file://", host: "a"))
        #expect(!own.allows(origin: "http://a.evil.example", host: "a"))
        #expect(!own.allows(origin: "http://a", host: nil))

        let named = OriginRule(origins: ["https://salon.example/", "http://other.example:81"])
        #expect(named.allows(origin: "https://salon.example", host: "127.0.0.1:8080"))
        #expect(named.allows(origin: "http://other.example:81", host: "x"))
        #expect(!named.allows(origin: "http://salon.example", host: "salon.example"))

        let numeric = OriginRule(origins: [], numericHostsOnly: true)
        for host in ["localhost:8080", "127.0.0.1", "[::1]:8080", "192.168.1.5:8080"] {
            #expect(numeric.allows(origin: "http://\(host)", host: host), "\(host)")
        }
        #expect(!numeric.allows(origin: "http://evil.example", host: "evil.example"))
        #expect(!numeric.allows(origin: nil, host: "127.0.0.1.evil.example"))
    }

    @Test("a site with music is HTTPS, or this machine's; what has a path or would end a word of a header is none")
    func sites() {
        #expect(OriginRule.site("https://Music.example/") == "https://music.example")
        #expect(OriginRule.site("https://music.example:443") == "https://music.example")
        #expect(OriginRule.site("https://music.example:8443") == "https://music.example:8443")
        #expect(OriginRule.site("http://localhost:9001") == "http://localhost:9001")
        for text in [
            "http://music.example", "https://music.example/songs", "https://a.example; script-src *", "ftp://a.example",
            "https://a.example?b", "https://a.example,https://b.example", "music.example", "https://", "*", "",
        ] {
            #expect(OriginRule.site(text) == nil, "\(text)")
        }
    }
}
