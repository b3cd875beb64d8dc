internal import Foundation
internal import MediaCodecs
internal import RoomPorts
internal import RoomTestSupport
internal import SeededRandom
internal import Testing

@testable internal import Playback

/// Strangers' pictures, read and written anew where they can do nothing.
@Suite(.serialized) struct PictureInspectorTests {
    private let inspector = PictureInspector(executable: InspectorTests.executable)
    private static let order = PictureOrder(.still, sizes: [.init(side: 360, bytes: 15 << 10)])

    private func rewritten(_ jpeg: [UInt8], _ order: PictureOrder = Self.order) async -> [UInt8]? {
        guard case .pictures(let made) = await inspector.rewrite(jpeg, to: order) else { return nil }
        return made.first
    }

    @Test(
        "R11-S L01-S a picture of every kind comes out as a plain JPEG that looks the same", arguments: TestJPEG.kinds)
    func kinds(_ kind: String) async throws {
        let sent = TestJPEG.whole(kind)
        let made = try #require(await rewritten(sent))
        #expect(made.starts(with: [0xFF, 0xD8, 0xFF]) && made.suffix(2) == [0xFF, 0xD9] && made.count <= 15 << 10)
        // Baseline, and nobody's signature.
        #expect(made.contains(0xC0) && !String(decoding: made, as: UTF8.self).contains("Lavc"))
        let (before, after) = (try JPEGRewriter(sent, side: 360).samples, try JPEGRewriter(made, side: 360).samples)
        #expect(before.count == after.count && before.count > 48 * 27)
        let difference = zip(before, after).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(before.count) < 3, "\(kind): \(difference)")
        #expect(await rewritten(sent) == made, "it comes out the same each time")
    }

    @Test("R11-S L01-S a place that is hidden anywhere in a picture comes out of it nowhere", arguments: TestJPEG.kinds)
    func hidden(_ kind: String) async throws {
        let jpeg = TestJPEG.whole(kind)
        let place = Array("GPS 52.5163 13.3777".utf8)
        var inFront = jpeg
        inFront.insert(contentsOf: TestJPEG.exif, at: 2)
        var profile = jpeg
        profile.insert(contentsOf: [0xFF, 0xE2, 0, UInt8(2 + place.count)] + place, at: 2)
        for sent in [
            inFront, profile, TestJPEG.with(TestJPEG.exif, in: jpeg), TestJPEG.with(behind: TestJPEG.exif, in: jpeg),
            TestJPEG.with([0xFF, 0xFE, 0, UInt8(2 + place.count)] + place, in: jpeg),
        ] {
            let made = try #require(await rewritten(sent))
            #expect(made == (await rewritten(jpeg)), "nothing but the picture counts")
            #expect(!made.indices.contains { made[$0...].starts(with: place.prefix(8)) })
        }
    }

    @Test("R11-S a picture comes in every size of bytes that is asked for, or not at all")
    func sizes() async throws {
        let sent = TestJPEG.whole("colour for each pixel")
        let order = PictureOrder(.still, sizes: [.init(side: 360, bytes: 2_000), .init(side: 48, bytes: 900)])
        guard case .pictures(let made) = await inspector.rewrite(sent, to: order) else {
            Issue.record("none")
            return
        }
        #expect(made.count == 2 && made[0].count <= 2_000 && made[1].count <= 900)
        #expect(
            await inspector.rewrite(sent, to: PictureOrder(.still, sizes: [.init(side: 47, bytes: 9_000)]))
                == .unreadable)
        #expect(
            await inspector.rewrite(sent, to: PictureOrder(.still, sizes: [.init(side: 360, bytes: 100)]))
                == .unreadable)
    }

    @Test("R11-S L01-S a still of as many pixels as it may have, in each direction, is taken")
    func square() async throws {
        let picture = try JPEGRewriter(TestJPEG.whole("baseline"), side: 48).framed(width: 360, height: 360)
        let made = try #require(await rewritten(try picture.encoded(within: 15 << 10)))
        let read = try JPEGRewriter(made, side: 360)
        #expect(read.width == 360 && read.height == 360)
    }

    @Test("R12-S a still becomes 1200 × 630, all of it in the middle, with its own colours, darkened, beside it")
    func card() async throws {
        let sent = TestJPEG.whole("baseline")
        let order = PictureOrder(.still, crop: .card, sizes: [.init(side: 1_200, bytes: 120 << 10)])
        let made = try #require(await rewritten(sent, order))
        let (before, after) = (try JPEGRewriter(sent, side: 360), try JPEGRewriter(made, side: 1_200))
        #expect(made.count <= 120 << 10 && after.width == 1_200 && after.height == 630)
        // 48 by 27 becomes 1120 by 630, 40 pixels from the edge.
        func brightness(_ picture: JPEGRewriter, _ x: Int, _ y: Int) -> Int {
            Int(picture.samples[y * picture.width + x])
        }
        for (x, y) in [(6, 6), (40, 6), (24, 13), (6, 22), (42, 22)] {
            let there = brightness(after, 40 + x * 1_120 / 48 + 11, y * 630 / 27 + 11)
            #expect(abs(there - brightness(before, x, y)) < 14, "\(x) \(y)")
        }
        for y in stride(from: 60, to: 600, by: 60) {
            #expect(brightness(after, 10, y) < brightness(after, 60, y) * 3 / 4 + 8, "the edge is darker")
        }
    }

    @Test("R11-S what is no picture, or states a size that takes gigabytes, is unreadable")
    func refused() async throws {
        let whole = TestJPEG.whole("baseline")
        let frame = try #require(whole.indices.first { whole[$0...].starts(with: [0xFF, 0xC0]) })
        var huge = whole
        huge.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        for sent in [[], Array("<svg onload=alert(1)>".utf8), [0xFF, 0xD8, 0xFF, 0xD9], huge, TestJPEG.bytes()] {
            #expect(await inspector.rewrite(sent, to: Self.order) == .unreadable)
        }
        #expect(await PictureInspector(executable: "/nowhere/ovation").rewrite(whole, to: Self.order) == .unavailable)
        #expect(await PictureInspector(executable: "/bin/false").rewrite(whole, to: Self.order) == .unreadable)
    }

    @Test(
        "R11-S a picture of a thousand empty scans, and damaged ones, end their reader at the worst",
        arguments: TestJPEG.kinds)
    func damaged(_ kind: String) async throws {
        let whole = TestJPEG.whole(kind)
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        _ = await inspector.rewrite(
            TestJPEG.with((0..<1_164).flatMap { _ in scan }, in: whole), to: Self.order)
        var random = SeededGenerator(seed: UInt64(whole.count))
        for _ in 0..<5 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // Whatever it is taken for: there is an answer, and it is within the bounds.
            if case .pictures(let made) = await inspector.rewrite(bytes, to: Self.order) {
                #expect(made.count == 1 && made[0].count <= 15 << 10)
            }
        }
        #expect(await rewritten(whole) != nil, "and the next one is read")
    }

    @Test("R11-S somebody's picture waits for no song that is looked at, and a flood is told to come again")
    func line() async throws {
        let whole = TestJPEG.whole("baseline")
        let findings = await withTaskGroup(of: PictureFinding.self) { group in
            for _ in 0..<100 { group.addTask { [inspector] in await inspector.rewrite(whole, to: Self.order) } }
            return await group.reduce(into: [PictureFinding]()) { $0.append($1) }
        }
        #expect(findings.contains(.busy) && findings.contains { if case .pictures = $0 { true } else { false } })
        #expect(await rewritten(whole) != nil)
    }

    @Test("R11-S R12-S a host's still is read while more share cards are asked for than can wait")
    func linesOfTheirOwn() async throws {
        let whole = TestJPEG.whole("baseline")
        let card = PictureOrder(.still, crop: .card, sizes: [.init(side: 1_200, bytes: 120 << 10)])
        await withTaskGroup(of: PictureFinding.self) { group in
            for _ in 0..<200 { group.addTask { [inspector] in await inspector.rewrite(whole, to: card) } }
            // The first that is told to come again comes back before any is made, when all places are taken.
            #expect(await group.next() == .busy)
            #expect(await rewritten(whole) != nil)
        }
    }

    @Test("R11-S whether pictures can be read here is known without one")
    func check() async {
        #expect(await inspector.obstacle() == nil)
        #expect(
            await PictureInspector(executable: "/nowhere/ovation").obstacle()?.contains("cannot be started") == true)
    }

    @Test("orders go through a command line, and nothing else does")
    func orders() {
        let order = PictureOrder(.still, sizes: [.init(side: 360, bytes: 15_360), .init(side: 90, bytes: 2_000)])
        #expect(PictureOrder(order.arguments) == order)
        for words in [
            [], ["still", "none"], ["avatar", "none", "1x1"], ["still", "none", "0x1"], ["still", "none", "1x1x1"],
            ["still", "none", "-1x5"], ["still", "round", "1x1"],
        ] {
            #expect(PictureOrder(words) == nil, "\(words)")
        }
    }
}
