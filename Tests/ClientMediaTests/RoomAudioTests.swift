import AudioGraph
import DatagramIO
import Forwarding
import MediaDevices
import MediaNode
import PeerSession
import Testing
import Timing
import Wire

@testable import ClientMedia

@Suite("The sound of a room", .serialized)
struct RoomAudioTests {
    @Test("two people hear each other through the server: right pitch, right level; volumes and mutes at once")
    func conversation() async throws {
        let server = try await MediaServer()
        let (anna, ben) = (try Person(1), try Person(2))
        try anna.audio.setInput(ToneInput(frequency: 440, amplitude: 0.5))
        try ben.audio.setInput(ToneInput(frequency: 660, amplitude: 0.25))
        try await anna.join(server)
        try await ben.join(server)
        await server.assign(0, anna)
        await server.assign(1, ben)
        try anna.audio.startMicrophone()
        try ben.audio.startMicrophone()
        #expect(anna.audio.isPathConnected && anna.audio.isMicrophoneOn)

        #expect(await ben.recording.hears(pitch: 440, level: -9.03))
        #expect(await anna.recording.hears(pitch: 660, level: -15.05))
        let levels = ben.audio.levels()
        #expect(levels.slots[0] > 90 && levels.slots[1] == 0 && levels.own > 80)

        ben.audio.update { $0.slotVolumes[0] = 50 }
        #expect(await ben.recording.hears(pitch: 440, level: -15.05))
        ben.audio.update { $0.mutedSlots = [0] }
        #expect(await ben.recording.hears(pitch: nil))
        // The other's meter moves all the same.
        #expect(ben.audio.levels().slots[0] > 90)
        ben.audio.stopMicrophone()
        #expect(ben.audio.levels().own == 0)

        let statistics = ben.audio.statistics()
        #expect((statistics.path?.packetsReceived ?? 0) > 20 && statistics.framesSent > 20)
        #expect(statistics.slots[0].received > 20 && statistics.slots[2].received == 0)
        anna.audio.stop()
        ben.audio.stop()
        #expect(!anna.audio.isPathConnected)
    }

    @Test("R08-S a path by TCP alone carries sound both ways; a server that takes none is told from one that does")
    func byTCP() async throws {
        let server = try await MediaServer()
        let (anna, ben) = (try Person(1, usesTCP: true), try Person(2))
        try anna.audio.setInput(ToneInput(frequency: 440, amplitude: 0.5))
        try ben.audio.setInput(ToneInput(frequency: 660, amplitude: 0.5))
        try await anna.join(server)
        try await ben.join(server)
        await server.assign(0, anna)
        await server.assign(1, ben)
        try anna.audio.startMicrophone()
        try ben.audio.startMicrophone()
        #expect(await ben.recording.hears(pitch: 440, level: -9.03))
        #expect(await anna.recording.hears(pitch: 660, level: -9.03))
        let connections = try #require(await server.node.counters()).connections
        #expect(connections.open == 1 && connections.received > 20 && connections.sent > 20)
        anna.audio.stop()
        ben.audio.stop()
        let without = try await MediaServer(takesTCP: false)
        let carl = try Person(3, usesTCP: true)
        let offer = try carl.audio.openPath(slots: 4)
        let answer = try await carl.answer(offer, without)
        #expect(throws: RoomAudioError.self) { try carl.audio.accept(answer: answer) }
    }

    @Test(
        "V11-K an output that does not start when it is needed gives way to none: the voice is sent, and it is told once"
    )
    func brokenOutput() async throws {
        final class Broken: AudioOutputDevice {
            func start(
                channels: Int, framesPerBlock: Int, render: @escaping @Sendable (AudioBuffer, Instant) -> Void
            ) throws(DeviceError) { throw DeviceError(.lost, "no loudspeaker") }
            func stop() {}
        }
        let server = try await MediaServer()
        let (anna, ben) = (try Person(1), try Person(2))
        // Nothing needs it yet.
        try anna.audio.setOutput(Broken())
        let offer = try anna.audio.openPath(slots: 4)
        await anna.waitFor(.outputFailed("no loudspeaker"))
        try await anna.negotiate(offer, server)
        await anna.waitFor(.path(.connected))
        try await ben.join(server)
        await server.assign(0, anna)
        try anna.audio.setInput(ToneInput(frequency: 440, amplitude: 0.5))
        try anna.audio.startMicrophone()
        #expect(await ben.recording.hears(pitch: 440, level: -9.03))
        // Whoever chooses one while it is needed hears at once that it does not start.
        #expect(throws: RoomAudioError.device("no loudspeaker")) { try anna.audio.setOutput(Broken()) }
        // Other blocks mean that devices start anew.
        anna.audio.update { $0.frameDuration = .ms5 }
        await anna.waitFor(.outputFailed("no loudspeaker"))
        #expect(await ben.recording.hears(pitch: 440, level: -9.03))
        anna.audio.stop()
        ben.audio.stop()
    }

    @Test("published music is heard through the server at its pitch; a path that the server closes is told of")
    func music() async throws {
        let server = try await MediaServer()
        let anna = try Person(1, songs: ["song": { TestSong(seconds: 30) }])
        let ben = try Person(2)
        try await anna.join(server)
        try await ben.join(server)
        await server.assign(2, anna)
        // No microphone: music needs none.
        anna.audio.update {
            $0.quality = .music
            $0.frameDuration = .ms5
        }
        var music = MusicTrack(id: 7, source: "song")
        music.controls.isPublished = true
        music.controls.pitch = 12
        music.controls.localVolume = 0
        anna.audio.playMusic(music)
        await anna.waitFor(.musicStarted(7, duration: .seconds(30)))
        #expect(await ben.recording.hears(pitch: 880, level: -9.03))
        #expect((anna.audio.musicPosition(7) ?? .zero) > .zero)
        #expect(anna.audio.musicDuration(7) == .seconds(30))
        // Frames of 5 ms.
        #expect(anna.audio.statistics().framesSent > 30)

        server.node.closePeer(ben.id, on: server.stage) {}
        await ben.waitFor(.path(.closed(.remote)))
        #expect(!ben.audio.isPathConnected)
        anna.audio.stopMusic(7)
        await anna.waitFor(.musicCompleted(7, .stopped))
    }

    @Test("a path on which nothing comes is lost; it comes back, and an ICE restart keeps its streams")
    func loss() async throws {
        let server = try await MediaServer()
        let leap = Leap()
        let anna = try Person(1, leap: leap)
        try anna.audio.setInput(ToneInput())
        try await anna.join(server)
        try anna.audio.startMicrophone()
        leap.leap(.seconds(7))
        await anna.waitFor(.path(.lost))
        await anna.waitFor(.path(.recovered))
        let offer = try #require(anna.audio.offer(restartsICE: true))
        // The new answer names another way: after the restart the sound takes it.
        let media = TransportAddress(ip: MediaServer.loopback, port: server.node.ports[0])
        let proxy = try LossyProxy(to: media, every: .max)
        defer { proxy.stop() }
        let answer = try await anna.answer(offer, server)
        try anna.audio.accept(
            answer: answer.replacing(" \(server.node.ports[0]) typ host", with: " \(proxy.port) typ host"))
        let ben = try Person(2)
        try await ben.join(server)
        await server.assign(0, anna)
        #expect(await ben.recording.hears(pitch: 440))
        for _ in 0..<100 where proxy.forwarded < 30 { _ = await ben.recording.next(0.05) }
        #expect(proxy.forwarded >= 30)
    }

    @Test("lost packets are asked for and sent again, both ways: the sound stays whole")
    func repeats() async throws {
        let server = try await MediaServer()
        let (anna, ben) = (try Person(1), try Person(2))
        try anna.audio.setInput(ToneInput())
        let media = TransportAddress(ip: MediaServer.loopback, port: server.node.ports[0])
        let proxies = [try LossyProxy(to: media, every: 7), try LossyProxy(to: media, every: 7)]
        defer { for proxy in proxies { proxy.stop() } }
        // Anna's packets are lost on their way to the server, Ben's on their way from it.
        for (person, proxy) in zip([anna, ben], proxies) {
            let answer = try await person.answer(try person.audio.openPath(slots: 4), server)
            try person.audio.accept(
                answer: answer.replacing(" \(server.node.ports[0]) typ host", with: " \(proxy.port) typ host"))
            await person.waitFor(.path(.connected))
        }
        await server.assign(0, anna)
        // Waiting for repeats takes time; without it they would come too late.
        ben.audio.update { $0.playoutDelay = .fixed(.milliseconds(250)) }
        try anna.audio.startMicrophone()
        var isWhole = false
        for _ in 0..<100 where !isWhole {
            _ = await ben.recording.next(0.1)
            let (sender, listener) = (anna.audio.statistics(), ben.audio.statistics())
            isWhole =
                (sender.path?.repeatsSent ?? 0) > 3 && (listener.path?.repeatsRequested ?? 0) > 3
                && listener.slots[0].received > 60 && (listener.path?.packetsMissing ?? 99) <= 2
        }
        #expect(isWhole && proxies.allSatisfy { $0.packetsLost > 3 })
        #expect(ben.audio.statistics().slots[0].concealedFrames <= 3 * 960)
    }

    @Test(
        "singers' lost packets come as copies in the next one, both ways: none is asked for again, and the sound stays whole"
    )
    func copies() async throws {
        let server = try await MediaServer()
        let (anna, ben) = (try Person(1), try Person(2))
        try anna.audio.setInput(ToneInput())
        let media = TransportAddress(ip: MediaServer.loopback, port: server.node.ports[0])
        let proxies = [try LossyProxy(to: media, every: 7), try LossyProxy(to: media, every: 9)]
        defer { for proxy in proxies { proxy.stop() } }
        for (person, proxy) in zip([anna, ben], proxies) {
            person.audio.update { $0.frameDuration = .ms5 }
            let answer = try await person.answer(try person.audio.openPath(slots: 4), server)
            try person.audio.accept(
                answer: answer.replacing(" \(server.node.ports[0]) typ host", with: " \(proxy.port) typ host"))
            await person.waitFor(.path(.connected))
        }
        await server.assign(0, anna)
        ben.audio.update { $0.playoutDelay = .fixed(.milliseconds(100)) }
        try anna.audio.startMicrophone()
        var isEnough = false
        for _ in 0..<100 where !isEnough {
            _ = await ben.recording.next(0.1)
            isEnough =
                (await server.node.counters()?.audio.recovered ?? 0) > 20
                && ben.audio.statistics().slots[0].copiesUsed > 20
        }
        #expect(isEnough && proxies.allSatisfy { $0.packetsLost > 3 })
        #expect(anna.audio.statistics().path?.repeatsSent == 0)
        #expect(ben.audio.statistics().path?.repeatsRequested == 0)
        #expect(ben.audio.statistics().slots[0].concealedFrames <= 3 * 240)
    }

    @Test("an answer that is none is refused with a reason, and a path can be opened again")
    func badAnswer() async throws {
        let server = try await MediaServer()
        let anna = try Person(1)
        _ = try anna.audio.openPath(slots: 2)
        #expect(throws: RoomAudioError.self) { try anna.audio.accept(answer: "v=0\r\n") }
        #expect(throws: RoomAudioError.self) { try anna.audio.accept(answer: "") }
        try await anna.join(server)
        anna.audio.closePath()
        #expect(anna.audio.offer(restartsICE: false) == nil)
        #expect(throws: RoomAudioError.path(.closed)) { try anna.audio.accept(answer: "") }
    }
}
