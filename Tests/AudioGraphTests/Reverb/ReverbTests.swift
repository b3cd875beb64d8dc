import AudioGraph
import SoundAnalysis
import Testing

/// What every preset has to keep to; what tells them apart is in ReverbCharacterTests.
@Suite("Reverb")
struct ReverbTests {
    static let rooms = ReverbPreset.allCases.filter { $0 != .off }

    @Test("the presets have the documented numbers")
    func numbers() {
        let documented: [ReverbPreset] = [
            .off, .ktv, .smallRoom, .greatHall, .deep, .loud, .metallic, .magnetic, .ethereal, .studio, .melodious,
        ]
        #expect(documented.map(\.rawValue) == Array(0...10))
        #expect(ReverbPreset.allCases == documented)
    }

    @Test("off changes no sample")
    func off() {
        let voice = TestSounds.noise(amplitude: 1, seconds: 0.1, seed: 1)
        #expect(processed(voice, by: Reverb()).elementsEqual(voice))
    }

    @Test("no sound within full scale comes out above it", arguments: rooms)
    func bounded(_ preset: ReverbPreset) {
        let loud = TestSounds.noise(amplitude: 1, seconds: 0.3, seed: 2).map { $0 < 0 ? Float(-1) : 1 }
        let sine = TestSounds.sine(287, amplitude: 1, seconds: 0.5)
        for sound in [loud, sine] {
            let heard = processed([sound, sound.map { -$0 }], by: Reverb(preset))
            #expect(heard.allSatisfy { $0.peak <= 1 })
            // It is the ceiling that holds it, not a lack of level.
            #expect(heard[0].peak > 0.5)
        }
    }

    @Test("a voice keeps its loudness within 6 dB, in mono and in stereo", arguments: rooms)
    func loudness(_ preset: ReverbPreset) {
        for voice in [GlottalVoice(120), GlottalVoice(220)].map({ $0.samples(seconds: 1.2) }) {
            for channels in [1, 2] {
                let heard = processed(voice, by: Reverb(preset), channels: channels)
                let change = heard.suffix(38_400).level - voice.suffix(38_400).level
                #expect(abs(change) < 6, "\(preset), \(channels) channels: \(change) dB")
            }
        }
    }

    @Test("stereo has another room on each side, also for one voice in the middle", arguments: rooms)
    func width(_ preset: ReverbPreset) {
        // Noise: a tone may meet a resonance on one side only.
        let voice = TestSounds.noise(amplitude: 0.3, seconds: 0.3, seed: 5) + [Float](repeating: 0, count: 9_600)
        let heard = processed([voice, voice], by: Reverb(preset))
        let tails = heard.map { Array($0[15_000...]) }
        #expect(tails[0].level > -75)
        #expect(abs(tails[0].level - tails[1].level) < 6)
        let products = zip(tails[0], tails[1]).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
        let energy = tails.map { $0.reduce(0.0) { $0 + Double($1) * Double($1) } }
        #expect(abs(products / (energy[0] * energy[1]).squareRoot()) < 0.8)
    }

    @Test("the tail goes on when the voice stops, and ends in silence without a rest", arguments: rooms)
    func tail(_ preset: ReverbPreset) {
        // 120 dB are twice the documented decay; then half a second until it is believed.
        let decay = ReverbCharacterTests.decays.first { $0.preset == preset }?.low.upperBound ?? 6
        let seconds = 2 * decay + 1.2
        let reverb = Reverb(preset)
        let voice = GlottalVoice(150).samples(seconds: 0.3)
        let silence = [Float](repeating: 0, count: Int(seconds * 48_000))
        let heard = processed(voice + silence, by: reverb, blocks: [960])
        let levels = Array(heard[voice.count...]).levels(every: 9_600)
        #expect(levels[0] > -60, "\(preset): \(levels[0]) dB in the first 200 ms")
        #expect(heard.suffix(4_800).allSatisfy { $0 == 0 })
        // Beats make a tail uneven; over a second it only falls.
        for index in levels.indices.dropLast(5) { #expect(levels[index + 5] <= levels[index]) }
    }

    @Test("a voice that leans to one side leaves no DC", arguments: rooms)
    func steady(_ preset: ReverbPreset) {
        let voice = GlottalVoice(100).samples(seconds: 2, level: 0.2).map { $0 + 0.2 }
        let heard = processed(voice, by: Reverb(preset)).suffix(48_000)
        let mean = heard.reduce(0) { $0 + Double($1) } / 48_000
        #expect(abs(mean) < 0.002, "\(preset): \(mean)")
    }

    @Test("a change of preset in the middle of a sound makes no click")
    func change() {
        let sound = TestSounds.voice(pitch: 196, seconds: 3.3, vibratoPercent: 1)
        let reverb = Reverb()
        var heard: [Float] = []
        let order: [ReverbPreset] = [
            .off, .ktv, .greatHall, .off, .metallic, .studio, .ethereal, .deep, .loud, .magnetic, .melodious,
            .smallRoom, .off,
        ]
        for (turn, preset) in order.enumerated() {
            reverb.preset = preset
            heard += processed(Array(sound[turn * 12_000..<(turn + 1) * 12_000]), by: reverb)
        }
        let clicks = heard.clicks()
        #expect(clicks.isEmpty, "\(clicks.map { (order[$0.frame / 12_000], $0) })")
    }

    @Test("of several changes within one fade the last one stays")
    func hasty() {
        let voice = GlottalVoice(150).samples(seconds: 1)
        let reverb = Reverb(.studio)
        for preset in [ReverbPreset.ktv, .deep, .off] {
            reverb.preset = preset
            _ = processed(Array(voice[..<960]), by: reverb)
        }
        _ = processed(Array(voice[..<12_000]), by: reverb)
        #expect(processed(voice, by: reverb).elementsEqual(voice))
    }

    @Test("the same sound comes out each time, after a reset and for blocks of any length", arguments: rooms)
    func deterministic(_ preset: ReverbPreset) {
        let voice = GlottalVoice(130).samples(seconds: 0.4)
        let reverb = Reverb(preset)
        let first = processed(voice, by: reverb)
        reverb.reset()
        #expect(processed(voice, by: reverb).elementsEqual(first))
        let pieces = processed(voice, by: Reverb(preset), blocks: [1, 33, 960, 7, 240, 500])
        #expect(zip(pieces, first).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    @Test("samples that are no numbers do not stay in the room", arguments: rooms)
    func poison(_ preset: ReverbPreset) {
        let reverb = Reverb(preset)
        let broken: [Float] = [.nan, .infinity, -.infinity, 1e30, .signalingNaN, -0.5]
        _ = processed(broken, by: reverb)
        let heard = processed(GlottalVoice(130).samples(seconds: 0.2), by: reverb)
        #expect(heard.allSatisfy { abs($0) <= 1 })
        #expect(heard.level > -30)
    }
}
