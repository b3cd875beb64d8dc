package import Foundation
package import RoomModel

/// What a client asks for: one JSON-RPC call, decoded once.
package struct Call: Sendable, Hashable {
    package var id: CallID
    package var method: Method
    package var body: Body

    package init(id: CallID, method: Method, body: Body) {
        self.id = id
        self.method = method
        self.body = body
    }

    package enum Body: Sendable, Hashable {
        // sessions
        case openSession(SessionOpening)
        case renewSession(RenewSession)
        case closeSession
        case readClock
        case setProfile(SetProfile)
        case getProfiles(GetProfiles)
        /// To one person, wherever they are signed in.
        case sendSignal(SignalDraft)
        case rooms(RoomsCall)
        // media
        case offerMedia(OfferMedia)
        case viewPicture(ViewPicture)
        case closeMedia(CloseMedia)
        case testLine(TestLine)
        case endLineTest
        case stateLatency(StateLatency)
        case wallet(WalletCall)
    }
}

/// What is asked of gifts and coins outside a room.
package enum WalletCall: Sendable, Hashable {
    case listGifts
    case read
    case readStatement(StatementQuery)
    case drawCoins(DrawCoins)
}

/// What the rooms and their directory answer.
package enum RoomsCall: Sendable, Hashable {
    case createRoom(CreateRoom)
    case enterRoom(EnterRoom)
    case listRooms(RoomQuery)
    case getRooms(GetRooms)
    case listMembers(ListMembers)
    case listInvitations(ListInvitations)
    case listRestrictions(ListRestrictions)
    case readGiftRanking(ReadGiftRanking)
    case sendReport(SendReport)
    case readRequestStill(ReadRequestStill)
    case setStill(SetStill)
    /// Everything that somebody inside a room does to it.
    case command(RoomID, RoomCommand, key: IdempotencyKey?)
}

/// A call that is no command of a room.
package protocol NamedCall: CallPayload {
    static var name: CallName { get }
    /// As one of all calls.
    var asCall: Call.Body { get }
}

/// The `id` of a call, which its answer repeats.
package enum CallID: Sendable, Hashable, Codable {
    case number(Int64)
    case string(String)

    /// Longer ids would make us send more than we were sent.
    package static let maximumLength = 64

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self = .number(number)
            return
        }
        let text = try container.decode(String.self)
        guard text.utf8.count <= Self.maximumLength else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an id has at most 64 bytes")
        }
        self = .string(text)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        }
    }
}

/// A text that is not an acceptable call, with the `id` to answer if it had one.
package struct CallFailure: Error, Hashable, Sendable {
    package var id: CallID?
    package var error: RoomError
    package init(id: CallID?, error: RoomError) {
        self.id = id
        self.error = error
    }
}

extension Call.Body {
    private enum Parts {
        case named(any NamedCall)
        case command(RoomID, RoomCommand, IdempotencyKey?)
    }

    private var parts: Parts {
        switch self {
        case .openSession(let call): .named(call)
        case .renewSession(let call): .named(call)
        case .closeSession: .named(CloseSession())
        case .readClock: .named(ReadClock())
        case .setProfile(let call): .named(call)
        case .getProfiles(let call): .named(call)
        case .rooms(.createRoom(let call)): .named(call)
        case .rooms(.enterRoom(let call)): .named(call)
        case .rooms(.listRooms(let call)): .named(call)
        case .rooms(.getRooms(let call)): .named(call)
        case .rooms(.listMembers(let call)): .named(call)
        case .rooms(.setStill(let call)): .named(call)
        case .rooms(.listInvitations(let call)): .named(call)
        case .rooms(.readRequestStill(let call)): .named(call)
        case .rooms(.listRestrictions(let call)): .named(call)
        case .rooms(.sendReport(let call)): .named(call)
        case .sendSignal(let call): .named(call)
        case .wallet(.listGifts): .named(ListGifts())
        case .rooms(.readGiftRanking(let call)): .named(call)
        case .wallet(.read): .named(ReadWallet())
        case .wallet(.readStatement(let call)): .named(call)
        case .wallet(.drawCoins(let call)): .named(call)
        case .stateLatency(let call): .named(call)
        case .offerMedia(let call): .named(call)
        case .viewPicture(let call): .named(call)
        case .closeMedia(let call): .named(call)
        case .testLine(let call): .named(call)
        case .endLineTest: .named(EndLineTest())
        case .rooms(.command(let room, let command, let key)): .command(room, command, key)
        }
    }

    package var method: Method {
        switch parts {
        case .named(let call): .call(type(of: call).name)
        case .command(_, let command, _): .command(command.name)
        }
    }

    /// Whether the server may be asked the same again without harm: a read, or a change with an idempotency key.
    package var isRepeatable: Bool {
        switch self {
        case .rooms(.createRoom(let call)): call.key != nil
        case .rooms(.command(_, _, let key)): key != nil
        case .rooms(.listRooms), .rooms(.getRooms), .rooms(.listMembers), .rooms(.listInvitations),
            .rooms(.listRestrictions), .rooms(.readGiftRanking), .rooms(.readRequestStill), .rooms(.enterRoom):
            true
        // The next one is newer; two reports are two.
        case .rooms(.setStill), .rooms(.sendReport): false
        case .getProfiles, .setProfile, .stateLatency, .wallet: true
        // Two signals are two; the clock is read on one connection, and media is negotiated with what one remembers of it.
        case .sendSignal, .readClock, .openSession, .renewSession, .closeSession, .offerMedia, .viewPicture,
            .closeMedia, .testLine, .endLineTest:
            false
        }
    }
}

/// As a client writes them.
extension Call.Body: Encodable {
    private enum Beside: String, CodingKey { case room, key }

    package func encode(to encoder: any Encoder) throws {
        switch parts {
        case .named(let call): try call.encode(to: encoder)
        case .command(let room, let command, let key):
            var fields = encoder.container(keyedBy: Beside.self)
            try fields.encode(room, forKey: .room)
            try command.payload.encode(to: encoder)
            try fields.encodeIfPresent(key, forKey: .key)
        }
    }
}

extension Method {
    /// Reads what the call says; throws a `RoomError` or a `DecodingError`.
    func body(from parameters: ParameterDecoder) throws -> Call.Body {
        switch self {
        case .call(let name): return try Self.read(name.type, from: parameters).asCall
        case .command(let name):
            let (room, command, key) = try parameters.command(name)
            return .rooms(.command(room, command, key: key))
        }
    }

    private static func read<Payload: CallPayload>(
        _: Payload.Type, from parameters: ParameterDecoder
    ) throws -> Payload { try parameters.payload() }
}

extension ParameterDecoder {
    private enum Beside: String, CodingKey { case room, key }

    func command(
        _ name: RoomCommand.Name
    ) throws -> (room: RoomID, command: RoomCommand, key: IdempotencyKey?) {
        func read<Payload: CommandPayload>(_: Payload.Type) throws -> RoomCommand {
            try payload(Payload.self).asCommand
        }
        let command = try read(name.type)
        let fields = container(keyedBy: Beside.self)
        return (
            try fields.decode(RoomID.self, forKey: .room), command,
            try fields.decodeIfPresent(IdempotencyKey.self, forKey: .key)
        )
    }
}

extension Call {
    package init(number: Int64, _ body: Body) {
        self.init(id: .number(number), method: body.method, body: body)
    }

    private enum Keys: String, CodingKey { case jsonrpc, id, method, params }

    /// The whole text of the frame.
    package var text: [UInt8] {
        var frame = FrameText()
        frame.add(id: id)
        frame.add("method", method.rawValue)
        frame.add("params", body)
        return frame.finish()
    }

    /// Decodes the text of one frame. Unknown fields are ignored.
    package static func decode(_ text: Data) throws(CallFailure) -> Call {
        let envelope: Envelope
        let decoder = JSONDecoder()
        decoder.userInfo[.readsNewerWords] = false
        do {
            envelope = try decoder.decode(Envelope.self, from: text)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw CallFailure(id: nil, error: RoomError(.parseError))
        } catch {
            throw CallFailure(id: nil, error: RoomError(.invalidRequest))
        }
        switch envelope.outcome {
        case .success(let call): return call
        case .failure(let failure): throw failure
        }
    }

    /// The whole call in one pass over the JSON: the method decides how `params` is read.
    private struct Envelope: Decodable {
        var outcome: Result<Call, CallFailure>

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            let id = try? container.decode(CallID.self, forKey: .id)
            func refuse(_ error: RoomError) { outcome = .failure(CallFailure(id: id, error: error)) }

            outcome = .failure(CallFailure(id: id, error: RoomError(.invalidRequest)))
            guard let id, let version = try? container.decode(String.self, forKey: .jsonrpc), version == "2.0",
                let name = try? container.decode(String.self, forKey: .method)
            else { return }
            guard let method = Method(rawValue: name) else {
                refuse(RoomError(.methodNotFound))
                return
            }
            do {
                let parameters = try ParameterDecoder(container, key: .params)
                outcome = .success(Call(id: id, method: method, body: try method.body(from: parameters)))
            } catch let error as RoomError {
                refuse(error)
            } catch let error as DecodingError {
                refuse(ParameterDecoder.refusal(error))
            }
        }
    }
}
