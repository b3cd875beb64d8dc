import DatagramIO
import Foundation
import ServerTestSupport
import Testing
import Wire

@testable import ServerApp

@Suite struct RightsCheckTests {
    @Test("R08-S root is told what it may do and the service may not: a low port, a key that only its owner reads")
    func rights() throws {
        let key = NSTemporaryDirectory() + "ovation-key-" + UUID().uuidString
        defer { for path in [key, key + ".link"] { try? FileManager.default.removeItem(atPath: path) } }
        try #require(FileManager.default.createFile(atPath: key, contents: Data()))
        try FileManager.default.createSymbolicLink(atPath: key + ".link", withDestinationPath: key)
        func sentences(port: Int, mode: Int, isRoot: Bool = true) throws -> [String] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
            var settings = ServerSettings()
            settings.port = port
            // As certbot leaves it.
            settings.tlsKey = key + ".link"
            let findings = Examination(settings).rights(isRoot: isRoot)
            #expect(findings.allSatisfy { $0.grade == .warning && $0.subject == "rights" && $0.advice != nil })
            return findings.map(\.sentence)
        }
        let (low, closed) = (try sentences(port: 443, mode: 0o640), try sentences(port: 8_443, mode: 0o600))
        #expect(low.count == 1 && low[0].contains("Port 443"))
        #expect(closed.count == 1 && closed[0].contains(key))
        #expect(try sentences(port: 443, mode: 0o400) == low + closed)
        #expect(try sentences(port: 1_024, mode: 0o644) == [])
        #expect(try sentences(port: 443, mode: 0o600, isRoot: false) == [])
    }
}

@Suite struct AddressCheckTests {
    private func grade(bound: [String] = [], stated: [String] = [], interfaces: [String]) -> (Finding.Grade, String)? {
        let findings = AddressCheck(
            bound: bound.compactMap(IPAddress.init(text:)), stated: stated.compactMap(IPAddress.init(text:)),
            interfaces: (interfaces + ["127.0.0.1", "::1"]).compactMap(IPAddress.init(text:))
        ).findings
        return findings.count == 1 ? (findings[0].grade, findings[0].sentence) : nil
    }

    @Test("R05-S whether clients are told an address that leads to the server from outside")
    func addresses() throws {
        #expect(try #require(grade(interfaces: ["203.0.113.7"])).0 == .fine)
        #expect(try #require(grade(stated: ["203.0.113.7"], interfaces: ["10.0.0.4"])).0 == .fine)
        #expect(try #require(grade(interfaces: ["10.0.0.4", "2001:db8::4"])).0 == .fine)
        for inside in [["10.0.0.4"], ["172.16.9.1"], ["172.31.9.1"], ["192.168.1.2"], ["100.64.0.9"], ["fd00::2"], []] {
            #expect(try #require(grade(interfaces: inside)).0 == .warning, "\(inside)")
        }
        #expect(try #require(grade(interfaces: ["172.32.0.1"])).0 == .fine)
        #expect(try #require(grade(interfaces: ["100.128.0.1"])).0 == .fine)
        #expect(try #require(grade(bound: ["10.0.0.4"], interfaces: ["10.0.0.4", "203.0.113.7"])).0 == .warning)
        #expect(try #require(grade(bound: ["10.0.0.5"], interfaces: ["10.0.0.4"])).0 == .problem)
        let loop = try #require(grade(stated: ["127.0.0.1"], interfaces: ["203.0.113.7"]))
        #expect(loop.0 == .problem && loop.1.contains("127.0.0.1"))
    }
}

extension WholeServerTests {
    @Suite(.serialized) struct ExaminationTests {
        private func subjects(_ findings: [Finding], _ grade: Finding.Grade) -> Set<String> {
            Set(findings.filter { $0.grade == grade }.map(\.subject))
        }

        @Test("R05-S R11-S where songs and pictures cannot be read, the examination says so and what to do")
        func files() async throws {
            var settings = ServerSettings()
            settings.data = NSTemporaryDirectory() + "ovation-none-" + UUID().uuidString
            settings.inspector = ServerProcess.executable.path
            #expect(!subjects(await Examination(settings).findings(), .warning).contains("uploads"))
            settings.inspector = "/nowhere/ovation"
            let found = await Examination(settings).findings().first { $0.subject == "uploads" }
            #expect(found?.grade == .warning && found?.sentence.contains("cannot be started") == true)
        }

        @Test("R05-S an application that the settings name and nobody has made is found before the server refuses it")
        func application() async throws {
            var settings = ServerSettings()
            settings.data = NSTemporaryDirectory() + "ovation-none-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: settings.data) }
            settings.signInGuests = true
            settings.signInApplication = 1_400_000_001
            let missing = await Examination(settings).findings().first { $0.subject == "sign-in" }
            #expect(missing?.grade == .problem && missing?.sentence.contains("1400000001") == true, "no data yet")
            let made = try await ApplicationAdmin(data: settings.data).create(name: "Salon", id: nil)
            #expect(await Examination(settings).findings().first { $0.subject == "sign-in" } == missing, "another one")
            settings.signInApplication = Int(made.id)
            #expect(await Examination(settings).findings().first { $0.subject == "sign-in" }?.grade == .fine)
        }

        @Test("R05-S a server that runs has its folder and its ports; beside it the same ports are somebody else's")
        func running() async throws {
            let (port, media) = (try FreePort.take(), try FreePort.take())
            try await TestServer.with(configure: {
                $0.port = port
                $0.mediaPort = media
            }) { server async throws in
                var settings = ServerSettings()
                settings.inspector = ServerProcess.executable.path
                settings.host = "127.0.0.1"
                settings.port = port
                settings.mediaPort = media
                settings.data = server.directory
                let own = await Examination(settings).findings()
                #expect(subjects(own, .problem).isEmpty, "\(own)")
                #expect(own.contains { $0.sentence.contains("A server runs on the data folder") })
                #expect(own.filter { $0.sentence.contains("in use, by the server") }.count == 3)

                settings.data = NSTemporaryDirectory() + "ovation-none-" + UUID().uuidString
                let other = await Examination(settings).findings()
                #expect(other.filter { $0.grade == .problem && $0.sentence.contains("another program") }.count == 3)
                // It was started with other ports than it is looked for at.
                settings.data = server.directory
                settings.port = try FreePort.take()
                let misled = await Examination(settings).findings()
                #expect(
                    misled.contains { $0.grade == .problem && $0.sentence.contains("not on TCP port \(settings.port)") }
                )
            }
        }

        @Test(
            "R05-S a file for a folder, a relay that is silent, a certificate that ends: each has its sentence and its advice"
        )
        func faults() async throws {
            let folder = NSTemporaryDirectory() + "ovation-doctor-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            func certificate(days: String) throws -> (String, String) {
                let (chain, key) = ("\(folder)/\(days).pem", "\(folder)/\(days).key")
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments = [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-subj",
                    "/CN=test", "-days", days, "-keyout", key, "-out", chain,
                ]
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                return (chain, key)
            }
            var settings = ServerSettings()
            settings.inspector = ServerProcess.executable.path
            settings.host = "127.0.0.1"
            settings.port = try FreePort.take()
            settings.mediaPort = try FreePort.take()
            settings.data = folder
            (settings.tlsCertificate, settings.tlsKey) = try certificate(days: "60")
            #expect(subjects(await Examination(settings).findings(), .problem).isEmpty)
            (settings.tlsCertificate, settings.tlsKey) = try certificate(days: "3")
            settings.mediaRelays = ["turn:127.0.0.1:\(try FreePort.take())?transport=tcp"]
            let findings = await Examination(settings).findings()
            #expect(findings.contains { $0.grade == .warning && $0.sentence.contains("ends in 2 days") })
            #expect(findings.contains { $0.grade == .problem && $0.subject == "relays" })
            #expect(findings.allSatisfy { ($0.grade == .fine) == ($0.advice == nil) })

            settings.tlsKey = folder + "/60.key"
            settings.data = settings.tlsCertificate
            let worse = subjects(await Examination(settings).findings(), .problem)
            #expect(worse.isSuperset(of: ["data", "certificate"]))
        }
    }
}
