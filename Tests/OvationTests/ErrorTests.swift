import Foundation
import NIOCore
import RoomModel
import SignalProtocol
import Synchronization
import Testing

@testable import Ovation

/// Every documented error reaches whoever uses the SDK.
@Suite(.timeLimit(.minutes(10))) struct ErrorTests {
    private let server = FakeServer()

    @Test(
        "V17-K every refusal of the manual reaches the caller with its name, number and sentence",
        arguments: RoomError.Code.allCases)
    func refusals(_ code: RoomError.Code) throws {
        server.on(.call(.profileGet)) { _ in
            .refuse(RoomError(code, "said by the server", retryAfterMs: 1_500, field: "f", reason: "r"))
        }
        let conversation = server.signedIn()
        let ends = Mutex<[OvationError]>([])
        conversation.perform(.getProfiles(GetProfiles(["alice"])), timeout: .seconds(5)) { result in
            if case .failure(let error) = result { ends.withLock { $0.append(error) } }
        }
        server.run()
        let error = try #require(ends.withLock { $0 }.first)
        #expect(error.code == OvationError.Code(code) && error.code.rawValue == code.name)
        #expect(Int(error.number) == code.number)
        #expect(error.message == "said by the server" && error.retryAfter == .milliseconds(1_500))
        #expect(error.field == "f" && error.reason == "r")
        #expect(RoomError.Code.allCases.count { error.code == OvationError.Code($0) } == 1)
    }

    @Test("V13-K a device says by which routes it plays, and refuses any other by name and number")
    func routes() throws {
        #expect(RoomAudio.routes == [.speaker])
        for route in RoomAudio.Route.allCases {
            if RoomAudio.routes.contains(route) {
                try RoomAudio.check(route)
            } else {
                let error = #expect(throws: OvationError.self) { try RoomAudio.check(route) }
                #expect(error?.code == .notSupported && error?.number == -15)
            }
        }
    }

    @Test("G06-K whoever is put out hears for how long and of whose room, as if they came back at once")
    func putOut() {
        func error(_ kind: RestrictionKind, until: Int64?, at time: Int64? = 1_000) -> OvationError {
            let restriction = Restriction(kind, user: "bob", name: "Bob", until: until, by: "carol", reason: "noise")
            return OvationError(restriction, by: "Alice", at: time)
        }
        let ban = error(.ban, until: 61_000)
        #expect(ban.code == .banned && ban.reason == "Alice" && ban.retryAfter == .seconds(60))
        #expect(ban.message == "carol put this user out of the room: noise")
        #expect(error(.ban, until: 1_000).retryAfter == .zero && error(.ban, until: .min).retryAfter == .zero)
        #expect(error(.ban, until: .max, at: .min).retryAfter.map { $0 > .zero } == true)
        #expect(error(.ban, until: 61_000, at: nil).retryAfter == nil)
        let forGood = error(.ban, until: nil)
        #expect(forGood.code == .bannedForGood && forGood.reason == "Alice" && forGood.retryAfter == nil)
        let other = error(.unknown("quarantine"), until: 61_000)
        #expect(other.code == .permissionDenied && other.reason == nil && other.retryAfter == nil)
    }

    @Test("V17-K every refusal over HTTP has its name and number too", arguments: RoomError.Code.allCases)
    func httpRefusals(_ code: RoomError.Code) {
        let body = #"{"error":{"code":\#(code.number),"name":"\#(code.name)","message":"m"}}"#
        let answer = HTTPAnswer(status: 400, body: ByteBuffer(string: body))
        #expect(answer.refusal.map { $0.code == OvationError.Code(code) && Int($0.number) == code.number } ?? false)
    }

    @Test(
        "V17-K a refused return ends the session with its reason where nothing mends it; else it is shown and tried again",
        arguments: RoomError.Code.allCases)
    func ends(_ code: RoomError.Code) {
        let conversation = server.signedIn()
        server.log.clear()
        server.on(.call(.sessionOpen)) { _ in .refuse(RoomError(code)) }
        server.drop()
        server.pass(.seconds(2))
        let isFinal = [
            RoomError.Code.appUnknown, .userIDInvalid, .ticketEmpty, .ticketFailed, .ticketExpired, .ticketNotYetValid,
            .sessionExpired, .sessionReplaced, .bannedHere, .bannedHereForGood, .nameTaken, .invalidParams,
            .methodNotFound,
        ].contains(code)
        switch server.outlet.state.value.phase {
        case .signedOut(let error):
            #expect(isFinal && error?.code == OvationError.Code(code))
            #expect(server.log.all.count { $0.hasPrefix("signedOut") } == 1)
            // And whoever asks from then on is told the same.
            let told = Mutex<OvationError?>(nil)
            conversation.perform(.readClock, timeout: .seconds(1)) { result in
                if case .failure(let error) = result { told.withLock { $0 = error } }
            }
            #expect(told.withLock { $0 }?.code == OvationError.Code(code))
        case .reconnecting(let error, _): #expect(!isFinal && error.code == OvationError.Code(code))
        default: Issue.record("\(server.outlet.state.value.phase)")
        }
    }

    @Test("V17-K each failure of this side has a code and a number of its own, as the documentation has it")
    func ownFailures() throws {
        let documented = try rows(of: "OvationError.swift", /\/\/\/ \| `(\w+)` \| (-\d+) \|/)
        #expect(Set(documented.map(\.1)).count == documented.count && documented.count > 10)
        for (name, number) in documented {
            let error = OvationError(OvationError.Code(rawValue: name))
            #expect(error.number == Int32(number) && RoomError.Code(name: name) == nil)
            #expect(!error.message.isEmpty && error.message != name)
        }
        let named = try rows(of: "OvationError+Code.swift", /static let (\w+) = Code\(rawValue: "(\w+)"\)/).map(\.1)
        #expect(named.sorted() == documented.map(\.0).sorted())
    }

    @Test("V17-K every refusal of the manual has a code to compare with")
    func named() throws {
        let named = try rows(of: "OvationError+Code.swift", /static let (\w+) = Code\(\.(\w+)\)/)
        #expect(named.allSatisfy { $0.0 == $0.1 })
        #expect(Set(named.map(\.0)).count == RoomError.Code.allCases.count)
    }

    @Test("V17-K a code of a newer server is kept, and compared by its word")
    func newer() {
        let error = OvationError(OvationError.Code(rawValue: "too_loud"))
        #expect(error.code == OvationError.Code(rawValue: "too_loud") && "\(error.code)" == "too_loud")
    }

    private func rows(
        of file: String, _ pattern: Regex<(Substring, Substring, Substring)>
    ) throws -> [(String, String)] {
        var root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let source = try String(
            contentsOf: root.appending(path: "Sources/Client/Ovation/Client/\(file)"), encoding: .utf8)
        return source.matches(of: pattern).map { (String($0.1), String($0.2)) }
    }
}
