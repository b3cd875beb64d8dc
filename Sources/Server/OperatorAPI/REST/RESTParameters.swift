import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import RoomModel
import SignalProtocol

/// What a request says, as the parameters of a call: from its path, its query and its body.
struct RESTParameters {
    /// As much as a call may have.
    static let bodyLimit = 64 << 10

    private var fields: [String: Any] = [:]
    /// The body, if it says anything.
    private var object: Data?
    /// What stands in the path, the query or a header.
    private var apart: [String: ParameterApart] = [:]
    /// What came in the query, which has no types.
    private var asked: Set<String> = []
    private(set) var room: RoomID?
    /// The body of a route that takes one.
    private(set) var picture: [UInt8] = []

    /// - Throws: `invalid_params` with the field, `room_id_invalid`, `parse_error`.
    init(_ route: RESTRoute, _ request: Request, body: [UInt8]) throws(Refusal) {
        if route.takesPicture {
            picture = body
        } else {
            if route.needsBody, body.isEmpty { throw Refusal(RoomError(.invalidRequest, "the body is a JSON object")) }
            if route.hasBody { try take(body: body) }
        }
        try take(query: request, of: route)
        try take(path: request.uri.path, of: route)
        // As a header, as for every other request.
        set("key", request.headers[.idempotencyKey].map { .text($0) } ?? .absent)
    }

    /// What the operation asks for.
    func payload<Payload: CallPayload>(_: Payload.Type) throws(Refusal) -> Payload {
        do throws(RoomError) {
            return try PlainParameters(object: object, apart: apart).payload(Payload.self)
        } catch { throw Refusal(error) }
    }

    /// A command of a room.
    /// - Parameter fixed: what the operation itself says.
    func command(
        _ name: RoomCommand.Name, _ fixed: [String: ParameterApart] = [:]
    ) throws(Refusal) -> (room: RoomID, command: RoomCommand, key: IdempotencyKey?) {
        let apart = apart.merging(fixed) { _, fixed in fixed }
        do throws(RoomError) {
            return try PlainParameters(object: object, apart: apart).command(name)
        } catch { throw Refusal(error) }
    }

    private mutating func set(_ name: String, _ value: ParameterApart) {
        apart[name] = value
        switch value {
        case .text(let text): fields[name] = text
        case .number(let number): fields[name] = number
        case .absent: fields[name] = nil
        }
    }

    /// A number from the query within bounds.
    func number(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws(Refusal) -> Int {
        guard let value = fields[name] else { return fallback }
        guard let number = wholeNumber(value), range.contains(number) else {
            throw Refusal(.invalid(name, "\(name) is \(range.lowerBound)…\(range.upperBound)"))
        }
        return number
    }

    /// A text; `nil` if it is left out.
    func text(_ name: String) throws(Refusal) -> String? {
        guard let value = fields[name] else { return nil }
        guard let text = value as? String else { throw Refusal(.invalid(name, "\(name) is a text")) }
        return text
    }

    func has(_ name: String) -> Bool { fields[name] != nil }

    /// A list of texts; `nil` if it is left out.
    func texts(_ name: String) throws(Refusal) -> [String]? {
        guard let value = fields[name] else { return nil }
        guard let texts = value as? [String] else { throw Refusal(.invalid(name, "\(name) is a list of texts")) }
        return texts
    }

    /// An object of texts; `nil` if it is left out.
    func textsByName(_ name: String) throws(Refusal) -> [String: String]? {
        guard let value = fields[name] else { return nil }
        guard let texts = value as? [String: String] else {
            throw Refusal(.invalid(name, "\(name) is an object of texts"))
        }
        return texts
    }

    /// One of some words; `nil` if it is left out.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _: Choice.Type
    ) throws(Refusal) -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(.invalid(name, "\(name) is one of \(words)"))
        }
        return choice
    }

    /// The application that path or body name; `nil` if they do not.
    func application() throws(Refusal) -> ApplicationID? {
        guard has("app") else { return nil }
        guard let number = UInt32(exactly: try whole("app")), number > 0 else {
            throw Refusal(.invalid("app", "app is the number of an application"))
        }
        return ApplicationID(number)
    }

    func flag(_ name: String) throws(Refusal) -> Bool {
        guard let value = fields[name] else { return false }
        if asked.contains(name), let text = value as? String, text == "true" || text == "false" {
            return text == "true"
        }
        guard let flag = trueOrFalse(value) else { throw Refusal(.invalid(name, "\(name) is true or false")) }
        return flag
    }

    /// A whole number that must be given.
    func whole(_ name: String) throws(Refusal) -> Int64 {
        guard let value = fields[name] else { throw Refusal(.invalid(name, "the parameter \(name) is missing")) }
        guard let number = wholeNumber(value) else { throw Refusal(.invalid(name, "\(name) is a whole number")) }
        return Int64(number)
    }

    /// Where a page begins; `nil`: it is the first.
    func cursor() throws(Refusal) -> Int64? {
        guard has("cursor") else { return nil }
        let cursor = try whole("cursor")
        guard cursor > 0 else { throw Refusal(.invalid("cursor", "this is no cursor of a former page")) }
        return cursor
    }

    /// Under which a repeat is known.
    func idempotencyKey() throws(Refusal) -> IdempotencyKey? {
        guard let text = fields["key"] as? String else { return nil }
        guard let key = IdempotencyKey(text) else {
            throw Refusal(.invalid("key", "an Idempotency-Key is 1…64 printable ASCII characters"))
        }
        return key
    }

    /// Of a list.
    static let page = 1...1_000

    /// A person whom path or body name.
    func user(_ name: String = "user") throws(Refusal) -> UserID {
        guard let text = fields[name] as? String else {
            throw Refusal(.invalid(name, "the parameter \(name) is missing"))
        }
        guard let user = UserID(text) else { throw Refusal(RoomError(.userIDInvalid, field: name)) }
        return user
    }

    /// A person or a program, whom the query names; `nil` if it is left out.
    func author() throws(Refusal) -> UserID? {
        guard let text = try text("user") else { return nil }
        guard let author = UserID.author(text) else { throw Refusal(RoomError(.userIDInvalid, field: "user")) }
        return author
    }

    /// A room that the query names, as a person writes it; `nil` if it is left out.
    func roomAsked() throws(Refusal) -> RoomID? {
        guard let text = try text("room") else { return nil }
        guard let room = RoomSlug.id(text) else { throw Refusal(RoomError(.roomIDInvalid, field: "room")) }
        return room
    }

    private mutating func take(body: [UInt8]) throws(Refusal) {
        guard !body.isEmpty else { return }
        let value: Any
        do { value = try JSONSerialization.jsonObject(with: Data(body), options: [.fragmentsAllowed]) } catch {
            throw Refusal(RoomError(.parseError, "the body is no JSON"))
        }
        guard let object = value as? [String: Any] else {
            throw Refusal(RoomError(.invalidRequest, "the body is a JSON object"))
        }
        fields = object
        self.object = Data(body)
    }

    private mutating func take(query request: Request, of route: RESTRoute) throws(Refusal) {
        // Forms, browsers and most libraries write a space as a plus, and everybody a plus as %2B.
        let query = URI("/?" + (request.uri.query ?? "").replacing("+", with: "%20")).queryParameters
        for (name, isNumber) in route.query {
            guard let text = query[name[...]] else { continue }
            asked.insert(name)
            if isNumber {
                guard let number = Int(text) else { throw Refusal(.invalid(name, "\(name) is a number")) }
                set(name, .number(number))
            } else {
                set(name, .text(String(text)))
            }
        }
    }

    private mutating func take(path: String, of route: RESTRoute) throws(Refusal) {
        // Behind "v1".
        let parts = path.split(separator: "/").dropFirst()
        for (name, part) in zip(route.path.split(separator: "/"), parts) where name.hasPrefix("{") {
            let name = String(name.dropFirst().dropLast())
            switch name {
            case "room":
                guard let room = RoomSlug.room(part) else { throw Refusal(RoomError(.roomIDInvalid, field: "room")) }
                self.room = room
                switch room {
                case .number(let number): set(name, .number(Int(number)))
                case .string(let string): set(name, .text(string))
                }
            case "seat", "chat", "report", "app", "webhook":
                guard let number = Int(part), number >= 0 else {
                    throw Refusal(.invalid(name, "\(name) is a number"))
                }
                set(name, .number(number))
            default: set(name, .text(String(part).removingPercentEncoding ?? String(part)))
            }
        }
    }
}

extension HTTPField.Name {
    /// draft-ietf-httpapi-idempotency-key-header
    static let idempotencyKey = HTTPField.Name.known("Idempotency-Key")
}
