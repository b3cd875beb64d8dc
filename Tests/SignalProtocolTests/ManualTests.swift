import Foundation
import RoomModel
import Testing

@testable import SignalProtocol

/// Documentation/build/protocol.md and the code say the same.
@Suite struct ManualTests {
    private let manual: String

    init() throws {
        let path = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("../../Documentation/build/protocol.md").standardized.path
        manual = try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("every call that the server knows is in the manual's tables, and no other")
    func methods() {
        let rows = manual.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("| `"), let end = line.dropFirst(3).firstIndex(of: "`") else { return nil }
            let name = String(line.dropFirst(3)[..<end])
            return name.contains(".") && !name.contains(" ") && !name.contains("/") ? name : nil
        }
        #expect(Set(rows) == Set(Method.allCases.map(\.rawValue)))
    }

    @Test("every type of event is explained in the manual")
    func events() {
        for type in EventType.allCases.map(\.rawValue) + ["session.expiring", "session.closed"] {
            #expect(manual.contains("`\(type)"), "\(type)")
        }
    }
}
