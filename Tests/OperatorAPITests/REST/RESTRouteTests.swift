import Foundation
import Testing

@testable import OperatorAPI

@Suite struct RESTRouteTests {
    @Test("R01 the manual's table has every operation, and no other") func documented() throws {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let manual = try String(
            contentsOf: folder.appendingPathComponent("Documentation/build/rest.md"), encoding: .utf8)
        let documented = manual.split(separator: "\n").filter { $0.contains("| `/v1/") }.map { row in
            row.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
                .joined(separator: " ")
        }
        #expect(documented.sorted() == RESTRoute.all.map(\.title).sorted())
    }

    @Test("R03-S the OpenAPI document has every operation with its query, and no other") func described() throws {
        struct Document: Decodable {
            struct Operation: Decodable {
                struct Parameter: Decodable {
                    var ref: String?
                    var name: String?
                    private enum CodingKeys: String, CodingKey {
                        case ref = "$ref"
                        case name
                    }
                }
                var parameters: [Parameter]?
            }
            struct Components: Decodable {
                struct Parameter: Decodable {
                    var name: String
                    var `in`: String
                }
                var parameters: [String: Parameter]
            }
            var paths: [String: [String: Operation]]
            var components: Components
        }
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let document = try JSONDecoder().decode(
            Document.self, from: try Data(contentsOf: folder.appendingPathComponent("Web/openapi.json")))
        var described: [String: Set<String>] = [:]
        for (path, operations) in document.paths {
            for (method, operation) in operations {
                let queries = (operation.parameters ?? []).compactMap { parameter -> String? in
                    guard let ref = parameter.ref?.split(separator: "/").last else { return parameter.name }
                    let shared = document.components.parameters[String(ref)]
                    return shared?.in == "query" ? shared?.name : nil
                }
                described["\(method.uppercased()) \(path)"] = Set(queries).subtracting(["app"])
            }
        }
        let routes = Dictionary(uniqueKeysWithValues: RESTRoute.all.map { ($0.title, Set($0.query.keys)) })
        #expect(described == routes)
    }

    @Test("R01 the manual's tables have every compatible call, and no other") func documentedChat() throws {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let manual = try String(
            contentsOf: folder.appendingPathComponent("Documentation/build/compatible-rest.md"), encoding: .utf8)
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
