internal import DatagramIO
internal import RoomPorts
internal import SeededRandom
internal import Testing
internal import Timing
internal import Wire

@testable internal import MediaNode

@Suite struct DeadlineQueueTests {
    @Test("Entries come in the order of their time, none early and none left", arguments: 1...20 as ClosedRange<UInt64>)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = DeadlineQueue()
        var model: [Int64] = []
        var now: Int64 = 0
        for step in 0..<500 {
            if Bool.random(using: &random) {
                let deadline = now + Int64.random(in: -5...200, using: &random)
                queue.push(
                    DeadlineQueue.Entry(deadline: Instant(nanoseconds: deadline), handle: step, generation: 0))
                model.append(deadline)
            } else {
                now += Int64.random(in: 0...40, using: &random)
                var popped: [Int64] = []
                while let entry = queue.pop(until: Instant(nanoseconds: now)) {
                    popped.append(entry.deadline.nanoseconds)
                }
                #expect(popped == model.filter { $0 <= now }.sorted())
                model.removeAll { $0 <= now }
            }
            #expect(queue.count == model.count)
            #expect(queue.next?.nanoseconds == model.min())
        }
    }
}

@Suite struct MailboxTests {
    @Test("Commands come in order, wake the poller, and are refused after the end")
    func mailbox() throws {
        let poller = try Poller()
        let mailbox = Mailbox(waker: poller.waker)
        #expect(mailbox.take().isEmpty)
        for n in 1...3 { #expect(mailbox.post(.openStage(StageID(rawValue: UInt64(n)), slots: n, .voice, feed: nil))) }
        #expect(poller.wait(until: nil, now: SystemClock.now()).woken)
        let slots = mailbox.take().map { if case .openStage(_, let slots, _, _) = $0 { slots } else { 0 } }
        #expect(slots == [1, 2, 3])
        // A wake that was taken must be followed by another for what comes later.
        #expect(mailbox.post(.drain))
        #expect(poller.wait(until: nil, now: SystemClock.now()).woken)
        #expect(mailbox.close().count == 1)
        #expect(!mailbox.post(.stop))
    }
}

@Suite struct WorkerLoadTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    /// Work of so many milliseconds, begun every 10 ms.
    private func load(_ work: Int64, from start: Int64, to end: Int64, in load: WorkerLoad) {
        for begin in stride(from: start, to: end, by: 10) {
            load.advance(to: at(begin))
            load.note(workFrom: at(begin), to: at(begin + work))
        }
    }

    @Test("The share of the last whole second counts: it rises and falls within one, and what is over is over")
    func share() {
        let worker = WorkerLoad(at: at(0))
        load(9, from: 0, to: 990, in: worker)
        #expect(!worker.isOver)
        load(9, from: 990, to: 2_000, in: worker)
        #expect(worker.isOver && abs(worker.share - 0.9) < 0.02)
        load(8, from: 2_000, to: 4_000, in: worker)
        #expect(!worker.isOver && abs(worker.share - 0.8) < 0.02)
    }

    @Test("A worker that was busy and then had nothing to do is free when it is asked again")
    func idle() {
        let worker = WorkerLoad(at: at(0))
        load(10, from: 0, to: 2_000, in: worker)
        #expect(worker.isOver)
        worker.advance(to: at(60_000))
        #expect(!worker.isOver && worker.share < 0.02)
    }

    @Test("A clock that leaps, forward or back, makes nobody busy")
    func leaps() {
        let worker = WorkerLoad(at: at(0))
        worker.note(workFrom: at(10), to: at(3_600_000))
        #expect(!worker.isOver)
        worker.note(workFrom: at(3_600_010), to: at(3_000_000))
        load(1, from: 3_600_020, to: 3_602_000, in: worker)
        #expect(!worker.isOver)
    }
}

@Suite struct FactPublisherTests {
    @Test("A consumer that does not keep up loses levels first, and not who came and went")
    func backlog() async {
        let facts = FactStream()
        let publisher = FactPublisher(facts)
        let stage = StageID(rawValue: 1)
        for n in 0..<FactStream.capacity { publisher.publish(.levels(stage, [PeerID(rawValue: UInt64(n)): 1])) }
        for n in 0..<1000 { publisher.publish(.connected(stage, PeerID(rawValue: UInt64(n)))) }
        publisher.finish()
        var levels = 0
        var connected: [UInt64] = []
        for await fact in facts.stream {
            switch fact {
            case .levels: levels += 1
            case .connected(_, let peer): connected.append(peer.rawValue)
            default: break
            }
        }
        #expect(connected == (0..<1000).map { UInt64($0) })
        #expect(levels < FactStream.capacity * 3 / 4)
    }
}

@Suite struct ConfigurationTests {
    @Test("What is offered: public addresses first, then what is listened on, each once")
    func candidateAddresses() throws {
        let interfaces = try ["192.168.1.5", "10.0.0.7", "2001:db8::5", "127.0.0.1", "::1"].map {
            try #require(IPAddress(text: $0))
        }
        func offered(bind: [String], publicly: [String] = []) -> [String] {
            var configuration = MediaNodeConfiguration()
            configuration.bindAddresses = bind.compactMap(IPAddress.init(text:))
            configuration.publicAddresses = publicly.compactMap(IPAddress.init(text:))
            return configuration.candidateAddresses(interfaces: interfaces).map(\.text)
        }
        let all = interfaces.map(\.text)
        #expect(offered(bind: []) == all)
        #expect(offered(bind: ["::"]) == all)
        #expect(offered(bind: ["0.0.0.0"]) == ["192.168.1.5", "10.0.0.7", "127.0.0.1"])
        #expect(offered(bind: ["::", "10.0.0.7"]) == ["10.0.0.7", "2001:db8::5", "::1"])
        #expect(offered(bind: ["127.0.0.1"]) == ["127.0.0.1"])
        #expect(
            offered(bind: ["10.0.0.7"], publicly: ["203.0.113.1", "10.0.0.7"]) == ["203.0.113.1", "10.0.0.7"])
    }
}
