import AudioGraph
import SoundAnalysis
import Testing

@Suite("Level meter")
struct LevelMeterTests {
    @Test("a tone's level is its effective value, in any number of channels", arguments: [0, -6, -20, -47, -90, -126])
    func tone(peak: Int) {
        var amplitude = 1.0
        for _ in 0..<abs(peak) { amplitude /= 1.122018454 }
        for channels in [1, 2] {
            let block = AudioBuffer(TestSounds.sine(1_000, amplitude: amplitude, seconds: 0.02), channels: channels)
            let level = SoundLevel(of: block)
            #expect(abs(level.decibels - (Float(peak) - 3.01)) < 0.05 || peak == -126)
            #expect(level.attenuation == UInt8(min(127, Int((3.01 - Double(peak)).rounded()))))
        }
    }

    @Test("silence is 127, an empty block too, and nothing is louder than 0")
    func ends() {
        #expect(SoundLevel(of: AudioBuffer(channels: 2, capacity: 480)).attenuation == 127)
        let empty = AudioBuffer(channels: 1, capacity: 480)
        empty.frameCount = 0
        #expect(SoundLevel(of: empty).attenuation == 127)
        #expect(SoundLevel(of: AudioBuffer([Float](repeating: 8, count: 480))).attenuation == 0)
        #expect(SoundLevel(of: AudioBuffer([.nan, 1])).attenuation == 127)
    }

    @Test("0…100 is the server's mapping: −60 dB and less 0, −10 dB and more 100, even in between")
    func loudness() {
        for attenuation in UInt8.min...UInt8(127) {
            let expected = max(0, min(100, (60 - Int(attenuation)) * 100 / 50))
            #expect(SoundLevel(attenuation: attenuation).loudness == Float(expected))
            #expect(SoundLevel(attenuation: attenuation).attenuation == attenuation)
        }
    }

    @Test(
        "rises halfway in 20 ms and falls from the top within 400 ms, whatever the length of blocks",
        arguments: [120, 480, 960])
    func movement(frames: Int) {
        let loud = AudioBuffer([Float](repeating: 1, count: frames))
        let silent = AudioBuffer([Float](repeating: 0, count: frames))
        var meter = LevelMeter()
        #expect(meter.loudness == 0)
        for _ in 0..<960 / frames { meter.measure(loud) }
        #expect((48...50).contains(meter.loudness))
        for _ in 0..<48_000 / frames { meter.measure(loud) }
        #expect(meter.loudness == 100)
        for _ in 0..<9_600 / frames { meter.measure(silent) }
        #expect(meter.loudness == 50)
        for _ in 0..<9_600 / frames { meter.measure(silent) }
        #expect(meter.loudness == 0)
        #expect(meter.level == .silence)
    }

    @Test("what is hardly above a room's noise lights nothing")
    func edge() {
        var meter = LevelMeter()
        for _ in 0..<100 { meter.heard(SoundLevel(attenuation: 58), frames: 480) }
        #expect(meter.loudness == 0)
        for _ in 0..<100 { meter.heard(SoundLevel(attenuation: 57), frames: 480) }
        #expect(meter.loudness == 6)
        meter.reset()
        #expect(meter.loudness == 0)
    }
}
