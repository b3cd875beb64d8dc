import Foundation
import NIOCore
import NIOPosix
import RoomModel
import ServerTestSupport
import Synchronization
import Testing

@testable import Ovation

extension LiveServerTests {
    /// The library of songs: uploads, lists, removals.
    @Suite struct LiveSongLibraryTests {
        /// A folder with files to upload, gone with the object.
        private final class Files {
            let folder = FileManager.default.temporaryDirectory.appending(path: "ovation-upload-\(UUID().uuidString)")

            init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

            func text(_ name: String, _ text: String) throws -> URL {
                let file = folder.appending(path: name)
                try Data(text.utf8).write(to: file)
                return file
            }

            func sound(_ name: String, seconds: Int = 4) throws -> URL {
                let file = folder.appending(path: name)
                try WAVFile.tone(seconds: seconds, period: 20).write(to: file)
                return file
            }

            /// So many bytes that are on no disk.
            func hole(_ name: String, _ count: Int) throws -> URL {
                let file = try text(name, "")
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: UInt64(count))
                return file
            }

            deinit { try? FileManager.default.removeItem(at: folder) }
        }

        @Test(
            "D05-K a song is uploaded with its words, seen and sung by others of the application, and deleted by its owner"
        )
        func uploaded() async throws {
            try await TestServer.with { server async throws in
                let files = try Files()
                let (alice, bob) = (try await server.signIn("alice"), try await server.signIn("bob"))
                let told = Mutex<[Double]>([])
                let song = try await alice.uploadSong(
                    title: "Abend lied – 저녁 노래", artist: "Matthias", audio: files.sound("a.wav", seconds: 20),
                    original: files.sound("b.wav", seconds: 20), lyrics: files.text("l.lrc", "[00:01.00]Der Mond"),
                    progress: { part in told.withLock { $0.append(part) } })
                #expect(song.title == "Abend lied – 저녁 노래" && song.artist == "Matthias")
                #expect((19_900...20_100).contains(song.durationMs))
                #expect(song.original != nil && song.original != song.accompaniment)
                let parts = told.withLock { $0 }
                #expect(parts.count > 8 && parts == parts.sorted() && parts.last == 1 && parts[0] < 0.1, "\(parts)")
                let exchange = HTTPExchange(server: bob.server, trustRoots: .system)
                let words = try await exchange.get(try #require(song.lyrics))
                #expect(String(buffer: words.body) == "[00:01.00]Der Mond")

                let entry = try #require(try await bob.songLibrary().first { $0.id == song.id })
                #expect(entry.song == song && entry.by == "alice" && !entry.isBuiltIn)
                #expect(try await bob.songs().contains(song))
                let stranger = try server.sdk()
                #expect(try await !stranger.songs().contains(song))

                let room = try await bob.createRoom(RoomDraft(name: "Duet", kind: .chorus, seats: 2))
                try await room.startSong(song)
                #expect(room.state.play?.song == song)

                #expect(await refusal { try await bob.deleteSong(song.id) } == "permission_denied")
                try await alice.deleteSong(song.id)
                #expect(await refusal { try await alice.deleteSong(song.id) } == "song_not_found")
                #expect(await refusal { try await alice.deleteSong("../x y") } == "song_not_found")
                #expect(try await !bob.songs().contains(song))
                for client in [alice, bob] { await client.signOut() }
                #expect(await refusal { try await alice.deleteSong(song.id) } == "signed_out")
            }
        }

        @Test("D05-K V17-K what is wrong with a song is said by its name")
        func refused() async throws {
            try await TestServer.with { server async throws in
                let files = try Files()
                let alice = try await server.signIn("alice")
                let sound = try files.sound("a.wav")
                func upload(
                    _ audio: URL, title: String = "Song", original: URL? = nil, lyrics: URL? = nil
                ) async -> String {
                    await refusal {
                        try await alice.uploadSong(title: title, audio: audio, original: original, lyrics: lyrics)
                    }
                }
                #expect(await upload(try files.text("page.mp3", "<html>")) == "song_format")
                #expect(await upload(sound, lyrics: try files.text("l.txt", "no times")) == "lyrics_invalid")
                #expect(await upload(sound, title: "") == "invalid_params")
                #expect(await upload(sound, title: String(repeating: "x", count: 2_000)) == "invalid_params")
                #expect(await upload(files.folder.appending(path: "nothing.wav")) == "file_unreadable")
                let large = try files.hole("large.wav", OvationClient.songBytesMost + 1)
                #expect(await upload(large) == "song_too_large")
                #expect(await upload(sound, original: large) == "song_too_large")
                let words = try files.hole("large.lrc", OvationClient.lyricsBytesMost + 1)
                #expect(await upload(sound, lyrics: words) == "song_too_large")
                #expect(try await alice.songLibrary().allSatisfy(\.isBuiltIn))
                await alice.signOut()
                #expect(await upload(sound) == "signed_out")
            }
        }

        @Test("D05-K a refusal in the middle of an upload is heard; one that stands still, or is cancelled, ends")
        func broken() async throws {
            let files = try Files()
            let large = try files.hole("large.wav", OvationClient.songBytesMost)
            func upload(to peer: DeafPeer, standstill: TimeAmount = .seconds(60)) async -> String {
                await refusal {
                    let exchange = HTTPExchange(
                        server: try ServerAddress("127.0.0.1:\(peer.port)"), trustRoots: .system,
                        authorization: "Bearer 1:a:b", standstill: standstill)
                    let file = try FileHandle(forReadingFrom: large)
                    let answer = try await exchange.upload(
                        "/v1/songs", type: "x/y", [.file(file, count: OvationClient.songBytesMost)], progress: { _ in })
                    if let refusal = answer.refusal { throw refusal }
                }
            }
            let said = #"{"error":{"code":20465,"name":"song_library_full","message":"full"}}"#
            let refusing = try await DeafPeer(
                answer: "HTTP/1.1 409 Conflict\r\nContent-Length: \(said.utf8.count)\r\n\r\n\(said)")
            #expect(await upload(to: refusing) == "song_library_full")
            let silent = try await DeafPeer(answer: nil)
            #expect(await upload(to: silent, standstill: .milliseconds(200)) == "timeout")
            let other = try await DeafPeer(answer: nil)
            let task = Task { await upload(to: other) }
            await other.met()
            task.cancel()
            #expect(await task.value == "cancelled")
            for peer in [refusing, silent, other] { peer.close() }
        }
    }
}

/// Takes the beginning of a request, says something or nothing, and reads no further.
private final class DeafPeer: Sendable {
    let port: Int
    private let channel: any Channel
    private let meetings: AsyncStream<Void>

    init(answer: String?) async throws {
        let (meetings, report) = AsyncStream.makeStream(of: Void.self)
        self.meetings = meetings
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(answer: answer) { report.yield() })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// Returns when somebody has begun to send.
    func met() async { for await _ in meetings { return } }

    func close() { channel.close(promise: nil) }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        let answer: String?
        let report: () -> Void

        init(answer: String?, report: @escaping () -> Void) {
            self.answer = answer
            self.report = report
        }

        func channelActive(context: ChannelHandlerContext) { context.read() }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            report()
            if let answer { context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil) }
        }
    }
}
