import Foundation
import FuzzTargets
import SeededRandom
import Testing

/// The seeds of the fuzz targets, and changes of them that are the same on every machine. A property that does not hold ends the process,
/// and the line above it in the log says which input it was. `make fuzz` goes on from here with inputs that nobody has drawn before.
@Suite struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/corpus")
    /// An input of these costs handshakes.
    private static let slow: Set = ["Peer", "DTLS"]

    @Test("Every fuzz target has seeds, and every folder of seeds a target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(folders) == Set(FuzzTarget.all.keys))
    }

    @Test("Seeds of the fuzz targets, and changes of them, break no property", arguments: FuzzTarget.all.keys.sorted())
    func seeds(_ name: String) throws {
        let target = try #require(FuzzTarget.all[name])
        let folder = Self.corpus.appendingPathComponent(name)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!files.isEmpty)
        for file in files {
            let seed = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
            #expect(run(target, seed) == 0)
            var random = SeededGenerator(seed: UInt64(seed.count))
            for change in 0..<(Self.slow.contains(name) ? 3 : 200) {
                let input = Self.changed(seed, &random)
                print("fuzz \(name): change \(change) of \(file)")
                #expect(run(target, input) == 0)
            }
        }
    }

    private func run(_ target: FuzzTarget.Function, _ input: [UInt8]) -> CInt {
        input.withUnsafeBufferPointer { target($0.baseAddress, $0.count) }
    }

    /// One to four changes: a bit, a byte, bytes that go, come twice or come from nowhere, an end that is missing.
    private static func changed(_ seed: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            let length = Int.random(in: 1...min(16, bytes.count - place), using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = [0, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
            case 2: bytes.removeSubrange(place..<place + length)
            case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
            case 4:
                let made = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                bytes.replaceSubrange(place..<place + length, with: made)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }
}
