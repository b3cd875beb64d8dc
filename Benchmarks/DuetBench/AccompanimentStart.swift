import DatagramIO
import Foundation
import MediaDevices
import Ovation
import RoomModel
import ServerTestSupport
import Timing

/// D2: how far apart two singers hear the accompaniment. A whole server, two clients as programs use them, one of which is far
/// away and has a clock of its own; each start has new clients in a new room, so that they have had no time to learn the server's clock.
enum AccompanimentStart {
    struct Plan {
        /// For each line of the table.
        var starts = 24
        /// How many at once.
        var together = 4
        /// Of each song.
        var seconds = 40
    }

    struct Line: Encodable {
        var asymmetryMs: Double
        var starts = 0
        var startMedianMs = Double.nan
        var startP99Ms = Double.nan
        var startMaxMs = Double.nan
        /// B after A, without the sign's loss: shows what is systematic.
        var startMeanMs = Double.nan
        /// From 30 s on, or half of a shorter song.
        var laterMedianMs = Double.nan
        var laterMaxMs = Double.nan
        /// What both clients said of their clocks' errors, added, when the song began: the least of all starts, and the mean.
        var boundLeastMs = Double.nan
        var boundMeanMs = Double.nan
        var insideBound = 0
        var goalMs: Double
        var holds = false
    }

    private struct Start {
        /// B after A at the first click, in milliseconds.
        var first: Double
        var later: [Double]
        var bound: Double
    }

    private static let delay = 40.0
    private static let jitter = 20.0
    /// Of the second singer's machine; the sound card's crystal is yet another one, on both sides.
    private static let offset = Interval.seconds(3)
    private static let ppm = 100.0
    private static let cardPPM = 30.0

    /// Prints the table. `nil` if too few starts were heard.
    static func run(_ plan: Plan) async throws -> [Line]? {
        say(
            """

            D2  accompaniment start, A at 0 ms, B at \(Int(delay)) ± \(Int(jitter)) ms each way, \
            clocks \(offset.milliseconds / 1_000) s and \(Int(ppm)) ppm apart, \
            sound cards another ±\(Int(cardPPM)) ppm; new clients for each start, \(plan.together) rooms at once
            asymmetry  starts   median      p99      max     mean  later median     max    stated bound (least)  \
            inside   goal
            """)
        var lines: [Line] = []
        for asymmetry in [0.0, 20, 40] {
            let line = try await measure(plan, asymmetry: asymmetry)
            lines.append(line)
            say(
                String(
                    format: "%6.0f ms  %6d %5.2f ms %5.2f ms %5.2f ms %+5.2f ms %8.2f ms %5.2f ms %8.1f ms (%.1f) "
                        + "%8d/%d  ≤ %.0f ms %@", asymmetry, line.starts, line.startMedianMs, line.startP99Ms,
                    line.startMaxMs, line.startMeanMs, line.laterMedianMs, line.laterMaxMs, line.boundMeanMs,
                    line.boundLeastMs, line.insideBound, line.starts, line.goalMs, line.holds ? "holds" : "MISSED"))
        }
        return lines.allSatisfy { $0.starts * 2 > plan.starts } ? lines : nil
    }

    private static func measure(_ plan: Plan, asymmetry: Double) async throws -> Line {
        var starts: [Start] = []
        while starts.count < plan.starts {
            // A server for each round: people and rooms do not add up.
            let round = try await TestServer.with { server in
                let song = try ClickSong(seconds: plan.seconds, in: server.directory)
                let relay = try await DelayingRelay(
                    to: server.port, there: .init(delay: delay + asymmetry, jitter: jitter),
                    back: .init(delay: delay, jitter: jitter))
                let found = await withTaskGroup(of: Start?.self) { group in
                    for pair in 0..<min(plan.together, plan.starts - starts.count) {
                        group.addTask {
                            do {
                                return try await start(pair, of: song, on: server, relay: relay.port)
                            } catch {
                                say("a start has failed: \(error)")
                                return nil
                            }
                        }
                    }
                    return await group.reduce(into: [Start]()) { all, start in
                        if let start { all.append(start) }
                    }
                }
                try await relay.stop()
                return found
            }
            guard !round.isEmpty else { break }
            starts += round
        }
        return summary(starts, asymmetry: asymmetry)
    }

    /// One room with two singers, from signing in to the end of the song.
    private static func start(
        _ pair: Int, of song: ClickSong, on server: TestServer, relay: Int
    ) async throws -> Start? {
        let clocks = [SkewedClock(), SkewedClock(offset: offset, ppm: ppm)]
        let ears = clocks.map { ClickEar($0) }
        var clients: [OvationClient] = []
        var rooms: [RoomSession] = []
        // At any phase of the other pairs' devices.
        try await Task.sleep(for: .milliseconds(Int64.random(in: 0..<1_000)))
        for (index, name) in ["a\(pair)", "b\(pair)"].enumerated() {
            let clock = clocks[index]
            var configuration = OvationClient.Configuration()
            configuration.skew = { clock.local($0) }
            let client = OvationClient(
                server: try ServerAddress("127.0.0.1:\(index == 0 ? server.port : relay)"),
                configuration: configuration)
            guard let user = UserID(name) else { return nil }
            try await client.signIn(
                app: ApplicationID(TestServer.application), user: user, ticket: try server.ticket(name))
            let room =
                index == 0
                ? try await client.createRoom(RoomDraft(name: "Duet \(pair)", kind: .chorus, seats: 2))
                : try await client.enterRoom(rooms[0].id)
            let ear = ears[index]
            let card = index == 0 ? cardPPM : -cardPPM
            try room.audio.use(
                input: CustomInput(ratePPM: card, clock: clock),
                output: CustomOutput(ratePPM: card, clock: clock) { ear.hear($0, from: $1) })
            try await room.takeSeat(index)
            clients.append(client)
            rooms.append(room)
        }
        for room in rooms {
            for await connection in room.audio.connectionChanges where connection == .connected { break }
        }
        let startAt = try await rooms[pair % 2].startSong(song.song)
        // The nearer one's clock is the server's: this machine's, read over loopback.
        let instant = clients[0].clock.instant(ofServer: startAt.milliseconds)
        guard let begin = instant.map(clocks[0].machine) else { return nil }
        try await sleep(until: begin)
        let bounds = zip(clients, clocks).map { $0.clock.estimate(at: $1.local(begin))?.error.seconds ?? .infinity }
        try await sleep(until: begin + ClickSong.due(song.clicks) + .milliseconds(300))
        let heard = ears.map { $0.lateness(from: begin, clicks: song.clicks) }
        for client in clients { await client.signOut() }
        var differences: [Int: Double] = [:]
        for (click, late) in heard[0] {
            if let other = heard[1][click] { differences[click] = (other - late).seconds * 1_000 }
        }
        guard let first = differences[0] else {
            say("the first click was not heard on both sides")
            return nil
        }
        let laterFrom = Swift.min(30 * ClickSong.rate / ClickSong.period, song.clicks / 2)
        return Start(
            first: first, later: differences.filter { $0.key >= laterFrom }.map(\.value),
            bound: bounds.reduce(0, +) * 1_000)
    }

    private static func sleep(until moment: Instant) async throws {
        try await Task.sleep(for: .nanoseconds(max(0, (moment - SystemClock.now()).nanoseconds)))
    }

    private static func summary(_ starts: [Start], asymmetry: Double) -> Line {
        var line = Line(asymmetryMs: asymmetry, goalMs: asymmetry / 2 + 5)
        line.starts = starts.count
        guard !starts.isEmpty else { return line }
        func quantile(_ values: [Double], _ part: Double) -> Double {
            let sorted = values.map(abs).sorted()
            return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
        }
        let first = starts.map(\.first)
        line.startMedianMs = quantile(first, 0.5)
        line.startP99Ms = quantile(first, 0.99)
        line.startMaxMs = quantile(first, 1)
        line.startMeanMs = first.reduce(0, +) / Double(first.count)
        let later = starts.flatMap(\.later)
        line.laterMedianMs = quantile(later, 0.5)
        line.laterMaxMs = quantile(later, 1)
        line.boundLeastMs = starts.map(\.bound).min() ?? .nan
        line.boundMeanMs = starts.reduce(0) { $0 + $1.bound } / Double(starts.count)
        line.insideBound = starts.count { abs($0.first) <= $0.bound }
        line.holds = line.startMaxMs <= line.goalMs && line.insideBound == starts.count
        return line
    }
}
