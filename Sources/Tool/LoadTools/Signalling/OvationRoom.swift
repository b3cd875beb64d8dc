internal import DTLS
internal import DatagramIO
internal import Foundation
internal import ICE
internal import NIOCore
internal import Ovation
internal import RTP
internal import RoomModel
internal import SDP
internal import SignalProtocol
internal import Synchronization
internal import UserSig
internal import Wire

/// A voice room on an Ovation server, or a live one: whoever speaks or films has a seat, everybody has a connection and a session of its own.
final class OvationRoom: LoadedRoom {
    private let opener: WebSocketOpener
    private let group: any EventLoopGroup
    private let signer: TicketSigner
    private let engine: LoadEngine
    private let content: LoadContent
    private var speakers: Int { content.speakers }
    /// Told apart from rooms and people of other runs on the same server.
    private let run = String(UInt32.random(in: 0...(.max)), radix: 36)
    private let room = Mutex<RoomID?>(nil)
    /// Kept open: who closes it leaves the room.
    private let lines = Mutex<[CallSocket]>([])

    init(
        server: ServerAddress, trustRoots: OvationClient.TrustRoots, signer: TicketSigner, content: LoadContent,
        engine: LoadEngine, group: any EventLoopGroup
    ) {
        opener = WebSocketOpener(server: server, trustRoots: trustRoots)
        self.signer = signer
        self.content = content
        self.engine = engine
        self.group = group
    }

    func join(place: Int, speaks: Bool) async throws -> PathPlan {
        let line = try await CallSocket.open(opener, on: group.next()) { text in
            // News have a method where answers have their id; only few texts are answers. Quotes in what people write are escaped.
            guard text.firstRange(of: #""method":"#.utf8) == nil else { return nil }
            return (try? JSONDecoder().decode(AnswerKey.self, from: Data(text)))?.id
        }
        lines.withLock { $0.append(line) }
        let name = "load-\(run)-\(place)"
        guard let user = UserID(name) else { throw LoadFailure("\(name) is no user id") }
        let ticket = try signer.ticket(user: name, issuedAt: Int64(Date().timeIntervalSince1970))
        _ = try await ask(
            line,
            .openSession(SessionOpening(application: ApplicationID(signer.application), user: user, ticket: ticket)),
            Nothing.self)
        let room = try await enter(line)
        if speaks {
            _ = try await ask(line, .rooms(.command(room, .takeSeat(TakeSeat(place)), key: nil)), Nothing.self)
        }
        if speaks, content.isPicture {
            _ = try await ask(line, .rooms(.command(room, .setCamera(SetCamera(on: true)), key: nil)), Nothing.self)
        }
        return try await negotiate(line, room, place: place, speaks: speaks)
    }

    /// The first creates the room and is in it.
    private func enter(_ line: CallSocket) async throws -> RoomID {
        if let room = room.withLock({ $0 }) {
            _ = try await ask(line, .rooms(.enterRoom(EnterRoom(room, since: nil))), Nothing.self)
            return room
        }
        let creation = RoomCreation(
            kind: content.isPicture ? .live : .voice,
            settings: RoomSettings(name: "Load \(run)"), seats: Array(repeating: SeatSetup(), count: speakers))
        let created = try await ask(line, .rooms(.createRoom(CreateRoom(creation, key: nil))), Created.self)
        room.withLock { $0 = created.room }
        return created.room
    }

    private func negotiate(_ line: CallSocket, _ room: RoomID, place: Int, speaks: Bool) async throws -> PathPlan {
        var random = SystemRandomNumberGenerator()
        let local = ICECredentials.random(using: &random)
        let ssrc = UInt32.random(in: 1...(.max))
        var builder = OfferBuilder(
            ufrag: local.ufrag, password: local.password, fingerprint: engine.fingerprint.sdpValue,
            sessionID: .random(in: 1...(1 << 60)), version: 1,
            microphone: SlotSource(
                ssrc: ssrc, cname: "load-\(place)", stream: StreamIdentification(stream: "-", track: nil)),
            // A speaker who hears nobody makes the number of copies a product.
            slots: speaks || content.isPicture ? 0 : speakers)
        let camera = UInt32.random(in: 1...(.max)) & ~1
        if content.isPicture, speaks {
            builder.camera = ViewSource(
                ssrc: camera, repeatSSRC: camera ^ 1, cname: "load-\(place)",
                stream: StreamIdentification(stream: "-", track: nil))
        } else if content.isPicture {
            builder.pictures = 1
        }
        let answered = try await ask(
            line, .offerMedia(OfferMedia(room, number: 1, sdp: builder.offer().text)), MediaAnswered.self)
        let accepted = try AcceptedOffer(answer: SessionDescription(parsing: answered.sdp))
        let server = try Self.address(among: accepted.candidates, for: engine.firstAddress)
        guard let fingerprint = accepted.fingerprints.first.flatMap(CertificateFingerprint.init(sdpValue:)) else {
            throw LoadFailure("the server's answer has no fingerprint")
        }
        var speech: PathPlan.Speech?
        if speaks, content.isPicture {
            guard let payloadType = accepted.cameraPayloadType else {
                throw LoadFailure("the server takes no picture of a speaker")
            }
            speech = PathPlan.Speech(ssrc: SSRC(camera), payloadType: PayloadType(payloadType), isPicture: true)
        } else if speaks {
            guard let payloadType = accepted.microphonePayloadType else {
                throw LoadFailure("the server takes no sound of a speaker")
            }
            let level = accepted.extensions.first { $0.uri == ExtensionURI.audioLevel }?.id
            speech = PathPlan.Speech(ssrc: SSRC(ssrc), payloadType: PayloadType(payloadType), levelID: level)
        }
        return PathPlan(
            place: place, server: server,
            protection: .session(
                local: local, remote: ICECredentials(ufrag: accepted.ufrag, password: accepted.password), fingerprint),
            speech: speech)
    }

    /// The server's first address that ours can reach: loopback from loopback alone.
    static func address(among candidates: [ICECandidate], for own: IPAddress) throws -> TransportAddress {
        for candidate in candidates where candidate.transport == "udp" {
            guard let ip = IPAddress(text: candidate.address), ip.isIPv4, ip.isLoopback == own.isLoopback else {
                continue
            }
            return TransportAddress(ip: ip, port: candidate.port)
        }
        throw LoadFailure("the server names no UDP address that \(own.text) can reach")
    }

    // MARK: Calls

    private struct Nothing: Decodable {}

    private struct AnswerKey: Decodable {
        var id: Int
    }

    private struct Created: Decodable {
        var room: RoomID
    }

    private struct Envelope<Result: Decodable>: Decodable {
        var result: Result?
        var error: ServerRefusal?
    }

    private func ask<Result: Decodable>(
        _ line: CallSocket, _ body: Call.Body, _: Result.Type
    ) async throws -> Result {
        let text = try await line.call { Call(number: Int64($0), body).text }
        let answer = try JSONDecoder().decode(Envelope<Result>.self, from: Data(text))
        if let error = answer.error { throw LoadFailure("\(body.method.rawValue): \(error.message) (\(error.name))") }
        guard let result = answer.result else {
            throw LoadFailure("\(body.method.rawValue): an answer without a result")
        }
        return result
    }
}
