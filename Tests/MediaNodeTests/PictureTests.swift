internal import DatagramIO
internal import Forwarding
internal import MediaTestSupport
internal import PeerSession
import RoomModel
internal import RoomPorts
internal import SDP
internal import Testing
internal import Timing

@testable internal import MediaNode

/// Pictures through a media plane, with peers that do as they like.
@Suite(.serialized) struct PictureTests {
    /// An anchor and a viewer in a live room of two seats.
    private func live(_ format: StageFormat = .vp8) async throws -> (Party, TestClient, TestClient) {
        let party = try await Party(slots: 2, kind: .live(format))
        let encoding: PictureEncoding =
            switch format {
            case .vp8: .vp8
            case .h264: .h264
            case .vp9: .vp9
            case .av1: .av1
            }
        let anchor = try await party.joined(1, slots: 2, pictures: 3, hasCamera: true, encoding: encoding)
        let viewer = try await party.joined(2, slots: 2, pictures: 3, hasCamera: true, encoding: encoding)
        return (party, anchor, viewer)
    }

    @Test(
        "L07-S who sits is seen from a key frame on, which is asked for; who does not is not, whatever they send",
        arguments: StageFormat.allCases)
    func seats(format: StageFormat) async throws {
        let (party, anchor, viewer) = try await live(format)
        #expect(anchor.answer?.pictures.map(\.view) == [.seat(0), .seat(1), .screen])
        for number in UInt8(0)..<10 { anchor.film([number], isKeyFrame: true) }
        await party.counts { $0.pictures.refused == 10 }
        await party.assign(0, anchor)
        anchor.film([20])
        await party.run { anchor.keyFramesWanted > 0 }
        #expect(viewer.seen.isEmpty)
        anchor.film([21], isKeyFrame: true)
        for number in UInt8(22)..<40 { anchor.film([number]) }
        await party.run { viewer.frames(on: 0).count == 19 }
        #expect(viewer.frames(on: 0) == (21..<40).map { [$0] } && viewer.seen[0]?.isUnbroken == true)
        #expect(anchor.seen.isEmpty, "nobody sees themselves")
        // On the other seat it is another picture.
        await party.assign(1, anchor)
        anchor.film([50], isKeyFrame: true)
        await party.run { viewer.frames(on: 1) == [[50]] }
        #expect(viewer.frames(on: 0).count == 19)
        await party.assign(1, nil)
        for number in UInt8(60)..<70 { anchor.film([number], isKeyFrame: true) }
        viewer.film([1], isKeyFrame: true)
        await party.counts { $0.pictures.refused == 10 + 10 + 1 }
        await party.run { true }
        #expect(viewer.frames(on: 1) == [[50]])
    }

    @Test(
        "L02-S who cannot show the room's format hears, sends no picture in it, and sees those that come in VP8 beside it"
    )
    func otherFormat() async throws {
        let (party, anchor, viewer) = try await live(.h264)
        let other = try await party.joined(3, slots: 2, pictures: 3, hasCamera: true, encoding: .vp8)
        await party.assign(0, anchor)
        anchor.film([1], isKeyFrame: true)
        anchor.speak([1])
        await party.run { viewer.frames(on: 0) == [[1]] && other.heard[0]?.count == 1 }
        #expect(other.seen.isEmpty && other.accepted?.pictures.count == 3)
        #expect(other.accepted?.cameraPayloadType == nil && other.accepted?.slots.count == 2)
        let spare = CameraWish(layer: .high, spare: true)
        await party.run { party.facts.all.contains(.cameraWanted(party.stage, anchor.id, spare)) }
        // Somebody whose camera comes in VP8.
        let second = try party.client(4, slots: 2)
        (second.pictures, second.hasCamera, second.isCameraSpare) = (0, true, true)
        try await second.negotiate(with: party.node)
        await party.run { second.isConnected && party.isTold(MediaFact.connected, of: second) }
        await party.assign(1, second)
        second.film([2], isKeyFrame: true)
        await party.run { other.frames(on: 1) == [[2]] }
        #expect(viewer.frames(on: 1).isEmpty)
        // Cut, it is gone for those as for the others.
        await party.assign(1, nil)
        second.film([3], isKeyFrame: true)
        await party.counts { $0.pictures.refused == 1 }
        #expect(other.frames(on: 1) == [[2]])
    }

    @Test("L07-S a demotion is confirmed when no picture can leave any more; so is the end of a path")
    func cut() async throws {
        let (party, anchor, viewer) = try await live()
        for isClose in [false, true] {
            await party.assign(0, anchor)
            let count = viewer.frames(on: 0).count
            await party.run {
                anchor.film([1], isKeyFrame: true)
                return viewer.frames(on: 0).count > count
            }
            if isClose {
                await withCheckedContinuation { continuation in
                    party.node.closePeer(anchor.id, on: party.stage) { continuation.resume() }
                }
            } else {
                await party.assign(0, nil)
            }
            await party.run { true }
            let seen = viewer.frames(on: 0).count
            for _ in 0..<20 { anchor.film([2], isKeyFrame: true) }
            if !isClose { await party.counts { $0.pictures.refused >= 20 } }
            await party.run { true }
            #expect(viewer.frames(on: 0).count == seen && !viewer.frames(on: 0).contains([2]))
        }
    }

    @Test("What is lost on either way is asked for and comes again, on streams for repeats")
    func losses() async throws {
        let (party, anchor, viewer) = try await live()
        await party.assign(0, anchor)
        var next = SystemClock.now()
        var number: UInt8 = 0
        await party.run {
            if number < 60, SystemClock.now() >= next {
                next = next + .milliseconds(10)
                if number % 7 == 3 { viewer.losesNext = 1 }
                anchor.film([number], isKeyFrame: number == 0, isLost: number % 5 == 4)
                number += 1
            }
            return number == 60 && Set(viewer.frames(on: 0).map { $0[0] }).count == 59
        }
        // The last is lost and nothing follows it: nobody knows of it.
        #expect(viewer.frames(on: 0) == (0..<59).map { [$0] })
        #expect(viewer.media?.stats.repeatsRequested ?? 0 > 0 && anchor.media?.stats.repeatsSent ?? 0 >= 11)
        let counters = try #require(await party.node.counters())
        #expect(counters.pictures.repeated > 0)
    }

    @Test("A screen is seen by itself, beside the cameras")
    func screen() async throws {
        let (party, anchor, viewer) = try await live()
        await withCheckedContinuation { continuation in
            party.node.assignScreen(to: anchor.id, on: party.stage) { continuation.resume() }
        }
        // A camera is no screen.
        for number in UInt8(0)..<5 { anchor.film([number], isKeyFrame: true) }
        await party.counts { $0.pictures.refused == 5 }
        await party.run { true }
        #expect(viewer.seen.isEmpty)
    }

    @Test("Whoever sends more than one may is held to it before it is multiplied")
    func tooMuch() async throws {
        let (party, anchor, viewer) = try await live()
        await party.assign(0, anchor)
        let large = [UInt8](repeating: 7, count: 1_100)
        await party.run {
            for _ in 0..<50 { anchor.film(large, isKeyFrame: true) }
            return viewer.frames(on: 0).count > 300
        }
        await party.counts(while: { for _ in 0..<50 { anchor.film(large, isKeyFrame: true) } }) {
            $0.mediaOverLimit > 100
        }
        // Who goes on is not even opened.
        await party.counts(while: { for _ in 0..<50 { anchor.film(large, isKeyFrame: true) } }) {
            $0.mediaLeftUnopened > 100
        }
    }

    @Test(
        "L07-S a camera whose line turns inactive is seen no more whatever it sends, and neither is a format that was not agreed on"
    )
    func inactive() async throws {
        let (party, anchor, viewer) = try await live()
        await party.assign(0, anchor)
        await party.run {
            anchor.film([1], isKeyFrame: true)
            return !viewer.frames(on: 0).isEmpty
        }
        let before = try #require(await party.node.counters()).unexpectedMedia
        for _ in 0..<10 { anchor.film([2], isKeyFrame: true, as: 102) }
        await party.counts { $0.unexpectedMedia >= before + 10 }
        anchor.isCameraInactive = true
        try await anchor.negotiate(with: party.node)
        for _ in 0..<10 { anchor.film([3], isKeyFrame: true, as: 96) }
        await party.counts { $0.unexpectedMedia >= before + 20 }
        anchor.isCameraInactive = false
        try await anchor.negotiate(with: party.node)
        await party.run {
            anchor.film([4], isKeyFrame: true)
            return viewer.frames(on: 0).contains([4])
        }
        #expect(!viewer.frames(on: 0).contains([2]) && !viewer.frames(on: 0).contains([3]))
    }

    @Test("A worker that cannot keep up lets pictures go before sound")
    func overdue() async throws {
        let party = try await Party(slots: 2, kind: .live(.vp8)) { $0.longestPictureWait = .zero - .milliseconds(1) }
        let anchor = try await party.joined(1, slots: 2, hasCamera: true)
        let viewer = try await party.joined(2, slots: 2, pictures: 3)
        await party.assign(0, anchor)
        for number in UInt8(0)..<20 { anchor.film([number], isKeyFrame: true) }
        anchor.speak([1])
        await party.counts { $0.mediaOverdue == 20 }
        await party.run { viewer.payloads(on: 0) == [[1]] }
        #expect(viewer.seen.isEmpty)
    }

    @Test("In a room without pictures, lines for them are refused and what is sent all the same goes nowhere")
    func voice() async throws {
        let party = try await Party(slots: 2)
        let anchor = try await party.joined(1, slots: 2, pictures: 3, hasCamera: true)
        let listener = try await party.joined(2, slots: 2, pictures: 3)
        await party.assign(0, anchor)
        #expect(
            anchor.answer?.pictures == [] && anchor.accepted?.cameraPayloadType == nil
                && anchor.accepted?.pictures == [])
        anchor.speak([1])
        await party.run { listener.payloads(on: 0) == [[1]] }
    }

    @Test("A live room stays on one worker, however busy its home is")
    func oneWorker() async throws {
        let party = try await Party(slots: 2, kind: .live(.vp8)) {
            $0.workers = 3
            $0.fullHome = 0
        }
        let anchor = try await party.joined(1, slots: 2, hasCamera: true)
        var viewers: [TestClient] = []
        for id in 2...4 as ClosedRange<UInt64> { viewers.append(try await party.joined(id, slots: 2, pictures: 3)) }
        await party.assign(0, anchor)
        await party.run {
            anchor.film([1], isKeyFrame: true)
            return viewers.allSatisfy { !$0.frames(on: 0).isEmpty }
        }
    }
}

extension Party {
    /// Until the media plane has counted so far, while something is done again and again.
    func counts(
        while work: () -> Void = {}, sourceLocation: SourceLocation = #_sourceLocation,
        _ isSo: (MediaCounters) -> Bool
    ) async {
        let end = SystemClock.now() + Self.patience
        while let counters = await node.counters(), !isSo(counters) {
            guard SystemClock.now() < end else {
                Issue.record("it was never counted", sourceLocation: sourceLocation)
                return
            }
            work()
            await run { true }
        }
    }
}
