import AudioGraph
import MediaCodecs
import SeededRandom
import Testing

/// Packets of a whole sound, and back.
struct Coded {
    var packets: [[UInt8]] = []

    init(_ planes: [[Float]], with encoder: OpusEncoding) throws {
        var packet = [UInt8](repeating: 0, count: OpusEncoding.maximumPacketBytes)
        for start in stride(from: 0, through: planes[0].count - encoder.frameSize, by: encoder.frameSize) {
            let block = AudioBuffer(planes.map { Array($0[start..<start + encoder.frameSize]) })
            let length = try packet.withUnsafeMutableBytes { try encoder.encode(block, into: $0) }
            packets.append(Array(packet[..<length]))
        }
    }

    var bytes: Int { packets.reduce(0) { $0 + $1.count } }

    func decoded(channels: Int = 1) throws -> [[Float]] {
        let decoder = try OpusDecoding(channels: channels)
        let block = AudioBuffer(channels: channels, capacity: OpusDecoding.maximumFrames)
        var sound = [[Float]](repeating: [], count: channels)
        for packet in packets {
            _ = try packet.withUnsafeBytes { try decoder.decode($0, into: block) }
            for channel in 0..<channels { sound[channel] += block[channel] }
        }
        return sound
    }
}

@Suite struct OpusQualityTests {
    @Test("V12-K speech has nothing above 8 kHz, the other qualities have")
    func bandwidth() throws {
        let noise = Sound.noise(frames: 48_000, seed: 1)
        func upperBand(_ use: OpusUse) throws -> Double {
            let coded = try Coded([noise], with: OpusEncoding(use: use))
            // Configurations 8…11 are the speech layer alone at wideband (RFC 6716 §3.1).
            #expect(coded.packets.allSatisfy { (8...11).contains($0[0] >> 3) } == (use == .speech))
            let sound = try coded.decoded()[0][9_600..<19_200]
            return Sound.power(from: 8_700, to: 11_500, of: sound) / Sound.power(from: 1_000, to: 4_000, of: sound)
        }
        let speech = try upperBand(.speech)
        #expect(speech < 1e-3)
        for use in [OpusUse.general, .music, .duet] {
            let other = try upperBand(use)
            #expect(other > 1e-1, "\(use)")
        }
    }

    @Test("V12-K each quality needs about its nominal bitrate", arguments: OpusUse.allCases)
    func nominalBitrate(use: OpusUse) throws {
        let left = Sound.speech(frames: 3 * 48_000, seed: 2)
        let right = Sound.speech(frames: 3 * 48_000, seed: 3)
        let encoder = try OpusEncoding(use: use)
        let coded = try Coded(encoder.channels == 2 ? [left, right] : [left], with: encoder)
        let rate = Double(coded.bytes) * 8 / 3
        // The speech layer leaves bits unspent where a sound is easy.
        #expect((use == .speech ? 0.65 : 0.85)...1.1 ~= rate / Double(use.bitrate), "\(rate) bit/s")
    }

    @Test("A changed bitrate counts from the next packet on, and is kept within what Opus can do")
    func bitrateChanges() throws {
        let encoder = try OpusEncoding(use: .music)
        let noise = (0..<2).map { Sound.noise(frames: 48_000, seed: UInt64($0)) }
        let before = try Coded(noise, with: encoder).bytes
        encoder.bitrate = 32_000
        let after = try Coded(noise, with: encoder).bytes
        #expect(abs(Double(before) * 8 / 128_000 - 1) < 0.2)
        #expect(abs(Double(after) * 8 / 32_000 - 1) < 0.2)
        encoder.bitrate = 0
        #expect(encoder.bitrate == 500)
        encoder.bitrate = 9_000_000
        #expect(encoder.bitrate == 512_000)
    }

    @Test("Music keeps left and right apart; a mono listener hears both")
    func stereo() throws {
        let planes = [Sound.tone(440, frames: 48_000), Sound.tone(1_500, frames: 48_000)]
        let coded = try Coded(planes, with: OpusEncoding(use: .music))
        let stereo = try coded.decoded(channels: 2).map { Array($0[24_000..<38_400]) }
        for (channel, own, other) in [(0, 440.0, 1_500.0), (1, 1_500, 440)] {
            #expect(abs(Sound.amplitude(at: own, of: stereo[channel]) - 0.5) < 0.05)
            #expect(Sound.amplitude(at: other, of: stereo[channel]) < 0.02)
        }
        let mono = try coded.decoded()[0][24_000..<38_400]
        #expect(abs(Sound.amplitude(at: 440, of: mono) - 0.25) < 0.05)
        #expect(abs(Sound.amplitude(at: 1_500, of: mono) - 0.25) < 0.05)
    }

    @Test("D03-K between singers the codec adds one short frame and 2.5 ms at most", arguments: [120, 240, 480])
    func lookahead(frameSize: Int) throws {
        let encoder = try OpusEncoding(use: .duet, frameSize: frameSize)
        #expect(encoder.lookahead == 120)
        #expect(try OpusEncoding(use: .general).lookahead > 240)
        // A click goes in at 9600 and comes out exactly that much later.
        var click = [Float](repeating: 0, count: 14_400)
        for n in 0..<24 { click[9_600 + n] = 0.9 }
        let coded = try Coded([click], with: encoder)
        #expect(coded.packets.count == 14_400 / frameSize)
        let sound = try coded.decoded()[0]
        let loudest = try #require(sound.indices.max { abs(sound[$0]) < abs(sound[$1]) })
        #expect((9_720...9_750).contains(loudest), "loudest at \(loudest)")
    }

    @Test("A stereo microphone on a mono stream, and a mono one on a stereo stream, are mixed")
    func channelsAreMapped() throws {
        let tone = Sound.tone(500, frames: 48_000)
        let halves = try Coded([tone, [Float](repeating: 0, count: 48_000)], with: OpusEncoding(use: .general))
        #expect(abs(Sound.amplitude(at: 500, of: try halves.decoded()[0][24_000..<33_600]) - 0.25) < 0.03)
        let both = try Coded([tone], with: OpusEncoding(use: .music)).decoded(channels: 2)
        for channel in both { #expect(abs(Sound.amplitude(at: 500, of: channel[24_000..<33_600]) - 0.5) < 0.05) }
    }
}

@Suite struct OpusLossTests {
    /// How like `other` the sound is: 1 the same, 0 nothing in common.
    private func likeness(_ sound: some Collection<Float>, _ other: some Collection<Float>) -> Double {
        let product = zip(sound, other).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
        let powers = Sound.rms(sound) * Sound.rms(other) * Double(sound.count)
        return powers == 0 ? 0 : product / powers
    }

    @Test("A lost packet is concealed with sound, a long gap fades to what the background was")
    func concealment() throws {
        let quiet = Sound.noise(frames: 48_000, level: 0.0005, seed: 4)
        let coded = try Coded([quiet + Sound.voice(frames: 14_400)], with: OpusEncoding(use: .general))
        let decoder = try OpusDecoding(channels: 1)
        let block = AudioBuffer(channels: 1, capacity: 960)
        for packet in coded.packets { _ = try packet.withUnsafeBytes { try decoder.decode($0, into: block) } }
        let level = Sound.rms(block[0])
        #expect(try decoder.decode(nil, into: block) == 960)
        #expect(Sound.rms(block[0]) > level * 0.3)
        for _ in 0..<50 { _ = try decoder.decode(nil, into: block) }
        #expect(Sound.rms(block[0]) < level * 0.1)
    }

    @Test("Concealment takes any multiple of 2.5 ms and refuses the rest", arguments: [120, 360, 960, 2_880])
    func concealmentLengths(frames: Int) throws {
        let decoder = try OpusDecoding(channels: 2)
        let block = AudioBuffer(channels: 2, capacity: 5_760)
        block.frameCount = frames
        #expect(try decoder.decode(nil, into: block) == frames)
        #expect(block.frameCount == frames)
        for odd in [0, frames + 1, frames - 119] {
            block.frameCount = odd
            #expect(throws: CodecError.self) { try decoder.decode(nil, into: block) }
        }
        #expect(throws: CodecError.self) { try decoder.decode(nil, into: AudioBuffer(channels: 1, capacity: 960)) }
    }

    @Test("In-band FEC restores a lost packet better than concealment does")
    func forwardErrorCorrection() throws {
        let encoder = try OpusEncoding(use: .speech, bitrate: 24_000)
        encoder.usesFEC = true
        encoder.lossPercent = 20
        let coded = try Coded([Sound.voice(frames: 2 * 48_000)], with: encoder)
        let redundant = coded.packets.map { $0.withUnsafeBytes { OpusDecoding.hasRedundancy($0) } }
        #expect(redundant.filter { $0 }.count > redundant.count / 2)

        let whole = try coded.decoded()[0]
        var restored = 0.0
        var concealed = 0.0
        var losses = 0
        for lost in stride(from: 20, to: coded.packets.count - 1, by: 7) where redundant[lost + 1] {
            for usesFEC in [true, false] {
                let decoder = try OpusDecoding(channels: 1)
                let block = AudioBuffer(channels: 1, capacity: 960)
                for packet in coded.packets[..<lost] {
                    _ = try packet.withUnsafeBytes { try decoder.decode($0, into: block) }
                }
                _ = try coded.packets[lost + 1].withUnsafeBytes {
                    try decoder.decode(usesFEC ? $0 : nil, fec: usesFEC, into: block)
                }
                let value = likeness(block[0], whole[lost * 960..<(lost + 1) * 960])
                if usesFEC { restored += value } else { concealed += value }
            }
            losses += 1
        }
        try #require(losses > 5)
        #expect(restored / Double(losses) > 0.9)
        #expect(restored > concealed + 0.05 * Double(losses), "\(restored) against \(concealed) of \(losses)")
    }

    @Test(
        "Redundancy is seen in packets of every length, mono and stereo", arguments: [480, 960, 1_920, 2_880], [1, 2])
    func redundancy(frameSize: Int, channels: Int) throws {
        for usesFEC in [true, false] {
            let encoder = try OpusEncoding(use: .speech, channels: channels, bitrate: 40_000, frameSize: frameSize)
            encoder.usesFEC = usesFEC
            encoder.lossPercent = 25
            // Only one side is heard, so that a stereo packet has a reason for its second flag.
            let silence = [Float](repeating: 0, count: 57_600)
            let planes = [Sound.voice(frames: 57_600), silence].prefix(channels)
            let packets = try Coded(Array(planes), with: encoder).packets
            let share = Double(packets.filter { $0.withUnsafeBytes { OpusDecoding.hasRedundancy($0) } }.count)
            if usesFEC {
                #expect(share > Double(packets.count) * 0.4)
            } else {
                #expect(share == 0)
            }
        }
    }

    @Test("Without FEC no packet claims redundancy, and asking for it conceals")
    func noRedundancy() throws {
        for use in OpusUse.allCases {
            let coded = try Coded([Sound.voice(frames: 24_000)], with: OpusEncoding(use: use))
            #expect(!coded.packets.contains { $0.withUnsafeBytes { OpusDecoding.hasRedundancy($0) } }, "\(use)")
        }
        let coded = try Coded([Sound.voice(frames: 24_000)], with: OpusEncoding(use: .general))
        let decoder = try OpusDecoding(channels: 1)
        let block = AudioBuffer(channels: 1, capacity: 960)
        for packet in coded.packets { _ = try packet.withUnsafeBytes { try decoder.decode($0, into: block) } }
        let last = coded.packets[coded.packets.count - 1]
        #expect(try last.withUnsafeBytes { try decoder.decode($0, fec: true, into: block) } == 960)
    }

    @Test(
        "Under DTX silence becomes packets of at most 2 bytes, sound does not", arguments: [OpusUse.speech, .general])
    func discontinuous(use: OpusUse) throws {
        let encoder = try OpusEncoding(use: use)
        let silence = [Float](repeating: 0, count: 2 * 48_000)
        let plain = try Coded([silence], with: encoder)
        #expect(!plain.packets.contains { $0.count <= 2 })
        encoder.reset()
        encoder.usesDTX = true
        let quiet = try Coded([silence], with: encoder)
        #expect(quiet.packets.suffix(50).filter { $0.count <= 2 }.count > 40)
        let voice = try Coded([Sound.voice(frames: 48_000)], with: encoder)
        #expect(!voice.packets.dropFirst(3).contains { $0.count <= 2 })
        let heard = try quiet.decoded()[0]
        #expect(heard.count == silence.count)
        #expect(Sound.rms(heard) < 0.001)
    }
}

@Suite struct OpusPacketTests {
    @Test("The length of a packet stands in its first bytes", arguments: OpusUse.allCases)
    func frameCounts(use: OpusUse) throws {
        for frameSize in OpusEncoding.frameSizes where use != .duet || frameSize <= 960 {
            let encoder = try OpusEncoding(use: use, frameSize: frameSize)
            let planes = [[Float]](repeating: Sound.voice(frames: 5_760), count: encoder.channels)
            let coded = try Coded(planes, with: encoder)
            for packet in coded.packets {
                #expect(packet.withUnsafeBytes { OpusDecoding.frameCount(of: $0) } == frameSize)
            }
            #expect(try coded.decoded()[0].count == 5_760)
        }
    }

    @Test("Malformed packets have no length")
    func malformed() {
        // Empty; code 1 with an odd rest; code 2 longer than it is; code 3 without a count, with none, with 63 frames.
        for bytes: [UInt8] in [[], [0x79, 1], [0x7A, 200, 1], [0x7B], [0x7B, 0], [0x7B, 63, 1, 2, 3]] {
            #expect(bytes.withUnsafeBytes { OpusDecoding.frameCount(of: $0) } == nil, "\(bytes)")
            #expect(!bytes.withUnsafeBytes { OpusDecoding.hasRedundancy($0) })
        }
    }

    @Test("Any bytes are a packet or an error, never more: 4,000 random and 4,000 damaged ones", arguments: [1, 2])
    func anyBytes(channels: Int) throws {
        let seed: UInt64 = 77
        var generator = SeededGenerator(seed: seed)
        let encoder = try OpusEncoding(use: .speech)
        encoder.usesFEC = true
        encoder.lossPercent = 30
        let sane = try Coded([Sound.voice(frames: 48_000)], with: encoder).packets
        let decoder = try OpusDecoding(channels: channels)
        let block = AudioBuffer(channels: channels, capacity: 960)
        var refused = 0
        for round in 0..<8_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 2) {
                let length = Int.random(in: 0...90, using: &generator)
                bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            } else {
                bytes = sane[Int.random(in: 0..<sane.count, using: &generator)]
                for _ in 0..<3 {
                    let place = Int.random(in: 0..<bytes.count, using: &generator)
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
                bytes.removeLast(Int.random(in: 0...min(3, bytes.count), using: &generator))
            }
            let length = bytes.withUnsafeBytes { OpusDecoding.frameCount(of: $0) }
            _ = bytes.withUnsafeBytes { OpusDecoding.hasRedundancy($0) }
            if let length { #expect((120...5_760).contains(length), "seed \(seed) round \(round)") }
            // Decoding every one would take long in a debug build.
            guard round % 8 < 2 else { continue }
            do {
                let fec = bytes.count > 1 && Bool.random(using: &generator)
                if fec || bytes.isEmpty { block.frameCount = 960 }
                let frames = try bytes.withUnsafeBytes { try decoder.decode($0, fec: fec, into: block) }
                #expect(frames == block.frameCount && frames <= 960)
                #expect(fec || bytes.isEmpty || frames == length, "seed \(seed) round \(round)")
            } catch let error as CodecError {
                #expect(error.kind == .malformed || length.map { $0 > 960 } == true, "\(error)")
                refused += 1
            }
        }
        #expect(refused > 100)
    }

    @Test("Impossible requests are errors that say so")
    func impossible() throws {
        #expect(throws: CodecError.self) { try OpusEncoding(use: .general, channels: 3) }
        #expect(throws: CodecError.self) { try OpusEncoding(use: .general, frameSize: 441) }
        #expect(throws: CodecError.self) { try OpusDecoding(channels: 0) }
        let encoder = try OpusEncoding(use: .general)
        var packet = [UInt8](repeating: 0, count: 400)
        let short = AudioBuffer(channels: 1, capacity: 480)
        let error = #expect(throws: CodecError.self) {
            try packet.withUnsafeMutableBytes { try encoder.encode(short, into: $0) }
        }
        #expect(error?.description.contains("480") == true)
        let block = AudioBuffer(channels: 1, capacity: 960)
        #expect(throws: CodecError.self) { try encoder.encode(block, into: .init(start: nil, count: 0)) }
    }
}
