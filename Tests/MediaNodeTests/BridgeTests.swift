internal import DatagramIO
internal import Forwarding
internal import MediaTestSupport
internal import PeerSession
import RoomModel
internal import RoomPorts
internal import Synchronization
internal import Testing
internal import Timing
internal import Wire

@testable internal import MediaNode

/// Live rooms of two seats that see and hear each other's host, on one worker or each on its own.
@Suite(.serialized, .timeLimit(.minutes(10))) struct BridgeTests {
    private static let bridge = BridgeID(rawValue: "1/2/3")
    private static let seats = 2
    /// Slots and pictures of guests, as offers count them.
    private static func slot(_ place: Int) -> Int { seats + place }
    private static func picture(_ place: Int) -> Int { seats + 1 + place }

    /// A room with its host on the first seat, and a viewer.
    private struct Room {
        let party: Party
        let stage: StageID
        let host: TestClient
        let viewer: TestClient

        init(_ party: Party, _ number: UInt64) async throws {
            self.party = party
            stage = StageID(rawValue: number)
            if stage != party.stage { party.node.openStage(stage, slots: seats, kind: .live(.vp8)) }
            host = try await party.joined(
                number * 10, slots: seats + 3, pictures: seats + 4, hasCamera: true, on: stage)
            viewer = try await party.joined(
                number * 10 + 1, slots: seats + 3, pictures: seats + 4, hasCamera: true, on: stage)
            await party.assign(0, host, on: stage)
        }

        func open(_ bridge: BridgeID = BridgeTests.bridge, place: Int = 0, muted: Bool = false) async {
            await withCheckedContinuation { continuation in
                party.node.openBridge(bridge, place: place, muted: muted, on: stage) { continuation.resume() }
            }
        }

        func close(_ bridge: BridgeID = BridgeTests.bridge) async {
            await withCheckedContinuation { continuation in
                party.node.closeBridge(bridge, on: stage) { continuation.resume() }
            }
        }

        var people: [TestClient] { [host, viewer] }
    }

    @Test("L02-S L04-S who cannot show the format of linked rooms sees the other one's host in VP8")
    func spare() async throws {
        let party = try await Party(slots: Self.seats, kind: .live(.h264)) { $0.workers = 2 }
        let right = StageID(rawValue: party.stage.rawValue + 1)
        party.node.openStage(right, slots: Self.seats, kind: .live(.h264))
        let host = try party.client(1, slots: Self.seats + 3)
        (host.hasCamera, host.isCameraSpare) = (true, true)
        try await host.negotiate(with: party.node)
        await party.run { host.isConnected && party.isTold(MediaFact.connected, of: host) }
        await party.assign(0, host)
        // Nobody at home needs it.
        let viewer = try await party.joined(2, slots: Self.seats + 3, pictures: Self.seats + 4, on: right)
        for stage in [party.stage, right] {
            await withCheckedContinuation { opened in
                party.node.openBridge(Self.bridge, place: 0, muted: false, on: stage) { opened.resume() }
            }
        }
        await party.run {
            host.film([1], isKeyFrame: true)
            return viewer.frames(on: Self.picture(0)).last == [1]
        }
        let wanted = CameraWish(layer: .high, spare: true)
        await party.run {
            host.film([2], isKeyFrame: true)
            return party.facts.all.contains(.cameraWanted(party.stage, host.id, wanted))
        }
    }

    private func party(workers: Int) async throws -> (Party, Room, Room) {
        let party = try await Party(slots: Self.seats, kind: .live(.vp8)) { $0.workers = workers }
        let left = try await Room(party, party.stage.rawValue)
        let right = try await Room(party, party.stage.rawValue + 1)
        return (party, left, right)
    }

    /// Until what `host` sends is seen and heard by everybody in the other room.
    private func reach(_ other: Room, from host: TestClient, _ party: Party, place: Int = 0) async {
        let seen = other.people.map { $0.frames(on: Self.picture(place)).count }
        await party.run {
            host.film([1], isKeyFrame: true)
            host.speak([1])
            return zip(other.people, seen).allSatisfy {
                $0.frames(on: Self.picture(place)).count > $1 && !$0.payloads(on: Self.slot(place)).isEmpty
            }
        }
    }

    @Test(
        "L04-S each room sees and hears the other one's host once both have opened the bridge, and nobody else of it",
        arguments: [1, 3])
    func both(workers: Int) async throws {
        let (party, left, right) = try await party(workers: workers)
        if workers > 1 {
            #expect(left.host.media?.mediaPath?.remote.port != right.host.media?.mediaPath?.remote.port)
        }
        #expect(left.host.answer?.pictures.map(\.view).suffix(3) == [.guest(0), .guest(1), .guest(2)])
        #expect(left.host.answer?.slots.map(\.sound).suffix(3) == [.guest(0), .guest(1), .guest(2)])
        await left.open(place: 0)
        left.host.film([9], isKeyFrame: true)
        left.host.speak([9])
        await party.counts { $0.pictures.forwarded > 0 && $0.audio.forwarded > 0 }
        // A third room that names the bridge alike is not let in.
        await right.open(place: 2)
        let third = try await Room(party, party.stage.rawValue + 2)
        await third.open()
        // Somebody else on stage, who is no host.
        await party.assign(1, left.viewer, on: left.stage)
        left.viewer.film([8], isKeyFrame: true)
        left.viewer.speak([8])
        await reach(right, from: left.host, party, place: 2)
        await reach(left, from: right.host, party, place: 0)
        for client in right.people {
            #expect(client.frames(on: Self.picture(2)).allSatisfy { $0 == [1] })
            #expect(client.payloads(on: Self.slot(2)).allSatisfy { $0 == [1] })
            #expect(client.seen[Self.picture(2)]?.isUnbroken == true)
        }
        #expect(third.people.allSatisfy { $0.seen.isEmpty && $0.heard.isEmpty })
        #expect(left.host.frames(on: Self.picture(2)).isEmpty, "nobody comes back to where they are from")
    }

    @Test(
        "L04-S the end of a bridge is confirmed when nothing of it can be seen or heard in either room any more",
        arguments: [1, 3])
    func close(workers: Int) async throws {
        let (party, left, right) = try await party(workers: workers)
        for round in UInt8(0)..<3 {
            await left.open()
            await right.open()
            await reach(right, from: left.host, party)
            await reach(left, from: right.host, party)
            for number in UInt8(0)..<20 {
                for host in [left.host, right.host] {
                    host.film([100 + round, number], isKeyFrame: true)
                    host.speak([100 + round, number])
                }
            }
            await (round == 1 ? left : right).close()
            // What was confirmed has left: it lies in the clients' sockets.
            await party.run { true }
            let people = left.people + right.people
            let counts = people.map { ($0.frames(on: Self.picture(0)).count, $0.payloads(on: Self.slot(0)).count) }
            for _ in 0..<20 {
                for host in [left.host, right.host] {
                    host.film([200], isKeyFrame: true)
                    host.speak([200])
                }
            }
            // At home they are seen all the same.
            await party.run {
                left.viewer.frames(on: 0).contains([200]) && right.viewer.frames(on: 0).contains([200])
            }
            await party.rest()
            await party.run { true }
            for (client, count) in zip(people, counts) {
                // What came too much tells which way it took.
                #expect(client.frames(on: Self.picture(0)).dropFirst(count.0).isEmpty)
                #expect(
                    client.payloads(on: Self.slot(0)).dropFirst(count.1).filter { $0 != TestClient.silence }.isEmpty)
            }
            await (round == 1 ? right : left).close()
        }
    }

    @Test(
        "L04-S V06-S who is demoted, muted or closed at home is silent in the other room when that is confirmed",
        arguments: [1, 3], [0, 1, 2, 3])
    func cut(workers: Int, how: Int) async throws {
        let (party, left, right) = try await party(workers: workers)
        await left.open()
        await right.open()
        await reach(right, from: left.host, party)
        for number in UInt8(0)..<30 {
            left.host.film([7, number], isKeyFrame: true)
            left.host.speak([7, number])
        }
        switch how {
        case 0: await party.assign(0, nil, on: left.stage)
        case 1: await party.assign(0, left.host, muted: true, dark: true, on: left.stage)
        // The camera alone: no cut of sound goes along.
        case 2: await party.assign(0, left.host, dark: true, on: left.stage)
        default:
            await withCheckedContinuation { continuation in
                party.node.closePeer(left.host.id, on: left.stage) { continuation.resume() }
            }
        }
        await party.run {
            how == 2 || right.people.allSatisfy { $0.payloads(on: Self.slot(0)).last == TestClient.silence }
        }
        let counts = right.people.map { ($0.frames(on: Self.picture(0)).count, $0.payloads(on: Self.slot(0)).count) }
        for number in UInt8(0)..<30 {
            left.host.film([200, number], isKeyFrame: true)
            left.host.speak([200, number])
        }
        _ = await party.node.counters()
        await party.rest()
        await party.run { true }
        for (client, count) in zip(right.people, counts) {
            #expect(client.frames(on: Self.picture(0)).count == count.0)
            if how != 2 { #expect(client.payloads(on: Self.slot(0)).count == count.1) }
        }
    }

    @Test("L04-S a host who mutes the other one is seen on, and heard at home; it takes one room's silence, not both")
    func mute() async throws {
        let (party, left, right) = try await party(workers: 3)
        await left.open()
        await right.open()
        await reach(right, from: left.host, party)
        await reach(left, from: right.host, party)
        for _ in 0..<20 { left.host.speak([2]) }
        await right.open(muted: true)
        await party.run { right.people.allSatisfy { $0.payloads(on: Self.slot(0)).last == TestClient.silence } }
        let heard = right.people.map { $0.payloads(on: Self.slot(0)).count }
        let seen = right.people.map { $0.frames(on: Self.picture(0)).count }
        await party.run {
            left.host.speak([3])
            left.host.film([3], isKeyFrame: true)
            return left.viewer.payloads(on: 0).contains([3])
                && zip(right.people, seen).allSatisfy { $0.frames(on: Self.picture(0)).count > $1 }
        }
        #expect(right.people.map { $0.payloads(on: Self.slot(0)).count } == heard)
        await reach(left, from: right.host, party)
        await right.open(muted: false)
        await party.run {
            left.host.speak([4])
            return right.people.allSatisfy { $0.payloads(on: Self.slot(0)).last == [4] }
        }
    }

    @Test(
        "L04-S what the other room's viewers need reaches the host: a key frame, and the layers that they want",
        arguments: [1, 3])
    func wishes(workers: Int) async throws {
        let (party, left, right) = try await party(workers: workers)
        left.host.film([4], isKeyFrame: true)
        await party.run { left.viewer.frames(on: 0) == [[4]] }
        let asked = left.host.keyFramesWanted
        await left.open()
        await right.open()
        // A new one at home begins with what is there. Those in the other room have nothing to begin with.
        await party.run {
            left.host.film([5])
            return left.host.keyFramesWanted > asked
        }
        await reach(right, from: left.host, party)
        // Nobody at home looks.
        party.node.view(.seat(0), as: .none, by: left.viewer.id, on: left.stage)
        let wanted = { (layer: PictureLayer) in
            MediaFact.cameraWanted(left.stage, left.host.id, CameraWish(layer: layer, spare: false))
        }
        let layers = {
            party.facts.all.filter {
                if case .cameraWanted(left.stage, left.host.id, _) = $0 { true } else { false }
            }
        }
        #expect(layers().last == wanted(.high))
        // And when nobody wants more there either, the host need not send it.
        for client in right.people { party.node.view(.guest(0), as: .low, by: client.id, on: right.stage) }
        let low = wanted(.low)
        // Each room waits 10 s. After 30 s the clients, for whom no time passes, would be given up.
        for number in UInt8(10)..<23 where layers().last != low {
            left.host.film([number], isKeyFrame: true)
            await party.run { right.viewer.frames(on: Self.picture(0)).last == [number] }
            await party.leap(.seconds(2))
        }
        await party.run { layers().last == low }
        party.node.view(.guest(0), as: .high, by: right.viewer.id, on: right.stage)
        await party.run { layers().last == wanted(.high) }
    }

    @Test(
        "L04-S a host who leaves the stage and the other room at once is cut at once: nobody waits for a bridge that is gone",
        arguments: [1, 3])
    func leaving(workers: Int) async throws {
        let (party, left, right) = try await party(workers: workers)
        for _ in 0..<3 {
            await party.assign(0, left.host, on: left.stage)
            await left.open()
            await right.open()
            await reach(right, from: left.host, party)
            for number in UInt8(0)..<30 { left.host.film([7, number], isKeyFrame: true) }
            // As the room posts it: in a row.
            let confirmed = Atomic<Int>(0)
            party.node.assign(slot: 0, to: nil, muted: false, dark: false, on: left.stage) {
                confirmed.add(1, ordering: .relaxed)
            }
            party.node.closeBridge(Self.bridge, on: left.stage) { confirmed.add(1, ordering: .relaxed) }
            await party.run { confirmed.load(ordering: .relaxed) == 2 }
            await right.close()
        }
    }

    @Test("L04-S a room that closes takes its bridges with it, and the other one goes on")
    func closing() async throws {
        let (party, left, right) = try await party(workers: 3)
        await left.open()
        await right.open()
        await reach(right, from: left.host, party)
        party.node.closeStage(left.stage)
        await party.run { party.isTold(MediaFact.closed, of: left.host) }
        await right.close()
        await party.run {
            right.host.film([1], isKeyFrame: true)
            return !right.viewer.frames(on: 0).isEmpty
        }
        await party.assign(0, nil, on: right.stage)
    }
}
