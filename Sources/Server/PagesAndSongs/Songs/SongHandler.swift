import Foundation
package import HTTP
import HTTPGrammar
import HTTPTypes
package import Hummingbird
import NIOCore
import RoomModel
package import RoomPorts
import SignalProtocol
import Timing

/// The library over HTTP: its list, its files, uploads and removals.
package final class SongHandler: Sendable {
    package let library: SongLibrary
    private let signIn: SignIn
    private let clock: any TimeSource
    private let inspect: @Sendable (String) async -> SoundFinding
    private let uploads: Uploads

    /// - Parameters:
    ///   - inspect: what a file of sound turns out to be.
    ///   - pause: lets time pass between two looks at an upload.
    package init(
        library: SongLibrary, signIn: SignIn, limits: UploadLimits = UploadLimits(), clock: any TimeSource,
        inspect: @escaping @Sendable (String) async -> SoundFinding,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.library = library
        self.signIn = signIn
        self.clock = clock
        self.inspect = inspect
        uploads = Uploads(limits, clock: clock, pause: pause)
    }

    /// - Parameter address: where a request comes from.
    package func addRoutes(
        to router: GatewayRouter, address: @escaping @Sendable (Request, HTTPRequestContext) -> ClientAddress
    ) {
        router.get("v1/songs") { request, _ in await self.list(request) }
        router.post("v1/songs") { request, context in await self.upload(request, from: address(request, context)) }
        router.delete("v1/songs/:id") { request, context in
            await self.remove(context.parameters.get("id") ?? "", request)
        }
    }

    private struct List: Encodable {
        var songs: [SongEntry]
    }

    private struct Made: Encodable {
        var song: SongEntry
    }

    /// Whoever is not signed in sees the server's own songs.
    private func list(_ request: Request) async -> Response {
        do throws(Refusal) {
            guard request.headers[.authorization] != nil else {
                return HTTPReply.json(List(songs: library.builtIn))
            }
            let (application, _) = try await identity(request)
            return HTTPReply.json(List(songs: library.builtIn + library.uploaded(to: application)))
        } catch {
            return HTTPReply.failure(error)
        }
    }

    func upload(_ request: Request, from address: ClientAddress) async -> Response {
        let application: ApplicationID
        let user: UserID
        do throws(Refusal) {
            (application, user) = try await identity(request)
            // Before anything is sent: everybody who sings here reads what a song is called.
            try signIn.checkMute(
                [SaidText(.songTitle, "?", "title"), SaidText(.lyrics, "?", "lyrics")], by: user, in: application)
        } catch {
            return HTTPReply.failure(error)
        }
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length, length > uploads.limits.body {
            return Self.refused(.tooLarge(field: "the body"))
        }
        let counts = library.counts(of: application, by: user)
        guard counts.all < SongLibrary.songsPerApplication, counts.own < SongLibrary.songsPerPerson else {
            return HTTPReply.failure(
                code: 20465, name: "song_library_full", message: "there are too many songs: remove one first",
                status: .conflict)
        }
        do {
            return try await uploads.take(of: user, in: application, from: address, length: length) { received in
                try await self.receive(request, application: application, user: user, received)
            }
        } catch let failure as SongUpload.Failure {
            return Self.refused(failure)
        } catch is Uploads.NoSlot {
            return HTTPReply.failure(
                code: 20503, name: "unavailable", message: "too many uploads at once: try again",
                status: .serviceUnavailable, retryAfterMs: 3000)
        } catch {
            return Self.refused(error is UploadWatch.TooSlow ? .tooSlow : .malformed("it broke off"))
        }
    }

    private func receive(
        _ request: Request, application: ApplicationID, user: UserID, _ received: UploadProgress
    ) async throws -> Response {
        let erasures = library.erasures(of: user, in: application)
        let folder: String
        do { folder = try library.makeWorkFolder() } catch { throw SongUpload.Failure.storage }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var upload = try SongUpload(into: folder, contentType: request.headers[.contentType] ?? "")
        try await uploads.read(
            request.body, received, tooLarge: SongUpload.Failure.tooLarge(field: "the body")
        ) { try upload.take($0.readableBytesView) }
        var findings: [String: SoundFinding] = [:]
        for (kind, path) in try upload.soundFiles() { findings[kind] = await inspect(path) }
        let stored = try upload.finish(
            id: SongLibrary.freshID(), by: user, at: clock.wallTime.millisecondsSince1970, findings: findings)
        let texts = [
            SaidText(.songTitle, stored.title, "title"), SaidText(.songArtist, stored.artist ?? "", "artist"),
            SaidText(.lyrics, upload.words, "lyrics"),
        ]
        do throws(Refusal) {
            try signIn.checkWords(texts, in: application)
            // An upload takes minutes: whoever was banned, muted or erased meanwhile leaves nothing behind.
            _ = try await identity(request)
            try signIn.checkMute(texts, by: user, in: application)
            guard library.erasures(of: user, in: application) == erasures else {
                throw Refusal(RoomError(.permissionDenied, "this person was erased"))
            }
        } catch {
            return HTTPReply.failure(error)
        }
        do { try library.publish(stored, from: folder, in: application) } catch { throw SongUpload.Failure.storage }
        let entry = stored.entry(under: "/songs/\(application)/\(stored.id)/", builtIn: false)
        return HTTPReply.json(Made(song: entry), status: .created)
    }

    private func remove(_ id: String, _ request: Request) async -> Response {
        do throws(Refusal) {
            let (application, user) = try await identity(request)
            guard let uploader = library.uploader(of: id, in: application) else {
                return HTTPReply.failure(
                    code: 20467, name: "song_not_found", message: "there is no such song", status: .notFound)
            }
            guard uploader == user else { throw Refusal(RoomError(.permissionDenied)) }
            do { try library.remove(id, from: application) } catch { return Self.refused(.storage) }
            return HTTPReply.json([String: String]())
        } catch {
            return HTTPReply.failure(error)
        }
    }

    /// A file that somebody uploaded; it never changes, so it may be kept for ever.
    /// - Returns: `nil` if there is nothing at the path.
    package func file(_ request: Request, _ context: HTTPRequestContext) async -> Response? {
        let prefix = "/songs/"
        guard request.uri.path.hasPrefix(prefix),
            let (path, contentType) = library.file(request.uri.path.dropFirst(prefix.count)),
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let size = attributes[.size] as? Int, size > 0
        else { return nil }
        // The folder's name is the content's: what it holds never changes.
        var file = UploadedFile(request.uri.path.dropFirst(prefix.count), type: contentType)
        file.headers[.acceptRanges] = "bytes"
        if let known = file.known(to: request) { return known }
        let range: ClosedRange<Int>
        var status = HTTPResponse.Status.ok
        switch ByteRange(header: request.isFresh(file.tag) ? request.headers[.range] : nil, size: size) {
        case .whole: range = 0...(size - 1)
        case .part(let part):
            range = part
            status = .partialContent
            file.headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound)/\(size)"
        case .unsatisfiable:
            file.headers[.contentRange] = "bytes */\(size)"
            return Response(status: .rangeNotSatisfiable, headers: file.headers)
        }
        guard let body = try? await FileIO().loadFile(path: path, range: range, context: context) else { return nil }
        return Response(status: status, headers: file.headers, body: body)
    }

    private func identity(_ request: Request) async throws(Refusal) -> (ApplicationID, UserID) {
        let bearer = try await BearerTicket(request, signIn)
        return (bearer.application, bearer.user)
    }

    private static func refused(_ failure: SongUpload.Failure) -> Response {
        let status: HTTPResponse.Status =
            switch failure {
            case .tooLarge: .contentTooLarge
            case .format, .lyrics: .unsupportedMediaType
            case .field, .malformed: .badRequest
            case .tooSlow: .requestTimeout
            case .storage, .busy: .serviceUnavailable
            case .uninspected: .notImplemented
            }
        let (number, name, message) = failure.code
        return HTTPReply.failure(code: number, name: name, message: message, status: status, field: failure.field)
    }
}
