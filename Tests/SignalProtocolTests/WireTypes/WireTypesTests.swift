import Foundation
import Testing

@Suite struct WireTypesTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Web/protocol/wire.js").standardized

    /// `make wire` writes the file.
    @Test("the web SDK's types of the wire are those that the Swift side reads") func types() throws {
        let types = try WireTypes.text()
        if ProcessInfo.processInfo.environment["OVATION_WIRE"] == "write" {
            try types.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == types, "make wire")
    }

    private struct Probe: Codable {
        enum Kind: String, Codable, CaseIterable { case plain, named }
        struct Inner: Codable { var ids: [String: [Int]] }

        var kind: Kind
        var name: String?
        var inner: Inner?

        private enum CodingKeys: String, CodingKey { case kind, name, inner, later }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            kind = try fields.decode(Kind.self, forKey: .kind)
            if kind == .named { name = try fields.decode(String.self, forKey: .name) }
            inner = try fields.decodeIfPresent(Inner.self, forKey: .inner)
            if inner == nil { _ = try fields.decode(Bool.self, forKey: .later) }
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(kind, forKey: .kind)
            try fields.encodeIfPresent(name, forKey: .name)
            try fields.encode(inner ?? Inner(ids: [:]), forKey: .inner)
            try fields.encode(inner == nil, forKey: .later)
        }
    }

    private func fields(_ direction: TypeRecorder.Direction) throws -> [String] {
        let recorder = TypeRecorder(direction)
        let fields = try recorder.fields(of: Probe.self).map { "\($0.name)\($0.isOptional ? "?" : ""): \($0.type)" }
        #expect(recorder.objects["Inner" + direction.rawValue]?.map(\.type) == ["Record<string, number[]>"])
        return fields.sorted()
    }

    @Test("what a decoder asks for on some ways only is optional where it is taken") func taken() throws {
        #expect(
            try fields(.taken) == ["inner?: InnerGiven", "kind: 'plain' | 'named'", "later?: boolean", "name?: string"])
    }

    @Test("what an encoder always writes is there, even if the decoder would do without it") func sent() throws {
        #expect(try fields(.sent) == ["inner: Inner", "kind: 'plain' | 'named'", "later: boolean", "name?: string"])
    }

    private enum ProbeKeys: String, CodingKey { case picture, users, limit, seats }

    private struct Refusing: Decodable {
        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: ProbeKeys.self)
            if try fields.decodeIfPresent(Data.self, forKey: .picture) != nil { throw CocoaError(.coderInvalidValue) }
            _ = try fields.decodeIfPresent(Int.self, forKey: .limit)
        }
    }

    private struct Choosing: Decodable {
        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: ProbeKeys.self)
            if try fields.decodeIfPresent([String].self, forKey: .users) == nil {
                _ = try fields.decodeIfPresent(Int.self, forKey: .limit)
            }
        }
    }

    private struct Counting: Decodable {
        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: ProbeKeys.self)
            if (try? fields.decodeIfPresent([Bool].self, forKey: .seats)) == nil {
                _ = try fields.decodeIfPresent(Int.self, forKey: .seats)
            }
        }
    }

    @Test("what a decoder asks for only where something else is missing, refused or no list is found too")
    func choices() throws {
        func fields(of type: any Decodable.Type) throws -> Set<String> {
            let fields = try TypeRecorder(.taken).fields(of: type)
            return Set(fields.map { "\($0.name)\($0.isOptional ? "?" : ""): \($0.type)" })
        }
        #expect(try fields(of: Refusing.self) == ["picture?: string", "limit?: number"])
        #expect(try fields(of: Choosing.self) == ["users?: string[]", "limit?: number"])
        #expect(try fields(of: Counting.self) == ["seats?: boolean[] | number"])
    }
}
