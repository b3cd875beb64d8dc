import AudioGraph
import SoundAnalysis
import Testing

/// What every preset has to keep to; what tells them apart is in VoiceCharacterTests.
@Suite("Voice changer")
struct VoiceChangerTests {
    static let voices = VoicePreset.allCases.filter { $0 != .off }
    /// 32 ms, as documented.
    static let latency = 1_536

    @Test("the presets have the documented numbers")
    func numbers() {
        let documented: [VoicePreset] = [
            .off, .naughtyKid, .lolita, .uncle, .heavyMetal, .cold, .foreignAccent, .trappedBeast, .indoorsman,
            .strongCurrent, .heavyMachinery, .ethereal,
        ]
        #expect(documented.map(\.rawValue) == Array(0...11))
        #expect(VoicePreset.allCases == documented)
    }

    @Test("off changes no sample and delays nothing")
    func off() {
        let voice = TestSounds.noise(amplitude: 1, seconds: 0.1, seed: 1)
        let changer = VoiceChanger()
        #expect(changer.latencyFrames == 0)
        #expect(processed(voice, by: changer).elementsEqual(voice))
    }

    @Test("a changed voice comes out as much later as is stated, under 40 ms", arguments: voices)
    func latency(_ preset: VoicePreset) {
        #expect(VoiceChanger(preset).latencyFrames == Self.latency)
        #expect(Self.latency < 40 * 48)
        let syllable = GlottalVoice(140).samples(seconds: 0.25)
        let silence = [Float](repeating: 0, count: 9_600)
        let heard = processed(silence + syllable + silence, by: VoiceChanger(preset))
        // When it begins, against the stated delay; a piece may begin one period early.
        let loud = heard.peak * 0.2
        let begins = heard.firstIndex { abs($0) > loud } ?? 0
        let expected = 9_600 + Self.latency
        #expect((expected - 700...expected + 700).contains(begins), "\(preset): \(begins - 9_600) frames")
        #expect(heard[..<(expected - 720)].peak < 0.01)
    }

    @Test("no sound within full scale comes out above it", arguments: voices)
    func bounded(_ preset: VoicePreset) {
        let loud = TestSounds.noise(amplitude: 1, seconds: 0.25, seed: 2).map { $0 < 0 ? Float(-1) : 1 }
        let square = TestSounds.sine(180, amplitude: 1, seconds: 0.3).map { $0 < 0 ? Float(-1) : 1 }
        for sound in [loud, square] {
            let heard = processed([sound, sound.map { -$0 }], by: VoiceChanger(preset))
            #expect(heard.allSatisfy { $0.peak <= 1 })
            #expect(heard[0].peak > 0.25)
        }
    }

    @Test("a voice keeps its loudness within 6 dB", arguments: voices)
    func loudness(_ preset: VoicePreset) {
        for voice in [GlottalVoice(110), GlottalVoice(210)].map({ $0.samples(seconds: 0.8) }) {
            let heard = processed(voice, by: VoiceChanger(preset))
            let change = heard.suffix(24_000).level - voice.suffix(24_000).level
            #expect(abs(change) < 6, "\(preset): \(change) dB")
        }
    }

    @Test("silence stays silent, and after a voice it is silent again", arguments: voices)
    func silence(_ preset: VoicePreset) {
        let changer = VoiceChanger(preset)
        #expect(processed([Float](repeating: 0, count: 9_600), by: changer).peak < 1e-6)
        let voice = GlottalVoice(150).samples(seconds: 0.3)
        let seconds = preset == .ethereal ? 4 : 1
        let heard = processed(voice + [Float](repeating: 0, count: seconds * 48_000), by: changer, blocks: [960])
        #expect(heard.suffix(4_800).level < -80)
    }

    @Test("a voice that leans to one side leaves no DC", arguments: voices)
    func steady(_ preset: VoicePreset) {
        let voice = GlottalVoice(100).samples(seconds: 1, level: 0.2).map { $0 + 0.2 }
        // Whole periods of everything slow: the mean of half a tremolo is none.
        let heard = processed(voice, by: VoiceChanger(preset)).suffix(28_800)
        let mean = heard.reduce(0) { $0 + Double($1) } / 28_800
        #expect(abs(mean) < 0.004, "\(preset): \(mean)")
    }

    @Test("switching on, off and from voice to voice makes no click")
    func change() {
        let sound = TestSounds.voice(pitch: 196, seconds: 2.75, vibratoPercent: 1)
        let changer = VoiceChanger()
        var heard: [Float] = []
        let order: [VoicePreset] = [
            .off, .uncle, .naughtyKid, .off, .cold, .lolita, .foreignAccent, .indoorsman, .ethereal, .uncle, .off,
        ]
        for (turn, preset) in order.enumerated() {
            changer.preset = preset
            heard += processed(Array(sound[turn * 12_000..<(turn + 1) * 12_000]), by: changer)
        }
        let clicks = heard.clicks()
        #expect(clicks.isEmpty, "\(clicks.map { (order[$0.frame / 12_000], $0) })")
        // Nor a hole while the first voice is on its way.
        #expect((heard.levels(every: 480).dropFirst(2).min() ?? -200) > -40)
    }

    @Test("of several changes within one fade the last one stays")
    func hasty() {
        let voice = GlottalVoice(150).samples(seconds: 0.5)
        let changer = VoiceChanger(.uncle)
        for preset in [VoicePreset.lolita, .cold, .off] {
            changer.preset = preset
            _ = processed(Array(voice[..<480]), by: changer)
        }
        _ = processed(Array(voice[..<12_000]), by: changer)
        #expect(processed(voice, by: changer).elementsEqual(voice))
    }

    @Test("vowels, hisses and pauses in turn make no click", arguments: [VoicePreset.naughtyKid, .uncle, .indoorsman])
    func speech(_ preset: VoicePreset) {
        let speech = GlottalVoice.speech(syllables: 5, pitch: 140)
        let heard = processed(speech, by: VoiceChanger(preset))
        // Glottal pulses and hiss have edges of their own: none may be sharper than before.
        #expect(heard.largestJump < speech.largestJump * 1.6)
        let levels = heard.levels(every: 480)
        #expect((levels.max() ?? 0) < (speech.levels(every: 480).max() ?? 0) + 6)
    }

    @Test("the same sound comes out each time, after a reset and for blocks of any length", arguments: voices)
    func deterministic(_ preset: VoicePreset) {
        let voice = GlottalVoice(130).samples(seconds: 0.3)
        let changer = VoiceChanger(preset)
        let first = processed(voice, by: changer)
        changer.reset()
        #expect(processed(voice, by: changer).elementsEqual(first))
        let pieces = processed(voice, by: VoiceChanger(preset), blocks: [1, 33, 960, 7, 240, 500])
        #expect(zip(pieces, first).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    @Test("both sides of a stereo voice are changed alike", arguments: [VoicePreset.uncle, .lolita, .heavyMetal])
    func stereo(_ preset: VoicePreset) {
        let voice = GlottalVoice(150).samples(seconds: 0.3)
        let heard = processed([voice, voice.map { $0 * 0.5 }], by: VoiceChanger(preset))
        // One set of marks for both: the sides do not drift apart.
        let delay = heard[0].delay(after: heard[1], maximum: 200)
        #expect(abs(delay.frames) < 0.5)
        #expect(delay.correlation > 0.9)
        #expect(heard[0].level > heard[1].level)
    }

    @Test("samples that are no numbers do not stay in the voice", arguments: voices)
    func poison(_ preset: VoicePreset) {
        let changer = VoiceChanger(preset)
        _ = processed([.nan, .infinity, -.infinity, 1e30, .signalingNaN, -0.5], by: changer)
        let heard = processed(GlottalVoice(130).samples(seconds: 0.3), by: changer)
        #expect(heard.allSatisfy { abs($0) <= 1 })
        #expect(heard.level > -30)
    }
}
