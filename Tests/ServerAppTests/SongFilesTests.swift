import Foundation
import ServerApp
import Testing

@Suite struct SongFilesTests {
    /// A data folder and a web root with a song each, gone with the object.
    private final class Place {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ovation-songs-\(UUID().uuidString)")
        var files: ServerSongFiles {
            ServerSongFiles(
                roots: [folder.path + "/data/songs", folder.path + "/web/songs"], publicURL: "https://sing.example/")
        }

        init() throws {
            try put("data/songs/1400000001/abc123/accompaniment.mp3")
            try put("data/songs/1400000001/abc123/song.json")
            try put("web/songs/morning/accompaniment.m4a")
            try put("data/ovation.sqlite")
            try put("data/secret.mp3")
        }

        func put(_ path: String) throws {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data([1]).write(to: file)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    @Test("D04-S the mix finds the server's own songs and those that were uploaded")
    func found() throws {
        let place = try Place()
        let uploaded = try #require(place.files.location(of: "/songs/1400000001/abc123/accompaniment.mp3"))
        #expect(uploaded.hasSuffix("/data/songs/1400000001/abc123/accompaniment.mp3"))
        #expect(place.files.location(of: "https://sing.example/songs/morning/accompaniment.m4a") != nil)
        #expect(
            place.files.location(of: "songs/morning/accompaniment.m4a")?.hasSuffix(
                "/web/songs/morning/accompaniment.m4a") == true)
    }

    @Test(
        "Nothing else of this machine is opened, and nothing of another",
        arguments: [
            "", "/", "/songs", "/songs/", "/songs/morning", "/songs/morning/", "/songs/morning/missing.m4a",
            "/songs/../ovation.sqlite", "/songs/../secret.mp3", "/songs/x/../../secret.mp3", "/songs/%2e%2e/secret.mp3",
            "/songs//secret.mp3", "/songs/./morning/accompaniment.m4a", "/etc/passwd", "file:///etc/passwd",
            "https://sing.example.org/songs/morning/accompaniment.m4a", "https://sing.example/etc/passwd",
            "https://sing.example@evil.example/songs/morning/accompaniment.m4a",
            "/songs/1400000001/abc123/song.json", "https://example.org/songs/morning/accompaniment.m4a",
            "http://127.0.0.1/songs/a/b.mp3", "concat:/songs/a/b.mp3", "/songs/morning/accompaniment.m4a?x=1",
            "/songs/morning/accompaniment.m4a\0.mp3", "/songs/morning\\..\\a/b.mp3", "/songs/a/b/c/d.mp3",
        ])
    func refused(file: String) throws {
        #expect(try Place().files.location(of: file) == nil)
    }

    @Test("A link that leads out of the songs is not followed")
    func link() throws {
        let place = try Place()
        try FileManager.default.createSymbolicLink(
            at: place.folder.appending(path: "data/songs/out"), withDestinationURL: place.folder.appending(path: "data")
        )
        #expect(place.files.location(of: "/songs/out/secret.mp3") == nil)
        // The way itself may be a link: data folders often are.
        try FileManager.default.createSymbolicLink(
            at: place.folder.appending(path: "linked"), withDestinationURL: place.folder.appending(path: "data"))
        let linked = ServerSongFiles(roots: [place.folder.path + "/linked/songs"])
        #expect(linked.location(of: "/songs/1400000001/abc123/accompaniment.mp3") != nil)
    }
}
