import RoomModel

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
    /// Each of a list of names and decodable types; those of what clients send, which servers take, are `.taken`.
    private static let maps = [events]

    static func text() throws -> String {
        var objects: [String] = []
        let maps = try maps.map { map in
            let recorder = TypeRecorder(map.direction)
            let lines = try map.entries.map { entry in
                // `type` tells which event it is, and is the name here.
                let fields = try recorder.fields(of: entry.type).filter { $0.name != "type" }
                return " *   '\(entry.name)': \(object(fields, extra: entry.extra)),"
            }
            objects += recorder.objects.sorted { $0.key < $1.key }.map { name, fields in
                "/** @typedef {\(object(fields))} \(name) */"
            }
            return "/**\n * \(map.about)\n * @typedef {{\n\(lines.joined(separator: "\n"))\n * }} \(map.name)\n */\n"
        }
        return """
            // What servers send, as the Swift side reads it. Written by `make wire`; a test compares.

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
