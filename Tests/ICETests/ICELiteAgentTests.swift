import ICE
import NetworkSimulation
import SeededRandom
import Testing
import Timing
import Wire

/// The lite agent by itself, with checks made by hand.
@Suite struct ICELiteAgentTests {
    static let local = ICEAgentTests.credentials(11)
    static let remote = ICEAgentTests.credentials(12)

    static func path(_ last: UInt8) -> NetworkPath {
        NetworkPath(
            local: ICEAgentTests.server, remote: TransportAddress(ip: IPAddress(v4: 10, 0, 0, last), port: 5000))
    }

    static func time(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: 0) + .milliseconds(milliseconds) }

    static func check(
        nominates: Bool = false, password: String = local.password, name: String? = nil,
        _ extra: (inout STUNWriter) -> Void = { $0.addControlling(tieBreaker: 1) }
    ) -> [UInt8] {
        STUNMessageTests.write { buffer in
            var writer = STUNWriter(into: buffer, .request, transaction: STUNTransactionID(high: 1, low: 2))
            writer.addUsername(name ?? "\(local.ufrag):\(remote.ufrag)")
            writer.addPriority(1)
            extra(&writer)
            if nominates { writer.addUseCandidate() }
            return writer.finish(key: STUNIntegrityKey(password: password))
        } ?? []
    }

    /// Hands in a datagram and gives back what the agent answers.
    @discardableResult
    static func send(
        _ datagram: [UInt8], to agent: inout ICELiteAgent, from path: NetworkPath, at time: Instant
    ) -> (verdict: ICEVerdict, answer: [UInt8]?) {
        let verdict = datagram.withUnsafeBytes { agent.receive($0, path: path, at: time) }
        let answer = STUNMessageTests.write { agent.nextOutput(into: $0)?.length }
        return (verdict, answer)
    }

    @Test("an authentic check is answered with the address it came from, signed with our password")
    func answer() throws {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        let (verdict, answer) = Self.send(Self.check(), to: &agent, from: Self.path(1), at: Self.time(0))
        #expect(verdict == .authentic)
        let response = try #require(answer)
        let message = try #require(STUNMessageTests.parse(response))
        #expect(message.messageClass == .success)
        #expect(message.mappedAddress == Self.path(1).remote)
        #expect(STUNMessageTests.isAuthentic(response, Self.local.password))
        #expect(agent.isValidated(Self.path(1)))
        #expect(agent.selectedPath == nil)
    }

    @Test("a check under a name that only begins like ours is refused")
    func similarNames() {
        for name in [
            "\(Self.local.ufrag)", "\(Self.local.ufrag):", "\(Self.local.ufrag):\(Self.remote.ufrag)x",
            "\(Self.remote.ufrag):\(Self.local.ufrag)", "",
        ] {
            var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
            let (verdict, _) = Self.send(Self.check(name: name), to: &agent, from: Self.path(1), at: Self.time(0))
            #expect(verdict == .wrongCredentials, "\(name)")
            #expect(!agent.isValidated(Self.path(1)))
        }
    }

    @Test("what proves nothing gets an answer no longer than itself, or none")
    func noAmplification() {
        var random = SeededGenerator(seed: 3)
        for length in stride(from: 20, through: 120, by: 4) {
            var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
            // A well-formed request with an attribute of optional kind as filler.
            var request: [UInt8] = [0, 1, 0, UInt8(length - 20), 0x21, 0x12, 0xa4, 0x42]
            request += (0..<12).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if length > 20 {
                request += [0xc0, 0x57, 0, UInt8(length - 24)] + [UInt8](repeating: 0, count: length - 24)
            }
            let (verdict, answer) = Self.send(request, to: &agent, from: Self.path(1), at: Self.time(0))
            #expect(verdict == .wrongCredentials)
            #expect((answer?.count ?? 0) <= request.count)
        }
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        let forged = Self.check(password: "wrong")
        let (_, answer) = Self.send(forged, to: &agent, from: Self.path(1), at: Self.time(0))
        #expect(STUNMessageTests.parse(answer ?? [])?.errorCode == 401)
        #expect((answer?.count ?? 0) <= forged.count)
    }

    @Test("R05-S what proves itself gets an answer no longer than itself too, over IPv6 as over IPv4")
    func noAmplificationOfProof() {
        let server = TransportAddress(ip: IPAddress(high: 0, low: 1), port: 7882)
        let v6 = NetworkPath(local: server, remote: TransportAddress(ip: IPAddress(high: 0, low: 2), port: 5000))
        // The shortest names there may be (RFC 8839 §5.4).
        let local = ICECredentials(ufrag: "abcd", password: Self.local.password)
        let remote = ICECredentials(ufrag: "efgh", password: Self.remote.password)
        for path in [v6, Self.path(1)] {
            for attributes in 0..<8 {
                var agent = ICELiteAgent(local: local, remote: remote)
                let check =
                    STUNMessageTests.write { buffer in
                        var writer = STUNWriter(into: buffer, .request, transaction: STUNTransactionID(high: 1, low: 2))
                        writer.addUsername("\(local.ufrag):\(remote.ufrag)")
                        if attributes & 1 != 0 { writer.addPriority(1) }
                        if attributes & 2 != 0 { writer.addControlling(tieBreaker: 1) }
                        if attributes & 4 != 0 { writer.addUseCandidate() }
                        return writer.finish(key: STUNIntegrityKey(password: local.password))
                    } ?? []
                let (_, answer) = Self.send(check, to: &agent, from: path, at: Self.time(0))
                #expect((answer?.count ?? 0) <= check.count, "\(path.remote), \(attributes)")
                // What a browser sends is answered.
                if attributes & 3 == 3 { #expect(answer != nil) }
            }
        }
    }

    @Test("a peer that takes itself for controlled is told of the conflict")
    func roleConflict() {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        let check = Self.check { $0.addControlled(tieBreaker: 1) }
        let (verdict, answer) = Self.send(check, to: &agent, from: Self.path(1), at: Self.time(0))
        #expect(verdict == .authentic)
        #expect(STUNMessageTests.parse(answer ?? [])?.errorCode == 487)
        #expect(!agent.isValidated(Self.path(1)))
    }

    @Test("an unknown mandatory attribute is named in the answer")
    func unknownAttribute() throws {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        // UNKNOWN-ATTRIBUTES (0x000a) is known; rewrite its type to 0x0077 before the code is computed.
        let key = STUNIntegrityKey(password: Self.local.password)
        let request = try #require(
            STUNMessageTests.write { buffer in
                var writer = STUNWriter(into: buffer, .request, transaction: STUNTransactionID(high: 1, low: 2))
                writer.addUsername("\(Self.local.ufrag):\(Self.remote.ufrag)")
                let offset = 20 + 4 + (Self.local.ufrag.count + Self.remote.ufrag.count + 1 + 3) / 4 * 4
                writer.addUnknownAttributes([1, 2])
                buffer[offset + 1] = 0x77
                return writer.finish(key: key)
            })
        let (_, answer) = Self.send(request, to: &agent, from: Self.path(1), at: Self.time(0))
        let refusal = try #require(answer)
        #expect(STUNMessageTests.parse(refusal)?.errorCode == 420)
        #expect(refusal.indices.dropLast(1).contains { refusal[$0] == 0x00 && refusal[$0 + 1] == 0x77 })
        #expect(!agent.isValidated(Self.path(1)))
    }

    @Test("the newest nomination wins")
    func newestNomination() {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(1), at: Self.time(0))
        #expect(agent.selectedPath == Self.path(1))
        Self.send(Self.check(), to: &agent, from: Self.path(2), at: Self.time(10))
        #expect(agent.selectedPath == Self.path(1))
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(2), at: Self.time(20))
        #expect(agent.selectedPath == Self.path(2))
    }

    @Test("two paths nominated in turn do not make us flap; the one that media comes by wins")
    func contest() {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        var changes = 0
        var selected: NetworkPath?
        for round in 0..<20 {
            let path = Self.path(UInt8(1 + round % 2))
            Self.send(Self.check(nominates: true), to: &agent, from: path, at: Self.time(Int64(round) * 400))
            if agent.selectedPath != selected { changes += 1 }
            selected = agent.selectedPath
        }
        #expect(changes == 2)
        #expect(selected == Self.path(2))
        _ = agent.noteMedia(on: Self.path(1), at: Self.time(8_100))
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(1), at: Self.time(8_200))
        #expect(agent.selectedPath == Self.path(1))
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(2), at: Self.time(8_300))
        #expect(agent.selectedPath == Self.path(1))
    }

    @Test("a path that is nominated no more gives way to an old one that is nominated again")
    func backToOld() {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(1), at: Self.time(0))
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(2), at: Self.time(100))
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(1), at: Self.time(1_000))
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(1), at: Self.time(3_500))
        #expect(agent.selectedPath == Self.path(1))
    }

    @Test("checks with the old credentials choose nothing once the new ones have")
    func restartNomination() {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(1), at: Self.time(0))
        let fresh = (ICEAgentTests.credentials(21), ICEAgentTests.credentials(22))
        agent.restart(local: fresh.0, remote: fresh.1, at: Self.time(100))
        let newCheck = Self.check(
            nominates: true, password: fresh.0.password, name: "\(fresh.0.ufrag):\(fresh.1.ufrag)")
        Self.send(newCheck, to: &agent, from: Self.path(2), at: Self.time(200))
        #expect(agent.selectedPath == Self.path(2))
        let (verdict, _) = Self.send(
            Self.check(nominates: true), to: &agent, from: Self.path(3), at: Self.time(300))
        #expect(verdict == .authentic)
        #expect(agent.selectedPath == Self.path(2))
    }

    @Test("no more than eight paths are kept, and the one in use is never thrown out")
    func pathLimit() {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(1), at: Self.time(0))
        for last in UInt8(2)...60 {
            Self.send(Self.check(), to: &agent, from: Self.path(last), at: Self.time(Int64(last)))
        }
        #expect(agent.validatedPaths.count == ICELiteAgent.maximumPaths)
        #expect(agent.selectedPath == Self.path(1))
        #expect(agent.isValidated(Self.path(60)))
        #expect(!agent.isValidated(Self.path(2)))
    }

    @Test("media from a path without a check is not accepted")
    func unvalidatedMedia() {
        var agent = ICELiteAgent(local: Self.local, remote: Self.remote)
        Self.send(Self.check(nominates: true), to: &agent, from: Self.path(1), at: Self.time(0))
        let (stranger, known) = (
            agent.noteMedia(on: Self.path(2), at: Self.time(1)), agent.noteMedia(on: Self.path(1), at: Self.time(1))
        )
        #expect(!stranger)
        #expect(known)
    }
}
