internal import CZlib
internal import Foundation
internal import MediaCodecs
internal import RoomPorts
internal import RoomTestSupport
internal import SeededRandom
internal import Testing

@testable internal import Playback

/// Pictures as cameras and programs write them, read where they can do nothing: cut, turned upright, made smaller.
@Suite(.serialized) struct PhotographInspectorTests {
    private let inspector = PictureInspector(executable: InspectorTests.executable)

    private func order(_ part: PictureOrder.Part, sides: [Int] = [640]) -> PictureOrder {
        PictureOrder(.photograph, crop: .part(part), sizes: sides.map { .init(side: $0, bytes: 128 << 10) })
    }

    /// All of the test's picture.
    private static let whole = PictureOrder.Part(across: 48, down: 27)

    private func made(
        _ bytes: [UInt8], _ part: PictureOrder.Part = Self.whole, sides: [Int] = [640]
    ) async throws -> [JPEGRewriter] {
        let finding = await inspector.rewrite(bytes, to: order(part, sides: sides))
        guard case .pictures(let jpegs) = finding else {
            Issue.record("\(finding)")
            return []
        }
        return try jpegs.map { try JPEGRewriter($0, side: 1_280) }
    }

    private func brightness(_ picture: JPEGRewriter, _ x: Int, _ y: Int) -> Int {
        Int(picture.samples[y * picture.width + x])
    }

    /// How blue it is, with 128 for grey.
    private func blue(_ picture: JPEGRewriter, _ x: Int, _ y: Int) -> Int {
        let width = (picture.width + 1) / 2
        return Int(picture.samples[picture.width * picture.height + y / 2 * width + x / 2])
    }

    @Test(
        "A13-S R11-S a picture in any format of cameras and programs is the same picture as a plain JPEG",
        arguments: TestPicture.kinds)
    func kinds(_ kind: String) async throws {
        let picture = try #require(try await made(TestPicture.whole(kind)).first)
        #expect(picture.width == 48 && picture.height == 27)
        let seen = (left: (91, 77), right: (165, 179))
        let expected: (left: (Int, Int), right: (Int, Int)) =
            switch kind {
            // What is transparent lies on white.
            case let kind where kind.hasSuffix("half transparent"): (seen.left, (255, 128))
            case let kind where kind.hasPrefix("PNG, grey"): ((91, 128), (165, 128))
            case "PNG, black and white": ((0, 128), (255, 128))
            default: seen
            }
        for (x, wanted) in [(10, expected.left), (38, expected.right)] {
            #expect(abs(brightness(picture, x, 13) - wanted.0) < 9, "\(kind) \(x): \(brightness(picture, x, 13))")
            #expect(abs(blue(picture, x, 13) - wanted.1) < 14, "\(kind) \(x): \(blue(picture, x, 13))")
        }
    }

    /// Where Exif says that the first row and the first column of what is stored are, with what is above first.
    private static let turns: [(number: UInt8, row: String, column: String)] = [
        (1, "top", "left"), (2, "top", "right"), (3, "bottom", "right"), (4, "bottom", "left"), (5, "left", "top"),
        (6, "right", "top"), (7, "right", "bottom"), (8, "left", "bottom"),
    ]

    @Test(
        "A13-S a picture that its camera stored lying on its side comes out upright, by JPEG's note, PNG's and WebP's",
        arguments: 0..<8)
    func turned(_ index: Int) async throws {
        let (number, row, column) = Self.turns[index]
        let jpeg = TestJPEG.whole("baseline")
        let isOnSide = row == "left" || row == "right"
        let part = PictureOrder.Part(across: isOnSide ? 27 : 48, down: isOnSide ? 48 : 27)
        let turn = TestPicture.turn(number)
        let sent = [
            (jpeg, Array(jpeg.prefix(2)) + turn + jpeg.dropFirst(2)),
            (TestPicture.whole("PNG"), TestPicture.png(turned: turn)),
            (TestPicture.whole("WebP"), TestPicture.webP(turned: turn)),
        ]
        for (plain, bytes) in sent {
            let stored = try #require(try await made(plain).first)
            let upright = try #require(try await made(bytes, part).first)
            #expect(upright.width == part.across && upright.height == part.down)
            // The stored picture's corners, three pixels from the edges, and where they are to be seen.
            for (isLast, isLastRow) in [(false, false), (true, false), (false, true), (true, true)] {
                let ends = [row: isLastRow, column: isLast]
                let x = (ends["left"] ?? ends["right"].map { !$0 }) == true ? upright.width - 4 : 3
                let y = (ends["top"] ?? ends["bottom"].map { !$0 }) == true ? upright.height - 4 : 3
                let there = brightness(stored, isLast ? 44 : 3, isLastRow ? 23 : 3)
                #expect(abs(brightness(upright, x, y) - there) < 16, "\(number): \(x) \(y)")
            }
        }
    }

    @Test("A13-S a part of a picture is cut out, and shrinks around its middle to the proportions that are wanted")
    func parts() async throws {
        let png = TestPicture.whole("PNG")
        var part = PictureOrder.Part(across: 1, down: 1)
        // The right half, 24 by 27, of which the middle 24 by 24 are left.
        (part.left, part.width) = (500_000, 500_000)
        let right = try #require(try await made(png, part).first)
        #expect(right.width == 24 && right.height == 24)
        let whole = try #require(try await made(png).first)
        for (x, y) in [(2, 2), (21, 2), (2, 21), (21, 21), (12, 12)] {
            #expect(abs(brightness(right, x, y) - brightness(whole, 24 + x, y + 1)) < 9, "\(x) \(y)")
            #expect(blue(right, x, y) > 135, "\(x) \(y)")
        }
        // Without a part, the middle.
        let middle = try #require(try await made(png, PictureOrder.Part(across: 1, down: 1)).first)
        #expect(middle.width == 27 && abs(brightness(middle, 13, 13) - brightness(whole, 24, 13)) < 40)
        // What lies beyond the edge is not there.
        (part.left, part.top, part.width, part.height) = (0, 900_000_000, 9_000_000, 9_000_000)
        #expect(await inspector.rewrite(png, to: order(part)) == .unreadable)
        (part.left, part.top) = (-500_000, 0)
        #expect(try await made(png, part).first?.width == 27)
    }

    @Test("A13-S each size has the mean of what it covers, none is larger than the picture that was sent")
    func sizes() async throws {
        // Lines of one pixel, black and white: whoever leaves pixels out sees one of them, or a pattern.
        let lines = try TestPicture.png(width: 400, height: 400, depth: 8, colours: 0) { _ in
            (0..<400).map { $0 % 2 == 0 ? 0 : 255 }
        }
        let pictures = try await made(lines, PictureOrder.Part(across: 1, down: 1), sides: [640, 200, 90])
        #expect(pictures.map(\.width) == [400, 200, 90] && pictures.map(\.height) == [400, 200, 90])
        let samples = pictures.dropFirst().flatMap { $0.samples.prefix($0.width * $0.height) }
        #expect(samples.allSatisfy { abs(Int($0) - 128) < 32 })
        let wide = try await made(lines, PictureOrder.Part(across: 16, down: 9), sides: [320])
        #expect(wide.map(\.width) == [320] && wide.map(\.height) == [180])
    }

    @Test(
        "A13-S R11-S as many megapixels as a telephone writes are read; more are refused as too large, by their head alone"
    )
    func large() async throws {
        let photograph = try TestPicture.png(width: 4_624, height: 3_468, depth: 8, colours: 2) { y in
            [UInt8](repeating: UInt8(y % 251), count: 3 * 4_624)
        }
        #expect(try await made(photograph, PictureOrder.Part(across: 1, down: 1)).first?.width == 640)
        let square = PictureOrder.Part(across: 1, down: 1)
        for (width, height) in [(7_000, 7_000), (0x7FFF_FFFF, 0x7FFF_FFFF), (40_000_001, 1)] {
            let huge = try TestPicture.png(width: width, height: height, depth: 8, colours: 6) { _ in [] }
            #expect(await inspector.rewrite(huge, to: order(square)) == .tooLarge, "\(width) \(height)")
        }
        var jpeg = TestJPEG.whole("baseline")
        let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(await inspector.rewrite(jpeg, to: order(square)) == .tooLarge)
        var webP = TestPicture.whole("WebP, half transparent")
        webP.replaceSubrange(24..<30, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(await inspector.rewrite(webP, to: order(square)) == .tooLarge)
    }

    @Test("A13-S R11-S a picture as narrow as a hair is none, and one that is long enough is cut")
    func narrow() async throws {
        let square = PictureOrder.Part(across: 1, down: 1)
        for (width, height) in [(1, 60_000), (60_000, 1), (15, 15), (60_000, 15)] {
            let line = try TestPicture.png(width: width, height: height, depth: 8, colours: 0) { _ in
                [UInt8](repeating: 9, count: width)
            }
            #expect(await inspector.rewrite(line, to: order(square)) == .unreadable, "\(width) \(height)")
        }
        let strip = try TestPicture.png(width: 60_000, height: 16, depth: 8, colours: 0) { _ in
            [UInt8](repeating: 9, count: 60_000)
        }
        let cut = try await made(strip, square)
        #expect(cut.map(\.width) == [16] && cut.map(\.height) == [16])
    }

    @Test(
        "A13-S R11-S of an animated PNG the first picture is kept, and animated WebP, which nobody here reads, is refused"
    )
    func animated() async throws {
        let first = try #require(try await made(TestPicture.animatedPNG).first)
        #expect(blue(first, 10, 13) < 110 && blue(first, 38, 13) > 150)
        #expect(await inspector.rewrite(TestPicture.animatedWebP, to: order(Self.whole)) == .unreadable)
    }

    @Test(
        "A13-S R11-S what breaks off, is something else as well, or says another size than it has, leads to no other picture",
        arguments: TestPicture.kinds + TestJPEG.kinds)
    func broken(_ kind: String) async throws {
        let sent = TestPicture.kinds.contains(kind) ? TestPicture.whole(kind) : TestJPEG.whole(kind)
        let order = order(Self.whole)
        for count in [0, 1, 12, sent.count / 3, sent.count / 2, sent.count - 1] {
            #expect(await inspector.rewrite(Array(sent.prefix(count)), to: order) == .unreadable, "\(count)")
        }
        let script = Array("<script>alert(1)</script>".utf8)
        let finding = await inspector.rewrite(sent, to: order)
        guard case .pictures(let plain) = finding else {
            Issue.record("\(finding)")
            return
        }
        #expect(await inspector.rewrite(sent + script, to: order) == .pictures(plain))
        #expect(!plain[0].indices.contains { plain[0][$0...].starts(with: script) })
        #expect(await inspector.rewrite(script + sent, to: order) == .unreadable)
        var random = SeededGenerator(seed: UInt64(sent.count))
        for _ in 0..<4 {
            var bytes = sent
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // Whatever it is taken for: there is an answer, and it is within the bounds.
            if case .pictures(let made) = await inspector.rewrite(bytes, to: order) {
                #expect(made.count == 1 && made[0].count <= 128 << 10)
            }
        }
    }

    @Test("A13-S R11-S the frame inside a WebP is never larger than the canvas that it states")
    func liar() async throws {
        var webP = TestPicture.whole("WebP, half transparent")
        // A canvas of 20 by 20 pixels.
        webP.replaceSubrange(24..<30, with: [19, 0, 0, 19, 0, 0])
        #expect(await inspector.rewrite(webP, to: order(PictureOrder.Part(across: 1, down: 1))) == .unreadable)
    }

    @Test("A13-S R11-S half a gigabyte of text packed into a PNG costs its sender an error or nothing")
    func bomb() async throws {
        let text = Array("a\0\0".utf8) + (try TestPicture.packed([UInt8](repeating: 65, count: 512 << 20)))
        let png = try TestPicture.png(
            width: 48, height: 48, depth: 8, colours: 0, chunks: [("zTXt", text), ("iCCP", text)]
        ) { _ in [UInt8](repeating: 9, count: 48) }
        let square = PictureOrder.Part(across: 1, down: 1)
        switch await inspector.rewrite(png, to: order(square)) {
        case .pictures(let made): #expect(made[0].count < 4_096)
        case .unreadable: break
        case let other: Issue.record("\(other)")
        }
        #expect(try await made(TestPicture.whole("PNG")).count == 1, "and the next one is read")
    }

    @Test("A13-S R11-S a still of a room waits for no photograph, and a flood of photographs is told to come again")
    func lines() async throws {
        let photograph = try TestPicture.png(width: 2_000, height: 2_000, depth: 8, colours: 2) { _ in
            [UInt8](repeating: 7, count: 6_000)
        }
        let square = order(PictureOrder.Part(across: 1, down: 1))
        let findings = await withTaskGroup(of: PictureFinding.self) { group in
            for _ in 0..<24 { group.addTask { [inspector] in await inspector.rewrite(photograph, to: square) } }
            let still = PictureOrder(.still, sizes: [.init(side: 360, bytes: 15 << 10)])
            if case .pictures = await inspector.rewrite(TestJPEG.whole("baseline"), to: still) {
            } else {
                Issue.record("a still is read beside them")
            }
            return await group.reduce(into: [PictureFinding]()) { $0.append($1) }
        }
        #expect(findings.contains(.busy) && findings.contains { if case .pictures = $0 { true } else { false } })
    }

    @Test("orders of parts go through a command line, and nothing else does")
    func orders() {
        var part = PictureOrder.Part(across: 16, down: 9)
        (part.left, part.top, part.width, part.height) = (1, 20, 300_000, 4)
        let order = order(part, sides: [640, 90])
        #expect(PictureOrder(order.arguments) == order)
        for crop in ["part", "part:", "part:1:1:0:0:1", "part:0:1:0:0:1:1", "part:1:x:0:0:1:1", "part:1:1:0:0:1:1:1"] {
            #expect(PictureOrder(["photograph", crop, "1x1"]) == nil, "\(crop)")
        }
    }
}

extension TestPicture {
    /// A PNG (ISO/IEC 15948) of rows of bytes, packed.
    /// - Parameters:
    ///   - colours: 0 is grey, 2 the three colours, 6 with how much of each is seen.
    ///   - chunks: in front of the picture.
    static func png(
        width: Int, height: Int, depth: UInt8, colours: UInt8, chunks: [(String, [UInt8])] = [],
        row: (Int) -> [UInt8]
    ) throws -> [UInt8] {
        var rows: [UInt8] = []
        // Of a size that is only stated, nothing is there.
        let isThere = !row(0).isEmpty
        for y in 0..<(isThere ? height : 0) { rows += [0] + row(y) }
        let head = big(width) + big(height) + [depth, colours, 0, 0, 0]
        let all = [("IHDR", head)] + chunks + [("IDAT", try packed(rows)), ("IEND", [])]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + all.flatMap { chunk($0.0, $0.1) }
    }

    static func packed(_ bytes: [UInt8]) throws -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        let limit = Int(count)
        return try [UInt8](unsafeUninitializedCapacity: limit) { target, filled in
            guard compress2(target.baseAddress, &count, bytes, UInt(bytes.count), 6) == Z_OK else {
                throw CocoaError(.coderInvalidValue)
            }
            filled = Int(count)
        }
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let marked = Array(name.utf8) + body
        return big(body.count) + marked + big(Int(crc32(0, marked, UInt32(marked.count))))
    }

    private static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 255) } }

    /// The test's picture, with a note of how it is turned.
    /// - Parameter exif: as a JPEG carries it.
    static func png(turned exif: [UInt8]) -> [UInt8] {
        let png = whole("PNG")
        // Behind the head, whose 25 bytes follow the mark.
        return Array(png.prefix(33)) + chunk("eXIf", Array(exif.dropFirst(10))) + png.dropFirst(33)
    }

    static func webP(turned exif: [UInt8]) -> [UInt8] {
        func little(_ number: Int) -> [UInt8] { big(number).reversed() }
        let body = Array(exif.dropFirst(10))
        // Flags: there is Exif; then three reserved bytes, and the sides less one.
        let head = Array("VP8X".utf8) + little(10) + [0x08, 0, 0, 0, 47, 0, 0, 26, 0, 0]
        let chunks = head + whole("WebP").dropFirst(12) + Array("EXIF".utf8) + little(body.count) + body
        return Array("RIFF".utf8) + little(4 + chunks.count) + Array("WEBP".utf8) + chunks
    }
}
