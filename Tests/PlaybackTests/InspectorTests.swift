internal import AudioGraph
internal import CZlib
internal import Foundation
internal import MediaCodecs
internal import RoomPorts
internal import SoundAnalysis
internal import Testing

@testable internal import Playback

/// Strangers' files, read where they can do nothing.
@Suite(.serialized) struct InspectorTests {
    /// The executable stands beside the test bundle.
    static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "ovation").path
    private let inspector = Inspector(executable: Self.executable)

    private func look(_ bytes: [UInt8], named name: String = "file.mp3") async throws -> SoundFinding {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ovation-inspect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try Data(bytes).write(to: file)
        return await inspector.look(at: file.path)
    }

    private func wav(seconds: Double) throws -> [UInt8] {
        let path = FileManager.default.temporaryDirectory.appending(path: "ovation-\(UUID().uuidString).wav").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try WAVWriter(path: path, channels: 1)
        let block = AudioBuffer(channels: 1, capacity: Int(seconds * 48_000))
        for (index, sample) in TestSounds.sine(440, amplitude: 0.4, seconds: seconds).enumerated() {
            block[0][index] = sample
        }
        try writer.write(block)
        try writer.close()
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("R11-S a sound is measured, and what is none is told apart, by a process that ends with it")
    func looks() async throws {
        #expect(try await look(try wav(seconds: 1.5), named: "a.wav") == .sound(milliseconds: 1_500))
        #expect(try await look(Array("hello, I am no sound at all".utf8)) == .unreadable)
        #expect(try await look([]) == .unreadable)
        #expect(await inspector.look(at: "/nowhere/at/all.wav") == .unreadable)
        #expect(await inspector.look(at: "/etc") == .unreadable)
        #expect(await Inspector(executable: "/nowhere/ovation").look(at: "/etc/hostname") == .unavailable)
    }

    @Test("R11-S files of several people wait for each other; a flood is told to come again, and the next is looked at")
    func line() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "ovation-\(UUID().uuidString).wav").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(try wav(seconds: 0.5)).write(to: URL(fileURLWithPath: path))
        func look(_ count: Int) async -> [SoundFinding] {
            await withTaskGroup(of: SoundFinding.self) { group in
                for _ in 0..<count { group.addTask { await inspector.look(at: path) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(await look(8) == Array(repeating: .sound(milliseconds: 500), count: 8))
        let flood = await look(200)
        #expect(flood.allSatisfy { $0 == .busy || $0 == .sound(milliseconds: 500) })
        #expect(flood.contains(.busy) && flood.contains(.sound(milliseconds: 500)))
        #expect(await look(1) == [.sound(milliseconds: 500)])
    }

    @Test("R11-S a file is looked at with the processor time that the server leaves over")
    func givesWay() throws {
        let process = try InspectorProcess(
            executable: Self.executable, ["look"], file: "/etc/hostname", niceness: Inspector.niceness)
        #expect(process.waits(atMost: 10_000) && process.niceness == 19)
        process.end()
        #expect(process.niceness == nil)
    }

    @Test(
        "R11-S a machine that has no time for a file says nothing of it: whoever ends late has looked, whoever does not end is busy"
    )
    func starved() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ovation-inspect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func finding(_ name: String, _ script: String, patience: Int32) async throws -> SoundFinding {
            let program = folder.appending(path: name)
            try "#!/bin/sh\n\(script)\n".write(to: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
            return await Inspector(executable: program.path, patience: patience).look(at: "/etc/hostname")
        }
        // 1,500 ms in eight bytes, as a reader writes it.
        let says = "printf '\\334\\005\\0\\0\\0\\0\\0\\0'"
        #expect(
            try await finding("late", "\(says); exec >&-; sleep 2", patience: 30_000) == .sound(milliseconds: 1_500))
        #expect(try await finding("stuck", "\(says); exec >&-; exec sleep 600", patience: 300) == .busy)
        #expect(try await finding("mute", "exec sleep 600", patience: 300) == .busy)
        #expect(try await finding("killed", "kill -9 $$", patience: 30_000) == .unreadable)
    }

    /// An ID3 tag of nothing: what makes a file look like an MP3 to whoever reads its first bytes.
    private static let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]

    @Test(
        "R11-S playlists behind a tag, lists that name themselves, and names of local files lead nowhere",
        arguments: [
            "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXTINF:10,\n/dev/zero\n",
            "#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:1/a.ts\n",
            "ffconcat version 1.0\nfile 'file.mp3'\nfile 'file.mp3'\n",
            "ffconcat version 1.0\nfile '/etc/passwd'\n", "[playlist]\nFile1=/etc/passwd\n",
            "<?xml version=\"1.0\"?><MPD><BaseURL>/etc/passwd</BaseURL></MPD>", "concat:/etc/passwd|/etc/hostname",
        ])
    func lists(_ text: String) async throws {
        for bytes in [Array(text.utf8), Self.tag + Array(text.utf8)] {
            #expect(try await look(bytes) == .unreadable)
        }
    }

    /// `moov` boxes may be compressed (`cmov`); this one is zeros, hundreds of times its size.
    private func bomb(megabytes: Int) throws -> [UInt8] {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            withUnsafeBytes(of: UInt32(content.count + 8).bigEndian) { Array($0) } + Array(name.utf8) + content
        }
        let size = megabytes << 20
        var length = uLongf(size / 100)
        var compressed = [UInt8](repeating: 0, count: Int(length))
        let zeros = [UInt8](repeating: 0, count: size)
        try #require(compress2(&compressed, &length, zeros, uLong(size), 9) == Z_OK)
        compressed.removeLast(compressed.count - Int(length))
        let inner =
            box("dcom", Array("zlib".utf8))
            + box("cmvd", withUnsafeBytes(of: UInt32(size).bigEndian) { Array($0) } + compressed)
        return box("ftyp", Array("M4A \u{0}\u{0}\u{0}\u{0}".utf8)) + box("moov", box("cmov", inner))
    }

    @Test("R11-S a file that unpacks to hundreds of megabytes costs its process its memory, and this one nothing")
    func bombs() async throws {
        let bytes = try bomb(megabytes: 600)
        #expect(bytes.count < 2 << 20)
        #expect(try await look(bytes, named: "a.m4a") == .unreadable)
    }

    @Test("R11-S damaged sounds of every kind end their reader at the worst", arguments: [UInt64(1), 2, 3])
    func damaged(seed: UInt64) async throws {
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let whole = try wav(seconds: 0.2)
        for _ in 0..<8 {
            var bytes = whole
            for _ in 0..<20 { bytes[random(60)] = UInt8(random(256)) }
            // Whatever it is taken for: there is an answer.
            _ = try await look(bytes, named: "a.wav")
        }
        #expect(try await look(whole, named: "a.wav") == .sound(milliseconds: 200))
    }

    @Test("R11-S only so many are looked at at once; the others are told so")
    func busy() async throws {
        let bytes = try wav(seconds: 1)
        let file = FileManager.default.temporaryDirectory.appending(path: "ovation-\(UUID().uuidString).wav")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let findings = await withTaskGroup(of: SoundFinding.self) { group in
            // Twice as many as have a place, however many are done before the last has come.
            for _ in 0..<40 { group.addTask { [inspector] in await inspector.look(at: file.path) } }
            var all: [SoundFinding] = []
            for await finding in group { all.append(finding) }
            return all
        }
        #expect(findings.contains(.busy))
        #expect(findings.contains(.sound(milliseconds: 1_000)))
        #expect(await inspector.look(at: file.path) == .sound(milliseconds: 1_000))
    }
}
