import RoomModel
import SignalProtocol

/// The types of the wire for JavaScript: `Web/protocol/wire.js`, of what the decoders of the Swift types ask for.
struct WireTypes {
    /// Values of some name, and what each holds beside its own fields.
    private struct Map: Sendable {
        var name: String
        var about: String
        var direction: TypeRecorder.Direction
        var entries: [(name: String, type: any (Decodable & Sendable).Type, extra: String)]
    }

    private static let events = Map(
        name: "RoomEventMap", about: "The events of a room, by their types; those with `seq` are numbered.",
        direction: .sent,
        entries: EventType.allCases.map { type in
            switch type.form {
            case .numbered(let payload, _): (type.rawValue, payload, "seq: number, time: number")
            case .unnumbered(let payload, _): (type.rawValue, payload, "")
            }
        })
    private static let commandParameters = Map(
        name: "CommandParameters", about: "What each command of a room takes, beside `room` and `key`.",
        direction: .taken, entries: RoomCommand.Name.allCases.map { ($0.rawValue, $0.type, "") })
    private static let commandAnswers = Map(
        name: "CommandAnswers", about: "What each command of a room answers.", direction: .sent,
        entries: RoomCommand.Name.allCases.map { ($0.rawValue, CommandAnswer.type(of: $0.type.answer), "") })
    private static let callParameters = Map(
        name: "CallParameters", about: "What each other call takes.", direction: .taken,
        entries: CallName.allCases.map { ($0.rawValue, $0.type, "") })
    private static let callAnswers = Map(
        name: "CallAnswers", about: "What each other call answers.", direction: .sent,
        entries: CallName.allCases.map { ($0.rawValue, $0.answer.type, "") })
    /// Each of a list of names and decodable types; those of what clients send, which servers take, are `.taken`.
    private static let maps = [events, commandParameters, commandAnswers, callParameters, callAnswers]

    static func text() throws -> String {
        let recorders: [TypeRecorder.Direction: TypeRecorder] = [
            .sent: TypeRecorder(.sent), .taken: TypeRecorder(.taken),
        ]
        let maps = try maps.map { map in
            guard let recorder = recorders[map.direction] else { return "" }
            let lines = try map.entries.map { entry in
                // `type` tells which event it is, and is the name here.
                let fields = try recorder.fields(of: entry.type).filter {
                    !(map.name == "RoomEventMap" && $0.name == "type")
                }
                return " *   '\(entry.name)': \(object(fields, extra: entry.extra)),"
            }
            return "/**\n * \(map.about)\n * @typedef {{\n\(lines.joined(separator: "\n"))\n * }} \(map.name)\n */\n"
        }
        let objects = recorders.values.flatMap { $0.objects }.sorted { $0.key < $1.key }.map { name, fields in
            "/** @typedef {\(object(fields))} \(name) */"
        }
        return """
            // What servers take and send, as the Swift side reads it. Written by `make wire`; a test compares.

            \(objects.joined(separator: "\n"))

            \(maps.joined(separator: "\n"))
            export {};

            """
    }

    private static func object(_ fields: [TypeRecorder.Field], extra: String = "") -> String {
        let parts =
            (extra.isEmpty ? [] : [extra]) + fields.map { "\($0.name)\($0.isOptional ? "?" : ""): \($0.type)" }
        return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
    }
}
