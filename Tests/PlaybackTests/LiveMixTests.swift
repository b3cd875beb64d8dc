internal import AudioGraph
internal import DatagramIO
internal import Forwarding
internal import Foundation
internal import MediaCodecs
internal import MediaNode
internal import RoomPorts
internal import SoundAnalysis
internal import Synchronization
internal import Testing
internal import Timing
internal import Wire

@testable internal import Playback

/// A sound file of this test, gone with its object.
private final class SongFile {
    let path = FileManager.default.temporaryDirectory.appending(path: "ovation-song-\(UUID().uuidString).wav").path

    init(_ samples: [Float]) throws {
        let writer = try WAVWriter(path: path, channels: 1)
        let block = AudioBuffer(channels: 1, capacity: 4_800)
        for start in stride(from: 0, to: samples.count, by: 4_800) {
            block.frameCount = min(4_800, samples.count - start)
            for frame in 0..<block.frameCount { block[0][frame] = samples[start + frame] }
            try writer.write(block)
        }
        try writer.close()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

private struct Files: SongFiles {
    var places: [String: String]
    func location(of file: String) -> String? { places[file] }
}

private final class Reports: Sendable {
    private let state = Mutex<[PlaybackReport]>([])
    func note(_ report: PlaybackReport) { state.withLock { $0.append(report) } }
    var all: [PlaybackReport] { state.withLock { $0 } }
}

@Suite(.serialized) struct LiveMixTests {
    private static let patience = Interval.seconds(30)
    /// The executable stands beside the test bundle.
    private static let inspector = Inspector(
        executable: URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "ovation").path)

    /// Lets `work` be done again and again until it says that it is enough.
    private func run(_ work: () async throws -> Bool) async rethrows {
        let end = SystemClock.now() + Self.patience
        while try await !work() {
            guard SystemClock.now() < end else {
                Issue.record("what should happen did not")
                return
            }
            await Task.yield()
        }
    }

    @Test(
        "D04-S over the real media plane a listener hears two singers and the song in one place, and singers each other"
    )
    func duet() async throws {
        let voices = [Noise(seed: 21, seconds: 8), Noise(seed: 22, seconds: 8)]
        let track = Noise(seed: 23, seconds: 8)
        let file = try SongFile(track.samples)
        let reports = Reports()
        let mixer = MixThread(
            files: Files(places: ["song": file.path]), inspector: Self.inspector, report: reports.note)
        var configuration = MediaNodeConfiguration()
        configuration.port = 0
        configuration.bindAddresses = [IPAddress(v4: 127, 0, 0, 1)]
        let node = try await MediaPlane.start(configuration, mixer: mixer)
        defer { node.stop() }
        let stage = StageID(rawValue: 9)
        node.openStage(stage, slots: 2, kind: .chorus)
        let clients = try (1...3).map { try LiveClient($0, on: stage) }
        let poller = try Poller()
        for (tag, client) in clients.enumerated() { try poller.add(client.socket, tag: tag) }
        for client in clients { try await client.negotiate(with: node, lines: 3) }
        #expect(clients[2].answer?.slots.map(\.sound) == [.seat(0), .seat(1), .mix])
        #expect(clients.allSatisfy { $0.statesPosition })
        await run {
            for client in clients { client.work() }
            return clients.allSatisfy(\.isConnected)
        }
        for slot in 0..<2 {
            await withCheckedContinuation { done in
                node.assign(slot: slot, to: clients[slot].id, muted: false, dark: false, on: stage) { done.resume() }
            }
        }
        let start = SystemClock.now() + .milliseconds(300)
        node.setSong(StageSong(file: "song", startAt: start, position: .zero), on: stage)

        let encoders = try (0..<2).map { _ in try OpusEncoding(use: .duet) }
        let block = AudioBuffer(channels: 1, capacity: 240)
        var packet = [UInt8](repeating: 0, count: 1_200)
        var sung = 0
        try await run {
            let now = SystemClock.now()
            _ = poller.wait(until: now + .milliseconds(2), now: now)
            for client in clients { client.work() }
            // What was captured up to now: the voices are the song's position, without latency.
            let position = Int(((SystemClock.now() - start).seconds * 48_000).rounded(.down))
            while sung + 240 <= position {
                for slot in 0..<2 {
                    for frame in 0..<240 {
                        block[0][frame] = voices[slot].samples[min(sung + frame, voices[slot].samples.count - 1)]
                    }
                    let length = try packet.withUnsafeMutableBytes { try encoders[slot].encode(block, into: $0) }
                    packet.withUnsafeBytes {
                        clients[slot].send(
                            UnsafeRawBufferPointer(rebasing: $0[..<length]), timestamp: UInt32(sung),
                            songPosition: UInt32(sung))
                    }
                }
                sung += 240
            }
            return clients[2].heard[2, default: []].count >= 170
        }
        // Each hears what is theirs.
        #expect(Set(clients[2].heard.keys) == [2])
        #expect(Set(clients[0].heard.keys) == [1] && Set(clients[1].heard.keys) == [0])
        let mix = clients[2].heard[2, default: []].sorted { $0.sequence < $1.sequence }
        #expect(zip(mix, mix.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
        // The song is where its position is; the voices lie over it.
        let heard = try Self.decoded(mix.map { ($0.timestamp, $0.payload) })
        var errors: [Double] = []
        for second in [1.0, 1.5, 2.0, 2.5] {
            let from = Int(second * 48_000)
            guard from + 8_192 <= heard.count else { break }
            let window = Array(heard[from..<from + 8_192])
            func delay(_ sound: Noise) -> Delay {
                window.delay(after: Array(sound.samples[from..<from + 8_192]), maximum: 4_000)
            }
            let song = delay(track)
            // A machine that stands still for a moment loses a voice for that moment, which is not what is asked here.
            let found = voices.map(delay).filter { $0.correlation > 0.1 }
            if song.correlation > 0.1 { errors += found.map { abs($0.frames - song.frames) / 48 } }
        }
        print("D3 live: alignment error median \(errors.quantile(0.5)) ms, worst \(errors.quantile(1)) ms")
        #expect(errors.count >= 2 && errors.quantile(0.5) <= 5)
        #expect(reports.all.isEmpty)
        let counters = await mixer.counters()
        #expect(counters.stages == 1 && counters.playing == 1 && counters.mixes.mixPackets >= 170)
        node.closeStage(stage)
        #expect(await mixer.counters().stages == 0)
    }

    @Test(
        "D04-S a browser that sings alone tells its round trip, and its voice lies where the song is; untold it lies half of it late",
        arguments: [true, false])
    func statedRoundTrip(isTold: Bool) async throws {
        // 80 ms there and 80 ms back.
        let way = Interval.milliseconds(80)
        let voice = Noise(seed: 41, seconds: 6)
        let track = Noise(seed: 42, seconds: 6)
        let file = try SongFile(track.samples)
        let mixer = MixThread(files: Files(places: ["song": file.path]), inspector: Self.inspector) {
            Issue.record("\($0)")
        }
        var configuration = MediaNodeConfiguration()
        configuration.port = 0
        configuration.bindAddresses = [IPAddress(v4: 127, 0, 0, 1)]
        let node = try await MediaPlane.start(configuration, mixer: mixer)
        defer { node.stop() }
        let stage = StageID(rawValue: 11)
        node.openStage(stage, slots: 2, kind: .chorus)
        let (singer, listener) = (try LiveClient(1, on: stage), try LiveClient(2, on: stage))
        let poller = try Poller()
        for (tag, client) in [singer, listener].enumerated() { try poller.add(client.socket, tag: tag) }
        node.setLatency(.zero, roundTrip: isTold ? way * 2 : nil, of: singer.id, on: stage)
        for client in [singer, listener] { try await client.negotiate(with: node, lines: 3) }
        await run {
            for client in [singer, listener] { client.work() }
            return singer.isConnected && listener.isConnected
        }
        await withCheckedContinuation { done in
            node.assign(slot: 0, to: singer.id, muted: false, dark: false, on: stage) { done.resume() }
        }
        let start = SystemClock.now() + .milliseconds(300)
        node.setSong(StageSong(file: "song", startAt: start, position: .zero), on: stage)
        let encoder = try OpusEncoding(use: .general)
        let block = AudioBuffer(channels: 1, capacity: 960)
        var packet = [UInt8](repeating: 0, count: 1_200)
        var sung = 0
        try await run {
            let now = SystemClock.now()
            _ = poller.wait(until: now + .milliseconds(2), now: now)
            for client in [singer, listener] { client.work() }
            // What is captured now gets here a way later, and says nothing of the song.
            let position = Int(((SystemClock.now() - start - way).seconds * 48_000).rounded(.down))
            while sung + 960 <= position {
                block.frameCount = 960
                for frame in 0..<960 { block[0][frame] = voice.samples[min(sung + frame, voice.samples.count - 1)] }
                let length = try packet.withUnsafeMutableBytes { try encoder.encode(block, into: $0) }
                packet.withUnsafeBytes {
                    singer.send(
                        UnsafeRawBufferPointer(rebasing: $0[..<length]), timestamp: UInt32(sung), songPosition: nil)
                }
                sung += 960
            }
            return listener.heard[2, default: []].count >= 150
        }
        let mix = listener.heard[2, default: []].sorted { $0.sequence < $1.sequence }
        let heard = try Self.decoded(mix.map { ($0.timestamp, $0.payload) })
        var late: [Double] = []
        for second in [1.0, 1.4, 1.8, 2.2] {
            let from = Int(second * 48_000)
            guard from + 8_192 <= heard.count else { break }
            let window = Array(heard[from..<from + 8_192])
            func delay(_ sound: Noise) -> Delay {
                window.delay(after: Array(sound.samples[from..<from + 8_192]), maximum: 7_000)
            }
            let (song, voice) = (delay(track), delay(voice))
            if song.correlation > 0.1, voice.correlation > 0.1 { late.append((voice.frames - song.frames) / 48) }
        }
        print("D3 live: voice of a browser that sings alone, told \(isTold): \(late) ms")
        #expect(late.count >= 2)
        let middle = late.quantile(0.5)
        #expect(isTold ? abs(middle) <= 6 : middle > 60)
    }

    @Test("Two choruses at once, each with its own song, on one thread that begins with the first of them")
    func twoStages() async throws {
        let tones = [440.0, 1_000]
        let files = try tones.map { try SongFile(TestSounds.sine($0, amplitude: 0.4, seconds: 5)) }
        let reports = Reports()
        let mixer = MixThread(
            files: Files(places: ["a": files[0].path, "b": files[1].path, "gone": "/nowhere/song.wav"]),
            inspector: Self.inspector, report: reports.note)
        defer { mixer.stop() }
        #expect(await mixer.counters() == PlaybackCounters())
        let feeds = (1...3).map { mixer.open(StageID(rawValue: $0)) {} }
        let start = SystemClock.now()
        for (index, song) in ["a", "b", "gone"].enumerated() {
            mixer.set(
                StageSong(file: song, startAt: start, position: .zero), on: StageID(rawValue: UInt64(index + 1)))
        }
        var packets: [[(UInt32, [UInt8])]] = [[], []]
        await run {
            for stage in 0..<2 {
                while feeds[stage].takeMix({ packets[stage].append(($0.timestamp, Array($1))) }) {}
            }
            return packets.allSatisfy { $0.count > 40 } && !reports.all.isEmpty
        }
        for (index, tone) in tones.enumerated() {
            let heard = try Self.decoded(packets[index])
            try #require(heard.count >= 26_000)
            #expect(abs((Spectrum(of: Array(heard[9_600..<26_000])).dominantFrequency() ?? 0) - tone) < 15)
        }
        #expect(!feeds[2].takeMix { _, _ in }, "a song that cannot be read sounds like nothing")
        guard case .songUnreadable("gone", _) = reports.all.first else {
            Issue.record("nothing was said of the song that cannot be read")
            return
        }
        #expect(await mixer.counters().songsUnreadable == 1)
        mixer.close(StageID(rawValue: 1))
        #expect(await mixer.counters().stages == 2)
    }

    @Test("A song's file is read to the sample from any position, and waits for nobody")
    func trackStream() async throws {
        let samples = Noise(seed: 31, seconds: 5).samples
        let file = try SongFile(samples)
        let block = AudioBuffer(channels: 2, capacity: 960)
        for position in [0, 48_000, 100_001] {
            let stream = try TrackStream.open(file.path, at: position, by: Self.inspector.executable) {
                Issue.record("\($0)")
            }
            defer { stream.close() }
            await run { stream.isReady(at: position + 96_000) }
            for start in [position, position + 960, position + 40_000] {
                #expect(stream.read(block, at: start) == 0)
                let worst = (0..<960).map { abs(block[0][$0] - samples[start + $0]) }.max() ?? 1
                #expect(worst < 1e-3, "at \(start)")
            }
            // What is past is gone, and what is not there yet is counted.
            #expect(stream.read(block, at: position) == 0)
            #expect((0..<960).allSatisfy { block[1][$0] == 0 })
        }
        let stream = try TrackStream.open(file.path, at: 200_000, by: Self.inspector.executable) {
            Issue.record("\($0)")
        }
        await run { stream.isReady(at: 10_000_000) }
        #expect(stream.read(block, at: 239_500) == 0 && abs(block[0][400] - samples[239_900]) < 1e-3)
        #expect(block[0][600] == 0, "after the end there is silence")
        stream.close()
    }

    /// The left channel, laid out by timestamps from the first packet on.
    private static func decoded(_ packets: [(timestamp: UInt32, payload: [UInt8])]) throws -> [Float] {
        let decoder = try OpusDecoding(channels: 2)
        let block = AudioBuffer(channels: 2, capacity: OpusDecoding.maximumFrames)
        var sound: [Float] = []
        for packet in packets {
            let frames = try packet.payload.withUnsafeBytes { try decoder.decode($0, into: block) }
            let place = Int(packet.timestamp &- packets[0].timestamp)
            guard place < 48_000 * 20 else { break }
            if sound.count < place + frames { sound += [Float](repeating: 0, count: place + frames - sound.count) }
            for frame in 0..<frames { sound[place + frame] = block[0][frame] }
        }
        return sound
    }
}
