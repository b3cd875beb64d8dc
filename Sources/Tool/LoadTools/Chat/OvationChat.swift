internal import Foundation
internal import RoomModel
internal import SignalProtocol
internal import UserSig

/// An Ovation server's voice room. Line 0 creates it, and lets the others in once it is there.
final class OvationChat: LoadedChat {
    private let host: String
    private let signer: TicketSigner
    /// Told apart from people of other runs on the same server.
    private let run = String(UInt32.random(in: 0...(.max)), radix: 36)
    private let isIdle: Bool
    let comesBack: Bool
    private var room: RoomID?
    /// What a line needs in order to come back: its session's secret, and how far it has heard.
    private var places: [(session: String, point: ResumePoint)?]
    /// Behind the entry's calls, so that receipts are told from their answers.
    private static let firstMessage: Int64 = 1_000

    /// - Parameter isIdle: they have a session each, and enter no room.
    init(host: String, signer: TicketSigner, lines: Int, isIdle: Bool, comesBack: Bool) {
        self.host = host
        self.signer = signer
        self.isIdle = isIdle
        self.comesBack = comesBack
        places = Array(repeating: nil, count: lines)
    }

    var membersPublish: Bool { true }

    func upgrade(_ line: Int) -> String {
        ChatUpgrade.request(path: "/v1/connect", host: host, subprotocol: "ovation.v1")
    }

    func request(_ step: Int, of line: Int) throws -> [UInt8]? {
        switch step {
        case 0:
            let name = "load-\(run)-\(line)"
            guard let user = UserID(name) else { throw LoadFailure("\(name) is no user id") }
            let ticket = try signer.ticket(user: name, issuedAt: Int64(Date().timeIntervalSince1970))
            return text(
                0,
                .openSession(
                    SessionOpening(
                        application: ApplicationID(signer.application), user: user, ticket: ticket,
                        resume: places[line]?.session)))
        case 1 where !isIdle:
            if let room { return text(1, .rooms(.enterRoom(EnterRoom(room, since: places[line]?.point)))) }
            guard line == 0 else { throw LoadFailure("the room is not there yet") }
            let creation = RoomCreation(
                kind: .voice, settings: RoomSettings(name: "Load \(run)"), seats: [SeatSetup(), SeatSetup()])
            return text(1, .rooms(.createRoom(CreateRoom(creation, key: nil))))
        // Who created the room is in it, and learns how far it is by entering.
        case 2 where line == 0 && places[0]?.point.epoch == 0:
            guard let room else { return nil }
            return text(2, .rooms(.enterRoom(EnterRoom(room, since: nil))))
        default: return nil
        }
    }

    private func text(_ number: Int64, _ body: Call.Body) -> [UInt8] { Call(number: number, body).text }

    func isAnswer(_ text: UnsafeRawBufferPointer) -> Bool {
        // News have a method where answers have their result. Quotes in what people write are escaped.
        !text.contains(#""method":"#, within: 64)
    }

    private struct Opened: Decodable { var session: String }
    private struct Created: Decodable { var room: RoomID }
    private struct Entered: Decodable {
        struct Snapshot: Decodable {
            var epoch: UInt64
            var seq: UInt64
            var chat: UInt64
        }
        var snapshot: Snapshot?
        var epoch: UInt64?
        var seq: UInt64?
        var chat: UInt64?
    }
    private struct Envelope<Result: Decodable>: Decodable {
        var result: Result?
        var error: ServerRefusal?
    }

    func take(_ answer: UnsafeRawBufferPointer, _ step: Int, of line: Int) throws -> Bool {
        switch step {
        case 0:
            let opened = try result(Opened.self, of: answer)
            let point = places[line]?.point ?? ResumePoint(epoch: 0, seq: 0, chat: 0)
            places[line] = (opened.session, point)
            return false
        case 1 where room == nil:
            room = try result(Created.self, of: answer).room
            return false
        default:
            // Only who comes back says how far it was.
            guard comesBack || line == 0 else {
                if answer.contains(#""error":"#, within: 64) { _ = try result(Entered.self, of: answer) }
                return true
            }
            let entered = try result(Entered.self, of: answer)
            let new = entered.snapshot
            places[line]?.point = ResumePoint(
                epoch: new?.epoch ?? entered.epoch ?? 0, seq: new?.seq ?? entered.seq ?? 0,
                chat: new?.chat ?? entered.chat ?? 0)
            return new != nil
        }
    }

    private func result<Result: Decodable>(_: Result.Type, of answer: UnsafeRawBufferPointer) throws -> Result {
        let answer = try JSONDecoder().decode(Envelope<Result>.self, from: Data(answer))
        if let error = answer.error { throw LoadFailure("the server refuses: \(error.message) (\(error.name))") }
        guard let result = answer.result else { throw LoadFailure("an answer without a result") }
        return result
    }

    func message(_ said: [UInt8], number: UInt32) -> [UInt8] {
        guard let room else { return [] }
        let draft = MessageDraft(.text(String(decoding: said, as: UTF8.self)))
        return text(Self.firstMessage + Int64(number), .rooms(.command(room, .sendMessage(draft), key: nil)))
    }

    /// The owner closes and opens the second seat.
    func seatChange(_ number: Int) -> [UInt8]? {
        room.map { text(3, .rooms(.command($0, .closeSeat(CloseSeat(1, closed: number.isMultiple(of: 2))), key: nil))) }
    }

    let seatMark = Array(#""type":"seat.closed""#.utf8)

    func receipt(_ text: UnsafeRawBufferPointer) -> ChatReceipt? {
        guard isAnswer(text), let id = text.number(behind: #""id":"#), Int64(id) >= Self.firstMessage else {
            return nil
        }
        if text.contains(#""error":"#, within: text.count) { return .refused }
        return .taken(number: UInt32(Int64(id) - Self.firstMessage))
    }

    func note(_ news: UnsafeRawBufferPointer, of line: Int) {
        if let chat = news.number(behind: #""chat":"#, last: true) { places[line]?.point.chat = chat }
        if let seq = news.number(behind: #""seq":"#, last: true) { places[line]?.point.seq = seq }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func contains(_ wanted: String, within length: Int) -> Bool {
        UnsafeRawBufferPointer(rebasing: prefix(length)).offset(of: Array(wanted.utf8)) != nil
    }

    /// The number behind the first (or last) `"name":`.
    fileprivate func number(behind name: String, last: Bool = false) -> UInt64? {
        let name = Array(name.utf8)
        var found: UInt64?
        var rest = self
        while let place = rest.offset(of: name) {
            rest = UnsafeRawBufferPointer(rebasing: rest[(place + name.count)...])
            var number: UInt64?
            for byte in rest.prefix(19) {
                guard (0x30...0x39).contains(byte) else { break }
                number = (number ?? 0) * 10 + UInt64(byte - 0x30)
            }
            found = number ?? found
            if !last, found != nil { break }
        }
        return found
    }
}
