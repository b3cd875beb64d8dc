import Foundation
import LoadTools
import Ovation
import ServerTestSupport
import Testing
import UserSig

@Suite struct MediaLoadTests {
    private func load(
        on server: TestServer, key: String? = nil, addresses: String = "127.64.0.1",
        sending content: LoadContent = .sound(speakers: 2, packetsPerSecond: 50)
    ) async throws -> MediaLoad {
        try await MediaLoad.connect(
            to: .ovation(
                ServerAddress("127.0.0.1:\(server.port)"), trustRoots: .system,
                TicketSigner(application: TestServer.application, key: key ?? server.keys[0])),
            sending: content, addresses: addresses, port: 0, serverProcess: getpid())
    }

    @Test(
        "a load on a real server: each listener gets each speaker's packets once, in order, numbered as they were sent")
    func delivered() async throws {
        try await TestServer.with { server in
            var load = try await load(on: server)
            try await load.begin()
            for listeners in [3, 5] {
                try await load.grow(to: listeners)
                let report = try await load.measure(.seconds(1))
                #expect(report.listeners == listeners && report.speakers == 2)
                #expect(report.expected > 0 && report.expected.isMultiple(of: listeners))
                // On a busy machine copies take longer, and some are asked for again; none is missing or doubled.
                #expect(report.lost == report.late && report.misnumbered == 0, "\(report.text)")
                #expect(report.samples > 0 && report.latency != nil && report.lastCopy != nil)
                #expect(report.serverMicroseconds ?? 0 > 0 && report.serverBytes ?? 0 > 0)
            }
        }
    }

    @Test("a load of pictures on a real server: each viewer gets each packet of each frame once, in order")
    func pictures() async throws {
        try await TestServer.with { server in
            var load = try await load(on: server, sending: .picture)
            try await load.begin()
            try await load.grow(to: 4)
            try await load.awaitEverybody()
            let report = try await load.measure(.seconds(1))
            #expect(report.listeners == 4 && report.speakers == 1 && report.expected > 4 * 100)
            #expect(report.lost == report.late && report.misnumbered == 0, "\(report.text)")
            #expect(report.samples > 0)
        }
    }

    @Test("what keeps a load from beginning is said in a sentence: the key, the addresses, the process, the server")
    func refusals() async throws {
        try await TestServer.with { server in
            let wrongKey = try await load(on: server, key: "wrong")
            await #expect { try await wrongKey.begin() } throws: { "\($0)".contains("session.open") }
            await #expect { try await load(on: server, addresses: "localhost") } throws: {
                "\($0)" == "localhost is no IPv4 address"
            }
        }
        await #expect {
            try await MediaLoad.connect(
                to: .janus(ServerAddress("127.0.0.1:1")), sending: .picture, addresses: "127.64.0.1",
                port: 0,
                serverProcess: .max)
        } throws: { "\($0)" == "what process \(Int32.max) uses cannot be read" }
        await #expect {
            try await MediaLoad.connect(
                to: .janus(ServerAddress("127.0.0.1:1")), sending: .picture, addresses: "127.64.0.1",
                port: 0,
                serverProcess: nil)
        } throws: { "\($0)".contains("no server answers at this address") }
    }
}
