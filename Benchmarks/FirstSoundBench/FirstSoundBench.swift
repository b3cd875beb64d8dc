import AudioGraph
import ClientMedia
import DatagramIO
import Foundation
import MediaDevices
import Ovation
import RoomModel
import ServerTestSupport
import Synchronization
import Timing

/// M4, native: from the call that enters a room until the first sample that is heard, with a server on this machine and somebody who
/// sounds all the time. Whoever enters is signed in already, as in a lobby.
///
/// Arguments: `--visits N`, `--json FILE`.
@main
struct FirstSoundBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        func value(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        let visits = value("--visits").flatMap(Int.init) ?? 50
        let folder = NSTemporaryDirectory() + "ovation-bench-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try ServerProcess(data: folder, port: FreePort.take(), mediaPort: FreePort.take())
        let address = try ServerAddress("127.0.0.1:\(server.port)")

        let singer = OvationClient(server: address)
        _ = try await singer.signIn(name: "Singer")
        let room = try await singer.createRoom(RoomDraft(name: "First sound"))
        room.audio.withEngine { engine in
            try? engine.setInput(
                CustomInput { block, begin in
                    // A tone whose phase follows the clock: it sounds at every moment.
                    let first = begin.nanoseconds % 1_000_000_000 * 48 / 1_000_000
                    for frame in 0..<block.frameCount {
                        let sample = 0.5 * Float(sin(2 * Double.pi * 440 * Double(first + Int64(frame)) / 48_000))
                        for channel in 0..<block.channels { block[channel][frame] = sample }
                    }
                })
        }
        try await room.takeSeat(0)

        var waits: [Double] = []
        for visit in 0..<visits {
            let listener = OvationClient(server: address)
            _ = try await listener.signIn(name: "Listener \(visit)")
            waits.append(try await firstSound(of: listener, in: room.id))
            await listener.signOut()
        }
        await singer.signOut()
        server.kill()
        waits.sort()
        let (median, p95) = (waits[waits.count / 2], waits[min(waits.count - 1, waits.count * 95 / 100)])
        print(
            String(
                format:
                    "M4  native client, %d visits: first sound after %.1f ms (median), %.1f ms (p95), %.1f ms at most",
                waits.count, median, p95, waits.last ?? 0))
        if let path = value("--json") {
            let figures = ["visits": Double(waits.count), "median": median, "p95": p95, "most": waits.last ?? 0]
            try JSONEncoder().encode(figures).write(to: URL(fileURLWithPath: path))
        }
    }

    /// In milliseconds.
    private static func firstSound(of listener: OvationClient, in id: RoomID) async throws -> Double {
        let click = SystemClock.now()
        let room = try await listener.enterRoom(id)
        let heard: Instant = await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Instant, Never>?>(continuation)
            room.audio.withEngine { engine in
                try? engine.setOutput(
                    CustomOutput { block, _ in
                        guard (0..<block.frameCount).contains(where: { abs(block[0][$0]) > audible }) else { return }
                        waiting.withLock { $0.take() }?.resume(returning: SystemClock.now())
                    })
            }
        }
        return (heard - click).seconds * 1e3
    }

    /// −50 dBFS.
    private static let audible: Float = 0.003_162
}
