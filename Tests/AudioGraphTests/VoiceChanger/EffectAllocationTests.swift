import AudioGraph
import CAllocationCount
import Testing

@Suite("Allocations of effects", .enabled(if: allocation_count_is_available()))
struct EffectAllocationTests {
    /// 40 blocks of a voice, `change` before each.
    private static func run(_ effect: any AudioProcessor, _ voice: [Float], _ block: AudioBuffer, change: (Int) -> Void)
    {
        for turn in 0..<40 {
            change(turn)
            for frame in 0..<480 {
                block[0][frame] = voice[turn * 480 + frame]
                block[1][frame] = voice[turn * 480 + frame]
            }
            effect.process(block)
        }
    }

    @Test("no voice takes memory while it is changed", arguments: VoicePreset.allCases)
    func voices(_ preset: VoicePreset) {
        let changer = VoiceChanger(preset)
        let voice = GlottalVoice(gliding: 110...180).samples(seconds: 0.4)
        let block = AudioBuffer(channels: 2, capacity: 480)
        Self.run(changer, voice, block) { _ in }
        #expect(allocations { Self.run(changer, voice, block) { _ in } } == 0)
    }

    @Test("no change of preset takes memory")
    func changes() {
        let (changer, reverb) = (VoiceChanger(), Reverb())
        let voice = GlottalVoice(gliding: 110...180).samples(seconds: 0.4)
        let block = AudioBuffer(channels: 2, capacity: 480)
        func runAll() {
            for round in 0..<3 {
                // Every six blocks another one: longer than a fade of the changer, as long as one of the reverb.
                Self.run(changer, voice, block) {
                    changer.preset = VoicePreset(rawValue: Int32(($0 / 6 + round * 6) % 12)) ?? .off
                }
                Self.run(reverb, voice, block) {
                    reverb.preset = ReverbPreset(rawValue: Int32(($0 / 7 + round * 5) % 11)) ?? .off
                }
            }
        }
        runAll()
        #expect(allocations { runAll() } == 0)
    }
}
