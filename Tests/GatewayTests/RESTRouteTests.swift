import Foundation
import Testing

@testable import Gateway

@Suite struct RESTRouteTests {
    @Test("R01 the manual's table has every operation, and no other") func documented() throws {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        let manual = try String(contentsOf: folder.appendingPathComponent("Documentation/rest.md"), encoding: .utf8)
        let documented = manual.split(separator: "\n").filter { $0.contains("| `/v1/") }.map { row in
            row.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
                .joined(separator: " ")
        }
        #expect(documented == RESTRoute.all.map(\.title))
    }

    @Test("R01 the manual's tables have every compatible call, and no other") func documentedChat() throws {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        let manual = try String(
            contentsOf: folder.appendingPathComponent("Documentation/compatible-rest.md"), encoding: .utf8)
        var service = ""
        var documented: Set<String> = []
        let chat = manual.components(separatedBy: "## The room API")[0]
        for row in chat.split(separator: "\n") where row.hasPrefix("| ") {
            if row.hasPrefix("| command of `") {
                service = String(row.split(separator: "`")[1])
            } else if row.hasPrefix("| `") {
                documented.insert(service + "/" + row.split(separator: "`")[1])
            }
        }
        #expect(documented == Set(ChatCommands.Name.allCases.map(\.rawValue)))
    }

    @Test("R01 a key's text is read back, and opens that key alone") func keyText() throws {
        let text = OperatorKeyText()
        #expect(OperatorKeyText(text.text) == text && OperatorKeyText() != text)
        for wrong in ["", "ovk", "ovk_1_2", text.text + "0", "x" + text.text, text.text + "_"] {
            #expect(OperatorKeyText(wrong) == nil, "\(wrong)")
        }
    }
}
