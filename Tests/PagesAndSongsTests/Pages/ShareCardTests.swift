import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RoomModel
import RoomPorts
import RoomTestSupport
import Synchronization
import Testing

@testable import PagesAndSongs

/// What messengers show of a room's link.
@Suite struct ShareCardTests {
    private static func info(
        _ room: RoomID, cover: String = "", people: Int = 0, still: Int64? = nil
    ) throws -> RoomInfo {
        var info = RoomInfo(
            room: room, kind: still == nil ? .voice : .live, settings: RoomSettings(name: "Evening", cover: cover),
            owner: UserProfile(id: try #require(UserID("kay")), name: "Kay"), seats: 9, seated: 0, memberCount: people,
            createdAt: 0, speaking: false)
        info.still = still
        return info
    }

    /// The page's card for a room: property to content.
    private func card(_ info: RoomInfo?, path: String = "/r/48213", cards: [String]) async throws -> [String: String] {
        let folder = NSTemporaryDirectory() + "ovation-cards-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/cards", withIntermediateDirectories: true)
        try "<!--meta-->".write(toFile: folder + "/index.html", atomically: true, encoding: .utf8)
        for name in cards { try name.write(toFile: folder + "/cards/" + name, atomically: true, encoding: .utf8) }
        let root = try #require(WebRoot(folder: folder, watches: false))
        let handler = PageHandler(
            root: root, connectOrigins: [], pictureOrigins: [], publicURL: "https://salon.example",
            secureTransportDays: 0,
            room: { _ in info })
        let response = await handler.response(
            to: Request(
                head: HTTPRequest(method: .get, scheme: "https", authority: "a", path: path),
                body: .init(buffer: ByteBuffer())), origin: "https://salon.example")
        let kept = KeptBody()
        try await response?.body.write(kept)
        var properties: [String: String] = [:]
        for tag in kept.text.matches(of: /property="([^"]+)" content="([^"]*)"/) {
            // The build is another one in each folder.
            properties[String(tag.1)] = String(tag.2).replacing("/assets/\(root.build)/", with: "/assets/@build/")
        }
        return properties
    }

    private final class KeptBody: ResponseBodyWriter {
        private(set) var text = ""
        func write(_ buffer: ByteBuffer) async throws { text += String(buffer: buffer) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private static let drawn = (1...12).map { "drawn-\($0).png" } + ["ovation.png", "moon.jpg"]

    @Test(
        "R12-S A09-S a link shows what the room looks like now, its cover, or one of twelve drawn pictures, never an SVG"
    )
    func pictures() async throws {
        let assets = "https://salon.example/assets/@build/cards/"
        for (info, image, width) in [
            (try Self.info(.number(48_213), still: 7), "https://salon.example/v1/rooms/48213/card/7.jpg", "1200"),
            (
                try Self.info(.number(48_213), cover: "covers/moon.svg", still: 7),
                "https://salon.example/v1/rooms/48213/card/7.jpg", "1200"
            ),
            (try Self.info(.number(48_213), cover: "covers/moon.svg"), assets + "moon.jpg", "1200"),
            (
                try Self.info(.number(48_213), cover: "https://pictures.example/a.jpg"),
                "https://pictures.example/a.jpg",
                nil
            ),
        ] {
            let card = try await card(info, cards: Self.drawn)
            #expect(card["og:image"] == image && card["og:image:width"] == width)
        }
        #expect(try await card(nil, path: "/", cards: Self.drawn)["og:image"] == assets + "ovation.png")
        var seen: Set<String> = []
        for number in 1...200 {
            let info = try Self.info(.number(UInt32(number)))
            let image = try #require(try await card(info, cards: Self.drawn)["og:image"])
            #expect(try await card(info, cards: Self.drawn)["og:image"] == image)
            seen.insert(image)
        }
        #expect(seen == Set((1...12).map { assets + "drawn-\($0).png" }))
        // A folder without them, such as an older one.
        #expect(try await card(try Self.info(.number(1)), cards: [])["og:image"] == nil)
    }

    @Test("R12-S A09-S a link's words are the room's name, its host, and who is there if anybody is")
    func words() async throws {
        for (people, text) in [(0, "Kay"), (1, "Kay · 1 person here"), (12, "Kay · 12 people here")] {
            let card = try await card(try Self.info(.number(1), people: people), cards: [])
            #expect(card["og:title"] == "Evening" && card["og:description"] == text)
        }
    }

    @Test("R12-S a still is framed once for all who ask, and again after it could not be")
    func once() async throws {
        let asked = Mutex(0)
        let fails = Mutex(false)
        let cards = ShareCards { jpeg, order in
            asked.withLock { $0 += 1 }
            #expect(order == PictureOrder(.still, crop: .card, sizes: [.init(side: 1_200, bytes: 120 << 10)]))
            return fails.withLock { $0 } ? .busy : .pictures([jpeg + [1]])
        }
        let still = try StillPicture(jpeg: TestJPEG.bytes())
        let all = await withTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<20 { group.addTask { await cards.card(of: still, number: 1, in: .number(1)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all.count == 20 && all.allSatisfy { $0 == still.jpeg + [1] } && asked.withLock { $0 } == 1)
        fails.withLock { $0 = true }
        #expect(await cards.card(of: still, number: 2, in: .number(1)) == nil)
        fails.withLock { $0 = false }
        #expect(await cards.card(of: still, number: 2, in: .number(1)) != nil && asked.withLock { $0 } == 3)
    }

    @Test("R12-S no more cards are kept than the newest 64")
    func bounded() async throws {
        let asked = Mutex(0)
        let cards = ShareCards { jpeg, _ in
            asked.withLock { $0 += 1 }
            return .pictures([jpeg])
        }
        let still = try StillPicture(jpeg: TestJPEG.bytes())
        for number in 1...65 { _ = await cards.card(of: still, number: Int64(number), in: .number(1)) }
        _ = await cards.card(of: still, number: 2, in: .number(1))
        #expect(asked.withLock { $0 } == 65)
        _ = await cards.card(of: still, number: 1, in: .number(1))
        #expect(asked.withLock { $0 } == 66)
    }
}
