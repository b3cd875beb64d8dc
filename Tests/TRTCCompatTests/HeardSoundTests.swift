import Foundation
import Ovation
import ServerTestSupport
import SoundAnalysis
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// What somebody else hears of one's settings, measured on a recording of it.
    @Suite struct HeardSoundTests {
        /// Somebody sings 160 Hz for 0.6 s, and is silent for 0.8 s, again and again.
        private static let pitch = 160.0
        private static let burst = 0.6
        private static let period = 1.4
        private static let tries = 6

        /// One burst as it was recorded.
        private struct Take {
            /// In the middle of the burst.
            var level: Double
            var pitch: Double?
            /// From 0.1 to 0.3 s after the burst, against the burst.
            var tail: Double

            /// nil where no whole burst is heard.
            init?(_ samples: [Float]) {
                let step = 480
                let levels = samples.levels(every: step)
                guard let loudest = levels.max() else { return nil }
                // Silence for 0.2 s, then sound: a burst begins, and enough is recorded after it.
                let quiet = 20
                let start = levels.indices.first { index in
                    index >= quiet && levels[index] > loudest - 20
                        && levels[index - quiet..<index - 2].allSatisfy { $0 < loudest - 20 }
                        && (index * step) + 48_000 < samples.count
                }
                guard let start else { return nil }
                func stretch(_ from: Double, _ to: Double) -> [Float] {
                    Array(samples[start * step + Int(from * 48_000)..<start * step + Int(to * 48_000)])
                }
                let middle = stretch(0.15, HeardSoundTests.burst - 0.1)
                level = middle.level
                pitch = middle.pitch(in: 60...600)
                tail = stretch(HeardSoundTests.burst + 0.1, HeardSoundTests.burst + 0.3).level - level
            }
        }

        /// Listens until it sounds so, or for so long that it never will: a machine that stands still for a moment makes a hole in a
        /// burst, which is not what is asked here.
        private func take(
            _ listener: VoicePerson, in room: Int, where isRight: (Take) -> Bool,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> Take {
            for _ in 1..<Self.tries {
                if let take = try await record(listener, in: room), isRight(take) { return take }
            }
            let last = try #require(try await record(listener, in: room), sourceLocation: sourceLocation)
            #expect(isRight(last), "\(last)", sourceLocation: sourceLocation)
            return last
        }

        private func record(_ listener: VoicePerson, in room: Int) async throws -> Take? {
            let path = NSTemporaryDirectory() + "ovation-façade-\(UUID().uuidString).wav"
            defer { try? FileManager.default.removeItem(atPath: path) }
            OvationDevices.output = .recording(path)
            defer { OvationDevices.output = .none }
            #expect(await listener.enter(room) == 0)
            let events = try #require(listener.room.controller.room).audio.events
            listener.notes.clear()
            try await listener.notes.line("volumes [alice=")
            // 2.6 s: however they begin, a burst and the silence around it are among them.
            listener.notes.clear()
            try await listener.notes.until("a burst") { $0.count { $0.hasPrefix("volumes") } >= 26 }
            #expect(await listener.ask("exit") { listener.room.exitRoom(callback: $0) } == 0)
            // The file is whole when the room's sound has ended.
            for try await _ in events {}
            return Take(try SoundFile.samples(of: path))
        }

        @Test(
            "V13-C V15-C another hears it as it was set: capture and playout volume by level, a reverb by its tail, changer and pitch by the pitch"
        )
        func heard() async throws {
            let path = NSTemporaryDirectory() + "ovation-façade-\(UUID().uuidString).wav"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let voice = TestSounds.voice(pitch: Self.pitch, seconds: Self.burst)
            let silence = [Float](repeating: 0, count: Int((Self.period - Self.burst) * 48_000))
            try SoundFile.wave(voice + silence).write(to: URL(fileURLWithPath: path))
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server, hearsVolumes: true)
                bob.room.setVolumeInterval(milliseconds: 100)
                OvationDevices.input = .file(path)
                defer { OvationDevices.input = .none }
                #expect(await alice.create(741) == 0)
                #expect(await alice.sit(0) == 0)
                let effects = try #require(alice.room.getAudioEffectManager())

                let plain = try await take(bob, in: 741) {
                    abs($0.level - voice.level) < 1.5 && abs(($0.pitch ?? 0) / Self.pitch - 1) < 0.03 && $0.tail < -35
                }

                alice.room.setAudioCaptureVolume(volume: 50)
                _ = try await take(bob, in: 741) { abs($0.level - plain.level + 6) < 1.5 }

                alice.room.setAudioCaptureVolume(volume: 100)
                bob.room.setAudioPlayoutVolume(volume: 50)
                effects.setVoiceChangerType(._1)
                _ = try await take(bob, in: 741) {
                    ($0.pitch ?? 0) > Self.pitch * 1.2 && $0.level < plain.level - 3
                }

                effects.setVoiceChangerType(._0)
                _ = try await take(bob, in: 741) { abs($0.level - plain.level + 6) < 1.5 }

                bob.room.setAudioPlayoutVolume(volume: 100)
                effects.setVoiceReverbType(._3)
                effects.setVoicePitch(-0.5)
                _ = try await take(bob, in: 741) {
                    $0.tail > plain.tail + 15 && $0.tail > -30
                        && abs(($0.pitch ?? 0) / (Self.pitch / 2.0.squareRoot()) - 1) < 0.04
                }
            }
        }
    }
}
