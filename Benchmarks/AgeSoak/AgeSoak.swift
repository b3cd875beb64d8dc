import DuetSimulation
import Foundation
import Ovation
import RoomModel
import ServerApp
import ServerTestSupport
import Synchronization

/// R5: what costs more after an hour than in the first minute? One connection that makes calls, one client that gets news, one room
/// that takes turns, one virtual hour of two singers, twenty virtual hours of a viewer's line, people who come and go, and rooms that
/// just go on; each in windows of the same work, whose cost (processor time) and memory are printed. The first ones are measured in
/// one process, server and client together; for the last two the server has a process of its own, which alone counts. Exits with 1
/// if the last tenth of the windows (the last third, for those two) costs more than the first by more than a tenth, or where something
/// else grew or broke.
@main
struct AgeSoak {
    /// Three of them are a tenth, whose median counts: a machine that others share stumbles now and then.
    static let windows = 30
    /// Before the first window: caches, connections and pools fill once.
    private static let warmUpShare = 20

    static func main() async throws {
        let arguments = CommandLine.arguments
        func value(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
        }
        let scale = value("--scale").flatMap(Double.init) ?? 1
        let only = value("--only")
        func units(_ count: Int) -> Int { max(windows * 20, Int(Double(count) * scale)) }
        var results: [Aging] = []
        let all: [(String, () async throws -> Aging)] = [
            ("calls", { try await calls(units(100_000)) }),
            ("turns", { try await turns(units(100_000)) }),
            ("deliveries", { try await deliveries(units(1_000_000)) }),
            ("media", { try await media(minutes: max(15, 60 * scale)) }),
            ("pictures", { try PictureAging(hours: max(0.5, 20 * scale)).run() }),
            ("visits", { try await ServerAging().visits(units(10_000)) }),
            ("rooms", { try await ServerAging().rooms(minutes: max(3, Int(20 * scale))) }),
        ]
        for (name, run) in all where only == nil || only == name {
            let result = try await run()
            print(result.text)
            results.append(result)
        }
        if let path = value("--json") { try JSONEncoder().encode(results).write(to: URL(fileURLWithPath: path)) }
        let isWell = results.allSatisfy(\.problems.isEmpty)
        print(isWell ? "all is well" : "OLDER IS DEARER")
        exit(isWell ? 0 : 1)
    }

    // MARK: The work

    /// Calls of one connection that need no room.
    private static func calls(_ count: Int) async throws -> Aging {
        try await withServer { server in
            let client = try await signIn("caller", at: server)
            let result = try await measure("calls of one connection", units: count, atOnce: 32) {
                _ = try await client.roomInfo([RoomID.number(1)])
            }
            await client.signOut()
            return result
        }
    }

    /// Durable commands to one room.
    private static func turns(_ count: Int) async throws -> Aging {
        try await withServer { server in
            let client = try await signIn("owner", at: server)
            let room = try await client.createRoom(RoomDraft(name: "Age", seats: 16))
            let number = Mutex(0)
            let result = try await measure("turns of one room", units: count, atOnce: 64) {
                let turn = number.withLock { number in
                    number += 1
                    return number
                }
                try await room.setSeat(turn % 16, muted: turn / 16 % 2 == 0)
            }
            await client.signOut()
            return result
        }
    }

    /// News to one client that listens in both ways: by events and by a handler.
    private static func deliveries(_ count: Int) async throws -> Aging {
        try await withServer { server in
            let sender = try await signIn("sender", at: server)
            let room = try await sender.createRoom(RoomDraft(name: "Age"))
            let listener = try await signIn("listener", at: server)
            let entered = try await listener.enterRoom(room.id)
            let heard = Mutex(0)
            listener.deliver { delivery in
                if case .room(_, .message) = delivery { heard.withLock { $0 += 1 } }
            }
            let counted = Task {
                for try await event in entered.events { _ = event }
            }
            var sent = 0
            let result = try await measure("deliveries to one client", units: count, atOnce: 100) {
                _ = try await room.send("one of many messages of an ordinary length")
            } settle: { done in
                sent = done
                // What is heard is counted, not waited for one by one: waiting would cost more than what is measured.
                while heard.withLock({ $0 }) < sent { try await Task.sleep(for: .milliseconds(5)) }
            }
            counted.cancel()
            await listener.signOut()
            await sender.signOut()
            return result
        }
    }

    /// Two singers, their clocks and the network in virtual time.
    private static func media(minutes: Double) async throws -> Aging {
        let duet = try VirtualDuet()
        duet.run(VirtualDuet.settling + 60)
        let seconds = minutes * 60 / Double(windows)
        var found: [Aging.Window] = []
        for _ in 0..<windows {
            let before = processorTime()
            duet.run(seconds)
            found.append(
                Aging.Window(
                    microsecondsPerUnit: (processorTime() - before) * 1e6 / seconds, residentMiB: residentMiB()))
        }
        return Aging(name: "seconds of a virtual duet", units: Int(minutes * 60), windows: found)
    }

    // MARK: Measuring

    private static func measure(
        _ name: String, units: Int, atOnce: Int, _ work: @escaping @Sendable () async throws -> Void,
        settle: (Int) async throws -> Void = { _ in }
    ) async throws -> Aging {
        let warmUp = units / warmUpShare
        try await repeated(warmUp, atOnce: atOnce, work)
        try await settle(warmUp)
        var done = warmUp
        var found: [Aging.Window] = []
        for _ in 0..<windows {
            let before = processorTime()
            try await repeated(units / windows, atOnce: atOnce, work)
            done += units / windows
            try await settle(done)
            found.append(
                Aging.Window(
                    microsecondsPerUnit: (processorTime() - before) * 1e6 / Double(units / windows),
                    residentMiB: residentMiB()))
        }
        return Aging(name: name, units: units, windows: found)
    }

    private static func repeated(
        _ count: Int, atOnce: Int, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup { group in
            for worker in 0..<atOnce {
                group.addTask {
                    for _ in stride(from: worker, to: count, by: atOnce) { try await work() }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func withServer(_ body: (TestServer) async throws -> Aging) async throws -> Aging {
        try await TestServer.with(configure: {
            $0.limitsCallsPerSecond = 1_000_000
            $0.limitsChangesPerSecond = 1_000_000
            // All visits come from one address, as fast as the machine makes them.
            $0.limitsConnectionsPerAddress = 1_000_000
            $0.limitsMessagesPerAddress = 1_000_000
            $0.roomsMessagesPerSecond = 1_000_000
        }) { try await body($0) }
    }

    private static func signIn(_ name: String, at server: TestServer) async throws -> OvationClient {
        var configuration = OvationClient.Configuration(callTimeout: .seconds(60))
        configuration.audio = .off
        let client = OvationClient(
            server: try ServerAddress("127.0.0.1:\(server.port)"), configuration: configuration)
        guard let user = UserID(name) else { throw CancellationError() }
        try await client.signIn(
            app: ApplicationID(TestServer.application), user: user, ticket: try server.ticket(name), name: name)
        return client
    }

    static func processorTime() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    static func residentMiB() -> Double {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return .nan }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }
}
