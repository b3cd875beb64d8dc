import AudioGraph
import SoundAnalysis
import Testing

@Suite("Time stretch")
struct TimeStretchTests {
    /// All that comes out of a sound, and the input position of each pulled block's first frame.
    private func stretched(
        _ sound: [[Float]], by stretch: TimeStretch, pull: [Int] = [480]
    ) -> (sound: [[Float]], positions: [(output: Int, input: Int)]) {
        var result = [[Float]](repeating: [], count: sound.count)
        var positions: [(output: Int, input: Int)] = []
        let output = AudioBuffer(channels: sound.count, capacity: maximumBlockFrames)
        var (start, turn) = (0, 0)
        while true {
            output.frameCount = pull[turn % pull.count]
            let needed = stretch.inputNeeded(for: output.frameCount)
            guard start + needed <= sound[0].count else { return (result, positions) }
            if needed > 0 {
                let input = AudioBuffer(channels: sound.count, capacity: needed)
                for channel in sound.indices {
                    _ = input[channel].update(fromContentsOf: sound[channel][start..<start + needed])
                }
                #expect(stretch.push(input) == needed)
                start += needed
            }
            positions.append((result[0].count, stretch.position))
            #expect(stretch.pull(output) == output.frameCount)
            for channel in sound.indices { result[channel] += output[channel] }
            turn += 1
        }
    }

    @Test(
        "a voice keeps its pitch, changes its duration, and stays as loud", arguments: [0.5, 0.8, 0.97, 1.25, 2],
        [98.0, 233])
    func voice(speed: Double, pitch: Double) throws {
        let voice = TestSounds.voice(pitch: pitch, seconds: 1)
        let stretch = TimeStretch(channels: 1, speed: speed)
        let output = stretched([voice], by: stretch).sound[0]
        let found = try #require(Array(output[2_400..<14_400]).pitch(in: 60...500))
        #expect(abs(found / pitch - 1) < 0.01)
        #expect(abs(output.level - voice.level) < 0.5)
        #expect(output.levels(every: 2_400).allSatisfy { abs($0 - voice.level) < 1.5 })
        #expect(output.clicks().isEmpty)
        // Pieces begin within 12.5 ms of the even course and run at speed 1 from there for 40 ms.
        let drift = abs(Double(stretch.position) - Double(output.count) * speed)
        #expect(drift <= 601 + 1_920 * abs(1 - speed))
    }

    @Test("duration holds within 0.5 %, whatever the lengths of blocks", arguments: [0.5, 0.71, 1.03, 1.5, 2])
    func duration(speed: Double) {
        let sound = TestSounds.noise(amplitude: 0.3, seconds: 2, seed: 17)
        let stretch = TimeStretch(channels: 1, speed: speed)
        let (output, positions) = stretched([sound], by: stretch, pull: [960, 100, 777])
        // The slope over many pieces, from the same place in a piece to another.
        let (first, last) = (positions[1], positions[positions.count - 2])
        let course = Double(last.input - first.input) / Double(last.output - first.output)
        #expect(abs(course / speed - 1) < 0.005 + 2 * (601 + 1_920 * abs(1 - speed)) / Double(last.output))
        // No hole and no hump in noise either, where nothing is alike.
        #expect(output[0].levels(every: 4_800).allSatisfy { abs($0 - sound.level) < 0.6 })
        #expect(abs(output[0].level - sound.level) < 0.12)
    }

    @Test("over half a minute the course is exact", arguments: [0.5, 1.31])
    func minutes(speed: Double) {
        let stretch = TimeStretch(channels: 1, speed: speed)
        let (input, output) = (AudioBuffer(channels: 1, capacity: 960), AudioBuffer(channels: 1, capacity: 960))
        var (pushed, pulled) = (0, 0)
        while pulled < 1_440_000 {
            input.frameCount = min(960, stretch.inputNeeded(for: 960))
            pushed += stretch.push(input)
            if stretch.inputNeeded(for: 960) == 0 { pulled += stretch.pull(output) }
        }
        #expect(abs(Double(stretch.position) / speed / Double(pulled) - 1) < 0.002)
        #expect((0...stretch.latencyFrames + 960).contains(pushed - stretch.position))
    }

    @Test("every note of a chord stays where it was", arguments: [0.6, 1.4])
    func chord(speed: Double) throws {
        let notes = [130.81, 329.63, 392.0, 1_046.5]
        let parts = notes.map { TestSounds.sine($0, amplitude: 0.15, seconds: 1.5) }
        let chord = parts[0].indices.map { index in parts.reduce(0) { $0 + $1[index] } }
        let output = stretched([chord], by: TimeStretch(channels: 1, speed: speed)).sound[0]
        let spectrum = Spectrum(of: Array(output[4_800...].prefix(48_000)), window: .hann)
        for note in notes {
            let found = try #require(spectrum.dominantFrequency(in: note * 0.94...note * 1.06))
            #expect(abs(found / note - 1) < 0.01)
            #expect(abs(spectrum.level(in: note * 0.95...note * 1.05) - decibels(0.15 * 0.15 / 2)) < 1.5)
        }
        #expect(output.clicks().isEmpty)
    }

    @Test("at speed 1 every sample passes untouched, also after other speeds")
    func untouched() {
        let sound = TestSounds.noise(seconds: 1, seed: 2)
        let stretch = TimeStretch(channels: 1)
        let (output, _) = stretched([sound], by: stretch, pull: [480, 31])
        #expect(output[0] == Array(sound[..<output[0].count]))
        stretch.reset()
        #expect(stretch.position == 0)
        let block = AudioBuffer(channels: 1, capacity: 480)
        var (pushed, exact) = (0, 0)
        for turn in 0..<80 {
            stretch.speed = turn < 30 ? 1.5 : 1
            let needed = stretch.inputNeeded(for: 480)
            _ = stretch.push(AudioBuffer(Array(sound[pushed..<pushed + needed])))
            pushed += needed
            let position = stretch.position
            #expect(stretch.pull(block) == 480)
            exact += Array(block[0]) == Array(sound[position..<position + 480]) ? 1 : 0
        }
        // The last 50 blocks but for the rest of a piece and its crossfade; before, three of four in each piece.
        #expect(exact >= 45 + 20)
    }

    @Test("the position is that of the sound that is heard", arguments: [0.5, 0.85, 1.3, 2], [1, 2] as [UInt64])
    func position(speed: Double, seed: UInt64) {
        // Noise: each stretch of it is found in one place only.
        let sound = TestSounds.noise(amplitude: 0.3, seconds: 2, seed: seed)
        let (output, positions) = stretched([sound], by: TimeStretch(channels: 1, speed: speed))
        var checked = 0
        for (place, input) in positions.dropLast(4) where place % 1_920 == 960 {
            // In the middle of a piece, far from its crossfade.
            let heard = Array(output[0][place..<place + 480])
            let there = Array(sound[input..<input + 480])
            #expect(heard == there, "seed \(seed), output \(place), input \(input)")
            checked += 1
        }
        #expect(checked > 10)
    }

    @Test("both sides of a stereo sound are cut at the same places, even if they cancel out in mono")
    func stereo() throws {
        let left = TestSounds.voice(pitch: 150, seconds: 1)
        let output = stretched([left, left.map { -$0 }], by: TimeStretch(channels: 2, speed: 0.75)).sound
        #expect(zip(output[0], output[1]).allSatisfy { abs($0 + $1) < 1e-6 })
        #expect(output[0].clicks().isEmpty)
        #expect(output[0].levels(every: 2_400).allSatisfy { abs($0 - left.level) < 1.5 })
        #expect(abs(try #require(Array(output[0][4_800..<24_000]).pitch()) / 150 - 1) < 0.01)
    }

    @Test("a sound on one side only is cut as well as in the middle")
    func oneSide() throws {
        let voice = TestSounds.voice(pitch: 120, seconds: 0.8)
        let silence = [Float](repeating: 0, count: voice.count)
        for sides in [[voice, silence], [silence, voice]] {
            let output = stretched(sides, by: TimeStretch(channels: 2, speed: 1.4)).sound
            let heard = sides[0] == voice ? output[0] : output[1]
            #expect(heard.levels(every: 2_400).allSatisfy { abs($0 - voice.level) < 1 })
            #expect(abs(try #require(Array(heard[4_800..<14_400]).pitch(clarity: 0.9)) / 120 - 1) < 0.01)
            #expect((sides[0] == voice ? output[1] : output[0]).peak == 0)
        }
    }

    @Test("the lowest note of a bass stays whole", arguments: [0.5, 0.9, 1.6])
    func bass(speed: Double) throws {
        let bass = TestSounds.sine(41.2, amplitude: 0.5, seconds: 1.2)
        let output = stretched([bass], by: TimeStretch(channels: 1, speed: speed)).sound[0]
        let steady = Array(output[2_400..<26_400])
        #expect(abs(try #require(steady.pitch(in: 30...80, clarity: 0.95)) / 41.2 - 1) < 0.01)
        #expect(steady.levels(every: 4_800).allSatisfy { abs($0 - bass.level) < 0.5 })
        #expect(output.clicks().isEmpty)
    }

    @Test("the speed may change at any time, and is kept within its limits")
    func changes() {
        let voice = TestSounds.voice(pitch: 180, seconds: 3, vibratoPercent: 2)
        let stretch = TimeStretch(channels: 1)
        var output: [Float] = []
        let speeds = [1, 2, 0.5, 1.1, 0.7, 1, 1.9]
        for (turn, start) in stride(from: 0, to: voice.count - 20_000, by: 20_000).enumerated() {
            stretch.speed = speeds[turn % speeds.count]
            let input = AudioBuffer(Array(voice[start..<start + 20_000]))
            let block = AudioBuffer(channels: 1, capacity: 480)
            var pushed = 0
            repeat {
                pushed += stretch.push(input, from: pushed)
                while stretch.inputNeeded(for: 480) == 0 {
                    #expect(stretch.pull(block) == 480)
                    output += block[0]
                }
            } while pushed < 20_000
        }
        #expect(output.count > 96_000)
        #expect(output.clicks().isEmpty)
        #expect(output.levels(every: 4_800).allSatisfy { abs($0 - voice.level) < 1.5 })
        stretch.speed = 9
        #expect(stretch.speed == 2)
        stretch.speed = 0
        #expect(stretch.speed == 0.5)
    }

    @Test("too little input gives silence behind the sound; what is missing is said exactly")
    func starving() {
        let stretch = TimeStretch(channels: 1, speed: 1.5)
        let output = AudioBuffer([Float](repeating: 9, count: 480))
        #expect(stretch.pull(output) == 0)
        #expect(output[0].allSatisfy { $0 == 0 })
        for _ in 0..<50 {
            let needed = stretch.inputNeeded(for: 480)
            #expect(needed <= stretch.latencyFrames)
            if needed > 1 {
                _ = stretch.push(AudioBuffer(channels: 1, capacity: needed - 1))
                #expect(stretch.inputNeeded(for: 480) == 1)
                #expect(stretch.pull(AudioBuffer(channels: 1, capacity: 480)) < 480)
                _ = stretch.push(AudioBuffer(channels: 1, capacity: 1))
            } else {
                #expect(stretch.pull(output) == 480)
            }
        }
    }
}
