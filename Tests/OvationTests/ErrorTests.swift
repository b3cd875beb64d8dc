import Foundation
import NIOCore
import RoomModel
import SignalProtocol
import Synchronization
import Testing

@testable import Ovation

/// Every documented error reaches whoever uses the SDK.
@Suite(.timeLimit(.minutes(1))) struct ErrorTests {
    private let server = FakeServer()

    @Test(
        "V17-K every refusal of the manual reaches the caller with its name, number and sentence",
        arguments: RoomError.Code.allCases)
    func refusals(_ code: RoomError.Code) throws {
        server.on(.profileGet) { _ in
            .refuse(RoomError(code, "said by the server", retryAfterMs: 1_500, field: "f", reason: "r"))
        }
        let conversation = server.signedIn()
        let ends = Mutex<[OvationError]>([])
        conversation.perform(.getProfiles(["alice"]), timeout: .seconds(5)) { result in
            if case .failure(let error) = result { ends.withLock { $0.append(error) } }
        }
        server.run()
        let error = try #require(ends.withLock { $0 }.first)
        #expect(error.name == code.name && Int(error.code) == code.number && error.is(code))
        #expect(error.message == "said by the server" && error.retryAfter == .milliseconds(1_500))
        #expect(error.field == "f" && error.reason == "r")
        #expect(RoomError.Code.allCases.count { error.is($0) } == 1)
    }

    @Test("V13-K a device says by which routes it plays, and refuses any other by name and number")
    func routes() throws {
        #expect(RoomAudio.routes == [.speaker])
        for route in RoomAudio.Route.allCases {
            if RoomAudio.routes.contains(route) {
                try RoomAudio.check(route)
            } else {
                let error = #expect(throws: OvationError.self) { try RoomAudio.check(route) }
                #expect(error?.is(.notSupported) == true && error?.code == -15)
            }
        }
    }

    @Test("V17-K every refusal over HTTP has its name and number too", arguments: RoomError.Code.allCases)
    func httpRefusals(_ code: RoomError.Code) {
        let body = #"{"error":{"code":\#(code.number),"name":"\#(code.name)","message":"m"}}"#
        let answer = HTTPAnswer(status: 400, body: ByteBuffer(string: body))
        #expect(answer.refusal.map { $0.is(code) && Int($0.code) == code.number } ?? false)
    }

    @Test(
        "V17-K a refused return ends the session with its reason where nothing mends it; else it is shown and tried again",
        arguments: RoomError.Code.allCases)
    func ends(_ code: RoomError.Code) {
        let conversation = server.signedIn()
        server.log.clear()
        server.on(.sessionOpen) { _ in .refuse(RoomError(code)) }
        server.drop()
        server.pass(.seconds(2))
        let isFinal = [
            RoomError.Code.appUnknown, .userIDInvalid, .ticketEmpty, .ticketFailed, .ticketExpired, .ticketNotYetValid,
            .sessionExpired, .sessionReplaced, .bannedHere, .bannedHereForGood, .nameTaken, .invalidParams,
            .methodNotFound,
        ].contains(code)
        switch server.outlet.state.value.phase {
        case .signedOut(let error):
            #expect(isFinal && error?.is(code) == true)
            #expect(server.log.all.count { $0.hasPrefix("signedOut") } == 1)
            // And whoever asks from then on is told the same.
            let told = Mutex<OvationError?>(nil)
            conversation.perform(.readClock, timeout: .seconds(1)) { result in
                if case .failure(let error) = result { told.withLock { $0 = error } }
            }
            #expect(told.withLock { $0 }?.is(code) == true)
        case .reconnecting(let error, _): #expect(!isFinal && error.is(code))
        default: Issue.record("\(server.outlet.state.value.phase)")
        }
    }

    @Test("V17-K each failure of this side has a name and a number of its own, as the documentation has it")
    func ownFailures() throws {
        let names = OvationError.Name.allCases
        #expect(Set(names.map(\.text)).count == names.count)
        var root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let source = try String(
            contentsOf: root.appending(path: "Sources/Client/Ovation/Client/OvationError.swift"), encoding: .utf8)
        var documented: [String: Int32] = [:]
        for row in source.matches(of: /\/\/\/ \| `(\w+)` \| (-\d+) \|/) { documented[String(row.1)] = Int32(row.2) }
        #expect(Dictionary(uniqueKeysWithValues: names.map { ($0.text, OvationError($0).code) }) == documented)
        #expect(Set(documented.values).count == names.count)
        for name in names {
            #expect(OvationError(name).is(name) && RoomError.Code(name: name.text) == nil)
            #expect(!OvationError(name).message.isEmpty)
        }
    }
}
