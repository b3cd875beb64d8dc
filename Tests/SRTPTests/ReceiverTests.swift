import RTP
import SeededRandom
import Testing

@testable import SRTP

@Suite struct ReceiverTests {
    @Test("A packet is taken once, in any order within the window", arguments: SRTPProfile.allCases)
    func replay(profile: SRTPProfile) throws {
        let link = Link(profile)
        let sealed = try (UInt64(65_400)...65_700).map { try #require(link.seal(mediaPacket($0))) }
        func open(_ index: Int) -> SRTPOpenResult { link.open(sealed[index - 65_400]).result }
        func isOpened(_ index: Int) -> Bool {
            open(index) == .opened(length: 52, extendedSequence: UInt64(index))
        }
        #expect(isOpened(65_410))
        #expect(open(65_410) == .replayed)
        #expect(isOpened(65_400))
        #expect(isOpened(65_600))
        #expect(isOpened(65_600 - 127))
        #expect(open(65_600 - 128) == .replayed)
        #expect(open(65_400) == .replayed)
        #expect(isOpened(65_550))
        #expect(isOpened(65_535))
        #expect(isOpened(65_536))
        #expect(open(65_535) == .replayed)
        #expect(isOpened(65_700))
        #expect(open(65_600) == .replayed)
    }

    @Test(
        "A shuffled stream with losses and repeats arrives once each, with the right index",
        arguments: 1...12 as ClosedRange<UInt64>)
    func shuffled(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let profile = SRTPProfile.allCases[Int(seed % 2)]
        let link = Link(profile, seed: seed)
        let start = UInt64.random(in: 0...65_535, using: &random)
        var sent: [UInt64: [UInt8]] = [:]
        var flying: [UInt64] = []
        var seen: Set<UInt64> = []
        var index = start
        // In long strides, so that the rollover counter moves more than once.
        for _ in 0..<1_500 {
            index += UInt64.random(in: 1...100, using: &random) == 1 ? .random(in: 1...20_000, using: &random) : 1
            let packet = mediaPacket(index, payload: 20)
            sent[index] = link.seal(packet)
            if !Bool.random(using: &random) || !Bool.random(using: &random) { flying.append(index) }
            if Int.random(in: 0...5, using: &random) == 0 { flying.append(index) }
            while flying.count > 20 || (index > start + 1_000 && !flying.isEmpty && .random(using: &random)) {
                // Mostly in order; now and then an older one overtakes.
                let next = flying.remove(at: min(flying.count - 1, .random(in: 0...3, using: &random)))
                let highest = seen.max()
                let (result, opened) = link.open(sent[next] ?? [])
                if seen.contains(next) || highest.map({ $0 >= next + 128 }) ?? false {
                    #expect(result == .replayed, "seed \(seed), index \(next)")
                } else {
                    #expect(result == .opened(length: 32, extendedSequence: next), "seed \(seed), index \(next)")
                    #expect(opened == mediaPacket(next, payload: 20), "seed \(seed)")
                    seen.insert(next)
                }
            }
        }
        #expect(seen.count > 500)
        #expect((seen.max() ?? 0) > 65_536)
    }

    @Test("Any flipped bit is noticed, and then the true packet still opens", arguments: SRTPProfile.allCases)
    func flippedBits(profile: SRTPProfile) throws {
        let link = Link(profile)
        let packet = mediaPacket(7, payload: 20, sources: 1, hasExtension: true)
        let sealed = try #require(link.seal(packet))
        for bit in 0..<sealed.count * 8 {
            var forged = sealed
            forged[bit / 8] ^= 1 << UInt8(bit % 8)
            switch link.open(forged).result {
            case .authenticationFailed, .malformed: break
            case let other: Issue.record("bit \(bit): \(other)")
            }
        }
        #expect(link.open(sealed).packet == packet)

        let control = try #require(link.sealControl(controlPacket(words: 3)))
        for bit in 0..<control.count * 8 {
            var forged = control
            forged[bit / 8] ^= 1 << UInt8(bit % 8)
            switch link.openControl(forged).result {
            case .authenticationFailed, .malformed: break
            case let other: Issue.record("bit \(bit): \(other)")
            }
        }
        #expect(link.openControl(control).packet == controlPacket(words: 3))
        #expect(link.openControl(control).result == .replayed)
    }

    @Test("A packet cut anywhere is refused", arguments: SRTPProfile.allCases)
    func truncated(profile: SRTPProfile) throws {
        let link = Link(profile)
        let sealed = try #require(link.seal(mediaPacket(7, payload: 30, hasExtension: true)))
        for length in 0..<sealed.count {
            switch link.open(Array(sealed[..<length])).result {
            case .authenticationFailed, .malformed: break
            case let other: Issue.record("length \(length): \(other)")
            }
        }
        let control = try #require(link.sealControl(controlPacket(words: 3)))
        for length in 0..<control.count {
            switch link.openControl(Array(control[..<length])).result {
            case .authenticationFailed, .malformed: break
            case let other: Issue.record("length \(length): \(other)")
            }
        }
        var buffer = sealed
        buffer.withUnsafeMutableBytes {
            #expect(link.receiver.open($0, length: sealed.count + 1) == .malformed)
            #expect(link.receiver.open($0, length: -1) == .malformed)
            #expect(link.receiver.openControl($0, length: -1) == .malformed)
            #expect(link.receiver.openControl($0, length: sealed.count + 1) == .malformed)
        }
    }

    @Test("Forged packets move neither the rollover counter nor the window", arguments: SRTPProfile.allCases)
    func forgery(profile: SRTPProfile) throws {
        let link = Link(profile)
        #expect(link.open(try #require(link.seal(mediaPacket(100)))).packet == mediaPacket(100))
        for index in stride(from: UInt64(1), to: 200_000, by: 1_001) {
            var forged = mediaPacket(index, payload: 60)
            forged[50] = 1
            #expect(link.open(forged).result != .opened(length: 0, extendedSequence: index))
        }
        #expect(link.open(try #require(link.seal(mediaPacket(101)))).packet == mediaPacket(101))
        // Sources are remembered only once they have proven themselves.
        for ssrc in 0..<UInt32(SRTPReceiver.maximumSources * 2) {
            #expect(link.open(mediaPacket(1, ssrc: ssrc, payload: 60)).result == .authenticationFailed)
        }
        #expect(link.open(try #require(link.seal(mediaPacket(1, ssrc: 77)))).packet == mediaPacket(1, ssrc: 77))
    }

    @Test("One source too many is refused until one is forgotten")
    func tooManySources() throws {
        let link = Link(.aeadAES128GCM)
        for ssrc in 0..<UInt32(SRTPReceiver.maximumSources) {
            #expect(link.open(try #require(link.seal(mediaPacket(1, ssrc: ssrc)))).packet.count == 52)
        }
        #expect(link.sender.retire(SSRC(3)))
        let packet = try #require(link.seal(mediaPacket(1, ssrc: 9_999)))
        #expect(link.open(packet).result == .tooManySources)
        let control = try #require(link.sealControl(controlPacket(ssrc: 9_998)))
        #expect(link.openControl(control).result == .tooManySources)
        link.receiver.forget(SSRC(3))
        #expect(link.open(packet).packet == mediaPacket(1, ssrc: 9_999))
    }

    @Test("RTCP without encryption is refused", arguments: SRTPProfile.allCases)
    func plainControl(profile: SRTPProfile) throws {
        let link = Link(profile)
        var packet = try #require(link.sealControl(controlPacket()))
        let word = profile == .aeadAES128GCM ? packet.count - 4 : packet.count - 14
        #expect(packet[word] == 0x80)
        packet[word] = 0
        #expect(link.openControl(packet).result == .authenticationFailed)
    }

    @Test("Keys of another session open nothing", arguments: SRTPProfile.allCases)
    func otherKeys(profile: SRTPProfile) throws {
        let link = Link(profile, seed: 1)
        let other = Link(profile, seed: 2)
        #expect(other.open(try #require(link.seal(mediaPacket(1)))).result == .authenticationFailed)
        #expect(other.openControl(try #require(link.sealControl(controlPacket()))).result == .authenticationFailed)
    }

    @Test("Random bytes open nothing", arguments: 1...10 as ClosedRange<UInt64>)
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let link = Link(SRTPProfile.allCases[Int(seed % 2)])
        for _ in 0..<300 {
            let length = Int.random(in: 0...120, using: &random)
            var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            if length > 0, Bool.random(using: &random) { bytes[0] = bytes[0] & 0x0f | 0x80 }
            for result in [link.open(bytes).result, link.openControl(bytes).result] {
                #expect(result == .malformed || result == .authenticationFailed, "seed \(seed)")
            }
        }
    }
}
