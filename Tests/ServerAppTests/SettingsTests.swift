import Foundation
import Testing

@testable import ServerApp

@Suite struct SettingsTests {
    private func read(_ yaml: String, environment: [String: String] = [:], flags: [String: [String]] = [:]) throws
        -> ServerSettings
    {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".yml"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try yaml.write(toFile: path, atomically: true, encoding: .utf8)
        return try SettingsReader.read(file: path, environment: environment, flags: flags)
    }

    private func failure(_ yaml: String, environment: [String: String] = [:], flags: [String: [String]] = [:]) -> String
    {
        do {
            _ = try read(yaml, environment: environment, flags: flags)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test("R05-S the commented settings file says exactly the defaults, every one of them")
    func defaults() throws {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("../../Configuration/ovation.yml").standardized.path
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try read(text) == ServerSettings())
        // Each key stands in the file: one that is changed away from its default must be found there.
        for key in SettingKey.all {
            let leaf = key.name.split(separator: ".").last.map(String.init) ?? ""
            #expect(text.contains("\(leaf):"), "\(key.name) is not in the file")
            var settings = ServerSettings()
            let isSet = key.set(&settings, key.values(ServerSettings()))
            #expect(isSet && settings == ServerSettings(), "\(key.name)")
        }
    }

    @Test("R05-S flags win over the environment, the environment over the file")
    func precedence() throws {
        let yaml = "port: 1\nmedia:\n  port: 2\nproxies:\n  trusted: [10.0.0.1, 10.0.0.2]\n"
        #expect(try read(yaml).port == 1)
        #expect(try read(yaml).proxiesTrusted == ["10.0.0.1", "10.0.0.2"])
        let environment = ["OVATION_PORT": "3", "OVATION_PROXIES_TRUSTED": "10.0.0.3, 10.0.0.4", "HOME": "/root"]
        #expect(try read(yaml, environment: environment).port == 3)
        #expect(try read(yaml, environment: environment).proxiesTrusted == ["10.0.0.3", "10.0.0.4"])
        let flagged = try read(
            yaml, environment: environment, flags: ["port": ["4"], "media.bind": ["::1", "127.0.0.1"]])
        #expect(flagged.port == 4 && flagged.mediaPort == 2 && flagged.mediaBind == ["::1", "127.0.0.1"])
        #expect(try read("").port == 8080)
        #expect(try read("# nothing but a comment\n").port == 8080)
        #expect(try read("tls:\nport: 9\n").port == 9)
    }

    @Test(
        "R05-S what is wrong is said with its line and column, and what may have been meant",
        arguments: [
            ("port: 80\nprot: 81\n", ":2:1", "prot (did you mean port?)"),
            ("media:\n  prot: 81\n", ":2:3", "media.prot (did you mean media.port?)"),
            ("port: eighty\n", ":1:7", "a number from 0 to 65535"),
            ("port: 70000\n", ":1:7", "70000"),
            ("port: [1, 2]\n", ":1:7", "port must be"),
            ("sign_in:\n  guests: maybe\n", ":2:11", "true or false"),
            ("log:\n  level: loud\n", ":2:10", "one of trace"),
            ("port: 1\nport: 2\n", "", "port"),
            ("tls: on\n", ":1:6", "tls must be a mapping"),
            ("port: 1\n  x: [\n", ":", ""),
            ("tls:\n  certificate: a.pem\n", "", "tls.key"),
            ("public_url: salon.example\n", "", "https://"),
            ("media:\n  relays: [relay.example]\n", "", "one is relay.example"),
            ("media:\n  relays: ['turn:relay.example']\n", "", "media.relay_secret is missing"),
            ("port: 443\nmedia:\n  tcp_port: 443\n", "", "media.tcp_port and port are both 443"),
            ("port: 7882\n", "", "set media.tcp to false"),
            ("sign_in:\n  guests: true\n", "", "sign_in.application"),
        ])
    func mistakes(yaml: String, place: String, word: String) {
        let sentence = failure(yaml)
        #expect(sentence != "accepted")
        #expect((place.isEmpty || sentence.contains(place)) && (word.isEmpty || sentence.contains(word)), "\(sentence)")
    }

    @Test("R05-S an unknown or wrong variable or flag is named")
    func otherSources() {
        #expect(failure("", environment: ["OVATION_PROT": "1"]).contains("OVATION_PROT (did you mean OVATION_PORT?)"))
        #expect(failure("", environment: ["OVATION_PORT": "x"]).contains("OVATION_PORT must be a number"))
        #expect(failure("", flags: ["port": ["x"]]).contains("--port must be a number"))
    }

    @Test("R05-S what the manual exports for other commands is no wrong setting of a server in the same shell")
    func othersVariables() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        var named: Set<String> = []
        for folder in ["Documentation", "Examples"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) {
                guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
                named.formUnion(text.matches(of: /OVATION_[A-Z_]*[A-Z]/).map { String($0.output) })
            }
        }
        let settings = Set(SettingKey.all.map(\.environmentName))
        let others = named.subtracting(settings)
        #expect(others.isSuperset(of: ["OVATION_KEY", "OVATION_OPERATOR_KEY"]))
        for name in others.sorted() where !Self.ofTests.contains(name) {
            #expect(failure("", environment: [name: ""]) == "accepted", "\(name)")
        }
    }

    /// For our own tests and benchmarks, which start servers without them.
    private static let ofTests: Set = ["OVATION_MUTANT"]

    @Test("names of settings in the environment and as flags follow from their names in the file")
    func names() throws {
        let key = try #require(SettingKey.named("tls.certificate"))
        #expect(key.environmentName == "OVATION_TLS_CERTIFICATE" && key.flagName == "--tls-certificate")
        #expect(Set(SettingKey.all.map(\.environmentName)).count == SettingKey.all.count)
    }
}
