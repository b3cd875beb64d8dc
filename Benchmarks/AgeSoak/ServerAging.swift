import ClientMedia
import Foundation
import LoadTools
import MediaDevices
import Ovation
import RoomModel
import ServerApp
import ServerTestSupport
import Synchronization
import Timing
import UserSig

/// A server in a process of its own: what it takes and holds while people come and go, and while rooms just go on.
struct ServerAging {
    /// Who visits at the same time.
    private static let visitingAtOnce = 8
    /// Nobody has to wait longer for the first sound.
    private static let patience = Duration.seconds(20)
    /// What a visit may leave behind, in bytes. Each visitor is a new one, whose profile is stored: the database's cache keeps some 80
    /// bytes of it, up to 2 MiB in all. A session, a path or a timer would be more.
    private static let mostLeftByVisit = 128.0
    /// Memory is compared from this minute of a room's life on: caches and pools have filled by then.
    private static let settledMinute = 5
    /// What a room that goes on may take more, in MiB.
    private static let mostGrowth = 1.0

    // MARK: Visits

    /// People who sign in, enter a room in which somebody sounds, hear it, leave and sign out.
    func visits(_ count: Int) async throws -> Aging {
        try await withServer { server in
            let speaker = try await server.signIn("speaker")
            let room = try await speaker.createRoom(RoomDraft(name: "Visits"))
            room.audio.withEngine { try? $0.setInput(Self.tone) }
            try await room.takeSeat(0)
            // The first visits fill what is kept.
            try await visit(server, room.id, 0..<max(100, count / 20))
            var aging = Aging(name: "visits of a room with sound", units: count, windows: [], part: 3)
            let each = count / AgeSoak.windows
            for window in 0..<AgeSoak.windows {
                let before = try server.usage()
                let first = 1_000_000 + window * each
                try await visit(server, room.id, first..<first + each)
                let after = try server.usage()
                aging.windows.append(
                    Aging.Window(
                        microsecondsPerUnit: (after.cpuSeconds - before.cpuSeconds) * 1e6 / Double(each),
                        residentMiB: after.mebibytes))
            }
            let members = try await speaker.roomInfo([room.id]).first?.memberCount
            if members != 1 { aging.broken.append("\(members.map(String.init) ?? "no") members are left in the room") }
            // From the second third on, so that a pool that fills once does not count.
            let later = aging.windows.dropFirst(AgeSoak.windows / 3)
            if let first = later.first, let last = later.last {
                let left = (last.residentMiB - first.residentMiB) * 1_048_576 / Double(each * (later.count - 1))
                if left > Self.mostLeftByVisit {
                    aging.broken.append("a visit leaves \(Int(left)) bytes behind")
                }
            }
            await speaker.signOut()
            return aging
        }
    }

    private func visit(_ server: Server, _ room: RoomID, _ numbers: Range<Int>) async throws {
        try await withThrowingTaskGroup { group in
            for worker in 0..<Self.visitingAtOnce {
                group.addTask {
                    for number in numbers where number % Self.visitingAtOnce == worker {
                        let visitor = try await server.signIn("visitor-\(number)")
                        let room = try await visitor.enterRoom(room)
                        try await hear(room)
                        await room.leave()
                        await visitor.signOut()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func hear(_ room: RoomSession) async throws {
        let (heard, told) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        room.audio.withEngine { engine in
            try? engine.setOutput(
                CustomOutput { block, _ in
                    guard (0..<block.frameCount).contains(where: { abs(block[0][$0]) > Self.audible }) else { return }
                    told.yield()
                })
        }
        try await withThrowingTaskGroup { group in
            group.addTask { for await _ in heard { return } }
            group.addTask {
                // The end of waiting for a sound that does not come: a soak that hangs tells nothing.
                try await Task.sleep(for: Self.patience)
                throw LoadFailure("a visitor heard nothing for \(Self.patience)")
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// −50 dBFS.
    private static let audible: Float = 0.003_162

    private static var tone: CustomInput {
        CustomInput { block, begin in
            // Its phase follows the clock: it sounds at every moment.
            let first = begin.nanoseconds % 1_000_000_000 * 48 / 1_000_000
            for frame in 0..<block.frameCount {
                let sample = 0.5 * Float(sin(2 * Double.pi * 440 * Double(first + Int64(frame)) / 48_000))
                for channel in 0..<block.channels { block[channel][frame] = sample }
            }
        }
    }

    // MARK: Rooms that go on

    /// A live room with a camera and twenty viewers, a voice room with four speakers and ten listeners, and somebody who comes and goes.
    func rooms(minutes: Int) async throws -> Aging {
        try await withServer { server in
            let loads: [(LoadContent, String, Int)] = [
                (.picture, "127.64.0.1", 20), (.sound(speakers: 4, packetsPerSecond: 50), "127.65.0.1", 10),
            ]
            var running: [MediaLoad] = []
            for (content, addresses, listeners) in loads {
                var load = try await MediaLoad.connect(
                    to: .ovation(server.address, trustRoots: .system, server.signer), sending: content,
                    addresses: addresses, port: 0, serverProcess: server.process)
                try await load.begin()
                try await load.grow(to: listeners)
                try await load.awaitEverybody()
                running.append(load)
            }
            let host = try await server.signIn("host")
            let room = try await host.createRoom(RoomDraft(name: "Going on"))
            room.audio.withEngine { try? $0.setInput(Self.tone) }
            try await room.takeSeat(0)

            var aging = Aging(name: "minutes of rooms that go on", units: minutes, windows: [], part: 3)
            for minute in 1...minutes {
                let before = try server.usage()
                let end = ContinuousClock.now + .seconds(60)
                var number = 0
                while ContinuousClock.now < end {
                    number += 1
                    try await visit(server, room.id, minute * 1_000 + number..<minute * 1_000 + number + 1)
                    for _ in 0..<10 { _ = try await room.send("one of many messages of an ordinary length") }
                    // Nothing is waited for: it is the pace at which people come.
                    try await Task.sleep(for: .seconds(1))
                }
                let after = try server.usage()
                aging.windows.append(
                    Aging.Window(
                        microsecondsPerUnit: (after.cpuSeconds - before.cpuSeconds) * 1e6,
                        residentMiB: after.mebibytes))
            }
            for load in running {
                let report = try await load.measure(.seconds(10))
                if !report.isLossFree {
                    aging.broken.append("in the end, \(report.lost) of \(report.expected) get lost")
                }
            }
            if aging.windows.count > Self.settledMinute, let last = aging.windows.last {
                let growth = last.residentMiB - aging.windows[Self.settledMinute - 1].residentMiB
                if growth > Self.mostGrowth {
                    aging.broken.append(
                        String(format: "%.1f MiB more than after minute %d", growth, Self.settledMinute))
                }
            }
            await host.signOut()
            return aging
        }
    }

    // MARK: The server

    private struct Server: Sendable {
        var address: ServerAddress
        var process: Int32
        var signer: TicketSigner

        func usage() throws -> ProcessUsage {
            guard let usage = ProcessUsage(of: process) else { throw LoadFailure("the server is gone") }
            return usage
        }

        func signIn(_ name: String) async throws -> OvationClient {
            guard let user = UserID(name) else { throw LoadFailure("\(name) is no user id") }
            let client = OvationClient(server: address, configuration: .init(callTimeout: .seconds(60)))
            try await client.signIn(
                app: ApplicationID(signer.application), user: user,
                ticket: try signer.ticket(user: name, issuedAt: Int64(Date().timeIntervalSince1970)), name: name)
            return client
        }
    }

    private func withServer(_ body: (Server) async throws -> Aging) async throws -> Aging {
        let folder = NSTemporaryDirectory() + "ovation-soak-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let application = try await ApplicationAdmin(data: folder).create(name: "Soak", id: TestServer.application)
        // All visits come from one address, as fast as the machine makes them.
        let process = try ServerProcess(
            data: folder, port: FreePort.take(), mediaPort: FreePort.take(),
            flags: ["--limits-connections-per-address", "1000000"])
        defer { process.kill() }
        return try await body(
            Server(
                address: try ServerAddress("127.0.0.1:\(process.port)"), process: process.identifier,
                signer: TicketSigner(application: TestServer.application, key: application.keys[0])))
    }
}

extension ProcessUsage {
    fileprivate var mebibytes: Double { Double(proportionalBytes) / 1_048_576 }
}
