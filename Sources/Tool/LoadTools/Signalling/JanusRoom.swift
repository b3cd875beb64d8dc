internal import DTLS
internal import DatagramIO
internal import Foundation
internal import ICE
internal import NIOCore
internal import Ovation
internal import RTP
internal import SDP
internal import Synchronization
internal import Wire

/// A room of the VideoRoom plug-in of a Janus server, by its WebSocket transport: one session, and a handle for each participant. The
/// server must be ICE-lite, since our side takes itself for the controlling one.
final class JanusRoom: LoadedRoom {
    private static let plugin = "janus.plugin.videoroom"

    private let line: CallSocket
    private let session: Int
    private let engine: LoadEngine
    private let content: LoadContent
    private let room = Int.random(in: 1_000_000...2_000_000_000)
    /// The publishers' numbers.
    private let feeds = Mutex<[Int]>([])

    private init(line: CallSocket, session: Int, engine: LoadEngine, content: LoadContent) {
        self.line = line
        self.session = session
        self.engine = engine
        self.content = content
    }

    /// Connects, and creates a room for so many speakers.
    static func create(
        server: ServerAddress, content: LoadContent, engine: LoadEngine, on loop: any EventLoop
    ) async throws -> JanusRoom {
        let opener = WebSocketOpener(server: server, path: "", subprotocol: "janus-protocol")
        let line = try await CallSocket.open(opener, on: loop) { text in
            // Of a call's two answers, the first says only that it was read.
            text.prefix(64).firstRange(of: #""ack""#.utf8) == nil
                ? text.number(behind: #""transaction":"#, within: 256) : nil
        }
        let session = try await ask(line, ["janus": "create"])
        guard let number = (session["data"] as? [String: Any])?["id"] as? Int else {
            throw LoadFailure("Janus gave no session")
        }
        let room = JanusRoom(line: line, session: number, engine: engine, content: content)
        let handle = try await room.attach()
        _ = try await room.message(
            handle,
            [
                "request": "create", "room": room.room, "publishers": content.speakers, "audiocodec": "opus",
                "videocodec": "vp8", "audiolevel_event": false,
            ])
        return room
    }

    func join(place: Int, speaks: Bool) async throws -> PathPlan {
        let handle = try await attach()
        return speaks ? try await publish(handle, place) : try await subscribe(handle, place)
    }

    // MARK: Negotiation

    private func publish(_ handle: Int, _ place: Int) async throws -> PathPlan {
        var random = SystemRandomNumberGenerator()
        let local = ICECredentials.random(using: &random)
        let ssrc = UInt32.random(in: 1...(.max))
        let joined = try await message(
            handle, ["request": "join", "ptype": "publisher", "room": room, "display": "load-\(place)"])
        guard let feed = joined.data["id"] as? Int else { throw LoadFailure("Janus let no publisher in") }
        var builder = OfferBuilder(
            ufrag: local.ufrag, password: local.password, fingerprint: engine.fingerprint.sdpValue,
            sessionID: .random(in: 1...(1 << 60)), version: 1,
            microphone: SlotSource(
                ssrc: ssrc, cname: "load-\(place)", stream: StreamIdentification(stream: "load", track: "sound")),
            slots: 0)
        // Neither this nor the next one is the sound's.
        let camera = (ssrc & ~1) ^ 2
        if content.isPicture {
            builder.camera = ViewSource(
                ssrc: camera, repeatSSRC: camera ^ 1, cname: "load-\(place)",
                stream: StreamIdentification(stream: "load", track: "picture"))
        }
        var offer = builder.offer()
        // Janus refuses an inactive section, and sends nothing to those who bundled theirs with it.
        if content.isPicture {
            offer.media.removeFirst()
            offer.bundle = offer.media.compactMap(\.mid)
        }
        // Where the offer leaves the choice, Janus is the DTLS client; here all servers do the same work.
        for index in offer.media.indices { offer.media[index].transport.setup = .active }
        offer.media[0].transport.candidates = [candidate(place)]
        let published = try await message(handle, ["request": "publish"], type: "offer", sdp: offer.text)
        guard let text = published.sdp else { throw LoadFailure("Janus gave no answer to an offer") }
        let answer = try SessionDescription(parsing: text)
        guard let section = content.isPicture ? answer.media.last : answer.media.first,
            let codec = section.codecs.first(where: { content.isPicture ? $0.isVP8 : $0.isOpus })
        else { throw LoadFailure("Janus took nothing of a publisher") }
        feeds.withLock { $0.append(feed) }
        let level = section.extensions.first { $0.uri == ExtensionURI.audioLevel }?.id
        return try plan(
            place, local: local, remote: answer,
            speech: PathPlan.Speech(
                ssrc: SSRC(content.isPicture ? camera : ssrc), payloadType: PayloadType(codec.payloadType),
                levelID: content.isPicture ? nil : level, isPicture: content.isPicture))
    }

    private func subscribe(_ handle: Int, _ place: Int) async throws -> PathPlan {
        let streams = feeds.withLock { $0 }.map { ["feed": $0] }
        let request: [String: Any] = ["request": "join", "ptype": "subscriber", "room": room, "streams": streams]
        let offered: Event
        do {
            offered = try await message(handle, request)
        } catch let refusal as Refusal where refusal.code == Refusal.noSuchFeed {
            // Until a publisher's media is up, Janus does not know the feed.
            try await Task.sleep(for: .seconds(1))
            offered = try await message(handle, request)
        }
        guard let text = offered.sdp else { throw LoadFailure("Janus made no offer to a subscriber") }
        let offer = try SessionDescription(parsing: text)
        var random = SystemRandomNumberGenerator()
        let local = ICECredentials.random(using: &random)
        var answer = SessionDescription(sessionID: .random(in: 1...(1 << 60)), version: 1, bundle: offer.bundle)
        for section in offer.media {
            var mine = section
            mine.direction = .recvonly
            mine.codecs = section.codecs.filter { $0.isOpus || $0.isVP8 }
            mine.formats = mine.codecs.map { "\($0.payloadType)" }
            mine.extensions = []
            mine.sources = []
            mine.repeatGroups = []
            mine.stream = nil
            mine.transport = TransportDescription()
            mine.transport.ufrag = local.ufrag
            mine.transport.password = local.password
            mine.transport.fingerprints = [engine.fingerprint.sdpValue]
            mine.transport.setup = .active
            answer.media.append(mine)
        }
        guard !answer.media.isEmpty else { throw LoadFailure("Janus offered a subscriber nothing") }
        answer.media[0].transport.candidates = [candidate(place)]
        _ = try await message(handle, ["request": "start"], type: "answer", sdp: answer.text)
        return try plan(place, local: local, remote: offer, speech: nil)
    }

    private func plan(
        _ place: Int, local: ICECredentials, remote: SessionDescription, speech: PathPlan.Speech?
    ) throws -> PathPlan {
        guard let transport = remote.bundleTransport, let ufrag = transport.ufrag, let password = transport.password,
            let fingerprint = transport.fingerprints.lazy.compactMap(CertificateFingerprint.init(sdpValue:)).first
        else { throw LoadFailure("Janus described no transport") }
        return PathPlan(
            place: place, server: try OvationRoom.address(among: transport.candidates, for: engine.firstAddress),
            protection: .session(local: local, remote: ICECredentials(ufrag: ufrag, password: password), fingerprint),
            speech: speech)
    }

    private func candidate(_ place: Int) -> ICECandidate {
        ICECandidate.host(address: engine.address(of: place).text, port: engine.port, rank: 0)
    }

    // MARK: Calls

    /// The plug-in's own "no".
    private struct Refusal: Error, CustomStringConvertible {
        /// JANUS_VIDEOROOM_ERROR_NO_SUCH_FEED
        static let noSuchFeed = 428

        var reason: String
        var code: Int?

        var description: String { "Janus: \(reason)" }
    }

    private struct Event {
        var data: [String: Any]
        var sdp: String?
    }

    private func attach() async throws -> Int {
        let answer = try await Self.ask(line, ["janus": "attach", "plugin": Self.plugin, "session_id": session])
        guard let handle = (answer["data"] as? [String: Any])?["id"] as? Int else {
            throw LoadFailure("Janus has no \(Self.plugin)")
        }
        return handle
    }

    private func message(
        _ handle: Int, _ body: [String: Any], type: String? = nil, sdp: String? = nil
    ) async throws -> Event {
        var message: [String: Any] = ["janus": "message", "body": body, "session_id": session, "handle_id": handle]
        if let type, let sdp { message["jsep"] = ["type": type, "sdp": sdp] }
        let answer = try await Self.ask(line, message)
        let data = (answer["plugindata"] as? [String: Any])?["data"] as? [String: Any] ?? [:]
        if let error = data["error"] as? String { throw Refusal(reason: error, code: data["error_code"] as? Int) }
        return Event(data: data, sdp: (answer["jsep"] as? [String: Any])?["sdp"] as? String)
    }

    private static func ask(_ line: CallSocket, _ message: [String: Any]) async throws -> [String: Any] {
        let text = try await line.call { key in
            let whole = message.merging(["transaction": "\(key)"]) { $1 }
            return (try? JSONSerialization.data(withJSONObject: whole)).map(Array.init) ?? []
        }
        guard let answer = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] else {
            throw LoadFailure("Janus answered no object")
        }
        if let error = answer["error"] as? [String: Any] { throw LoadFailure("Janus: \(error["reason"] ?? error)") }
        return answer
    }
}
