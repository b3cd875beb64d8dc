import Foundation
import LoadTools
import Ovation
import ServerApp
import ServerTestSupport
import Synchronization
import Testing
import UserSig

@Suite struct ChatLoadTests {
    private final class Reports: Sendable {
        private let kept = Mutex<[ChatLoad.Report]>([])
        func add(_ report: ChatLoad.Report) { kept.withLock { $0.append(report) } }
        var all: [ChatLoad.Report] { kept.withLock { $0 } }
    }

    private func run(
        _ work: ChatLoad.Work, on server: TestServer, key: String? = nil, members: Int = 20
    ) async throws -> [ChatLoad.Report] {
        let reports = Reports()
        var plan = ChatLoad.Plan()
        plan.members = members
        plan.publishers = 4
        plan.serverProcess = getpid()
        plan.warmUp = 0.1
        try await ChatLoad.run(
            work,
            to: .ovation(
                ServerAddress("127.0.0.1:\(server.port)"),
                TicketSigner(application: TestServer.application, key: key ?? server.keys[0])),
            plan, report: reports.add)
        return reports.all
    }

    @Test("a load of messages on a real server: every member gets every message once")
    func messages() async throws {
        try await TestServer.with(configure: {
            $0.roomsMessagesPerSecond = 1_000
            $0.roomsMessagesPerPerson = 1_000
            $0.limitsMessagesPerAddress = 1_000
        }) { server in
            let reports = try await run(.messages([40, 100], seconds: 0.5, untilLate: false), on: server)
            #expect(reports.count == 2)
            for case .messages(let report) in reports {
                #expect(report.said == Int(report.rate / 2) && report.isWhole, "\(report.text)")
                #expect(report.delivered == 20 * report.said && report.latency != nil)
                #expect(
                    report.serverMicroseconds ?? 0 > 0 && report.textsPerFrame >= 1 && report.bytesPerDelivery > 200)
            }
        }
    }

    @Test("a flood of messages: their senders are told what is too much, and everybody gets each change of a seat")
    func flood() async throws {
        try await TestServer.with { server in
            guard case .flood(let report) = try await run(.flood(200, seconds: 1), on: server).first else {
                return #expect(Bool(false), "no report of a flood")
            }
            #expect(
                report.said == 200 && report.taken + report.refused == 200 && report.refused > 100, "\(report.text)")
            #expect(report.delivered == report.taken * 20 && report.taken > 0, "\(report.text)")
            #expect(
                report.seatChanges == 4 && report.seatsDelivered == 80 && report.seatLatency != nil, "\(report.text)")
        }
    }

    @Test("lines without a room are counted with what they cost")
    func lines() async throws {
        try await TestServer.with { server in
            guard case .lines(let report) = try await run(.lines, on: server).first else {
                return #expect(Bool(false), "no report of lines")
            }
            #expect(report.members == 20 && report.serverBytes != nil)
        }
    }

    @Test("what keeps a load of messages from beginning is said in a sentence")
    func refusals() async throws {
        try await TestServer.with { server in
            _ = await #expect { try await run(.lines, on: server, key: "wrong") } throws: {
                "\($0)".hasPrefix("the server refuses: ")
            }
        }
        await #expect {
            try await ChatLoad.run(.lines, to: .channel(ServerAddress("https://127.0.0.1")), ChatLoad.Plan()) { _ in }
        } throws: { "\($0)".contains("TLS") }
        await #expect {
            try await ChatLoad.run(.lines, to: .channel(ServerAddress("127.0.0.1:1")), ChatLoad.Plan()) { _ in }
        } throws: { "\($0)".hasPrefix("the server takes no connection: ") }
    }
}
