import Foundation
import RoomModel
import Testing

@Suite struct ErrorTableTests {
    @Test("the error table of the manual and the code's are the same") func manualAgrees() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let manual = try String(
            contentsOf: root.appendingPathComponent("Documentation/build/protocol.md"), encoding: .utf8)
        var documented: [String: Int] = [:]
        for line in manual.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let number = Int(cells[1]) else { continue }
            documented[cells[0].replacingOccurrences(of: "`", with: "")] = number
        }
        let known = Dictionary(uniqueKeysWithValues: RoomError.Code.allCases.map { ($0.name, $0.number) })
        #expect(documented == known)
    }

    @Test("a code is found by its name, and only by its name", arguments: RoomError.Code.allCases)
    func byName(_ code: RoomError.Code) {
        #expect(RoomError.Code(name: code.name)?.number == code.number)
        #expect(RoomError.Code(name: code.name.uppercased()) == nil)
        #expect(!code.meaning.isEmpty)
    }

    @Test("codes that share a number are still different codes") func sharedNumbers() {
        #expect(RoomError.Code.ticketExpired.number == RoomError.Code.ticketFailed.number)
        #expect(RoomError.Code.ticketExpired != .ticketFailed)
    }
}
