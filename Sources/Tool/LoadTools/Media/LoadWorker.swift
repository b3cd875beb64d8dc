internal import DTLS
internal import DatagramIO
internal import HeapModule
internal import PeerSession
internal import RTP
internal import SRTP
internal import Timing
internal import Wire

/// The load's thread: speaks for the speakers, and reads and checks what the listeners get. All of it belongs to that thread.
final class LoadWorker {
    /// Batches of datagrams that are read before speakers get their turn.
    private static let maximumBatches = 8
    /// What may still be on its way when a check ends; longer than `DeliveryCheck.patience`.
    private static let graceTime = Interval.milliseconds(400)

    private struct Deadline: Comparable {
        var at: Instant
        var place: Int
        static func < (a: Deadline, b: Deadline) -> Bool { a.at < b.at }
        static func == (a: Deadline, b: Deadline) -> Bool { a.at == b.at }
    }

    /// Who waits for a check that is over, but for what is still on its way.
    private struct Ending {
        var at: Instant
        var reply: @Sendable (DeliveryCheck) -> Void
    }

    var port: UInt16 { socketPort }

    private let sockets: DatagramSockets
    private let socketPort: UInt16
    private let mailbox: LoadMailbox
    private let context: DTLSContext
    private let clock: NTPClock
    private let firstAddress: UInt32
    private let content: LoadContent
    private var period: Interval { content.period }
    /// Where packets say what they are.
    private let start: Int
    private var paths: [LoadPath?] = []
    private var speakers: [LoadSpeaker] = []
    private var listeners = 0
    private var deadlines = Heap<Deadline>()
    /// Present all the time, so that each packet is counted where it lies; one of no speakers counts nothing.
    private var check = DeliveryCheck(next: [], listeners: 0)
    private var ending: Ending?
    private var now = SystemClock.now()
    private var random = SystemRandomNumberGenerator()
    /// It stands for many clients with a buffer each: a key frame for 1,000 viewers comes to 80 MB of the kernel's memory.
    private static let bufferBytes: Int32 = 64 << 20
    private var isStopped = false

    init(
        firstAddress: IPAddress, port: UInt16, content: LoadContent, certificate: DTLSCertificate,
        mailbox: LoadMailbox
    ) throws {
        sockets = try DatagramSockets(
            addresses: [IPAddress(v4: 0, 0, 0, 0)], port: port, bufferBytes: Self.bufferBytes)
        socketPort = sockets.locals.first?.port ?? 0
        // One profile, so that every server is measured with the same.
        context = try DTLSContext(
            certificate: certificate,
            profiles: [SRTPProfile.aeadAES128GCM].map {
                DTLSProtectionProfile(
                    identifier: $0.rawValue, openSSLName: $0.openSSLName, exporterLength: $0.exporterLength)
            })
        self.mailbox = mailbox
        self.firstAddress = UInt32(truncatingIfNeeded: firstAddress.low)
        self.content = content
        start = content.isPicture ? FilmedFrame.prefixLength : 0
        clock = NTPClock(reference: now, wallTime: SystemClock.wallTime())
        mailbox.attach(sockets.waker)
    }

    // MARK: The turn

    func run() {
        while !isStopped { turn() }
        mailbox.detach()
    }

    private func turn() {
        var deadline = deadlines.min?.at ?? .distantFuture
        for speaker in speakers { deadline = min(deadline, speaker.next) }
        if let ending { deadline = min(deadline, ending.at) }
        let (isWoken, readable, _) = sockets.wait(until: deadline, now: now)
        now = SystemClock.now()
        if isWoken { for command in mailbox.take() { perform(command) } }
        for socket in readable { read(socket) }
        now = SystemClock.now()
        for index in speakers.indices where speakers[index].next <= now { speak(index) }
        advance()
        endCheckIfDue()
        sockets.flush(at: now)
    }

    private func perform(_ command: LoadCommand) {
        switch command {
        case .open(let plan, let done):
            do throws(LoadFailure) { try open(plan, done) } catch { done(error) }
        case .countServed(let reply):
            reply(paths.count { $0.map { !$0.isSpeaker && !$0.streams.isEmpty } ?? false })
        case .beginCheck: check = DeliveryCheck(next: speakers.map(\.number), listeners: listeners)
        case .endCheck(let reply):
            check.end(next: speakers.map(\.number))
            ending = Ending(at: now + Self.graceTime, reply: reply)
        case .stop: isStopped = true
        }
    }

    private func endCheckIfDue() {
        guard let ended = ending, ended.at <= now else { return }
        ending = nil
        ended.reply(check)
    }

    // MARK: Paths

    private func open(_ plan: PathPlan, _ done: @escaping @Sendable (LoadFailure?) -> Void) throws(LoadFailure) {
        let address = IPAddress(high: 0, low: 0xffff_0000_0000 | UInt64(firstAddress &+ UInt32(plan.place)))
        let path = NetworkPath(local: TransportAddress(ip: address, port: socketPort), remote: plan.server)
        let opened = try LoadPath(
            plan, path: path, context: context, clock: clock, at: now, whenOpen: done)
        while paths.count <= plan.place { paths.append(nil) }
        paths[plan.place] = opened
        if let speech = plan.speech {
            let phase = Interval(nanoseconds: .random(in: 0..<period.nanoseconds, using: &random))
            // Nobody hears what is said before the path is open.
            speakers.append(
                LoadSpeaker(
                    path: opened, speech: speech, next: now + phase, sequence: .random(in: 0...0x7fff, using: &random),
                    timestamp: .random(in: 0...(.max), using: &random)))
        } else {
            listeners += 1
        }
        settle(opened, plan.place)
    }

    /// Sends what the machine has for us, and notes when it wants to be looked at again.
    private func settle(_ path: LoadPath, _ place: Int) {
        guard case .session(let peer, _) = path.machine else { return }
        while true {
            let slot = sockets.nextSlot()
            guard let output = peer.nextOutput(into: slot) else { break }
            switch output {
            case .datagram(let length, let way): sockets.commit(slot, length: length, path: way, at: now)
            case .event(.connected): path.noteOpen()
            case .event(.closed(let reason)): path.noteClosed(reason)
            case .event(.keyFrameWanted):
                if let speaker = speakers.firstIndex(where: { $0.path === path }) {
                    speakers[speaker].isKeyFrameWanted = true
                }
            case .event: break
            }
        }
        schedule(path, peer, place)
    }

    @inline(__always)
    private func schedule(_ path: LoadPath, _ peer: MediaPeer, _ place: Int) {
        let deadline = peer.nextDeadline
        guard deadline < path.scheduled else { return }
        path.scheduled = deadline
        deadlines.insert(Deadline(at: deadline, place: place))
    }

    private func advance() {
        while let due = deadlines.min, due.at <= now {
            deadlines.removeMin()
            guard let path = paths[due.place], path.scheduled == due.at, case .session(let peer, _) = path.machine
            else {
                continue
            }
            path.scheduled = .distantFuture
            peer.advance(to: now)
            settle(path, due.place)
        }
    }

    // MARK: Packets

    private func read(_ socket: DatagramSocket) {
        for _ in 0..<Self.maximumBatches {
            let count = socket.receive(at: now) { slot, length, path, arrival in
                receive(slot, length, path, arrival)
            }
            guard count == DatagramSocket.receiveSlots else { return }
            now = SystemClock.now()
        }
    }

    private func receive(
        _ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ way: NetworkPath, _ arrival: Instant
    ) {
        let place = Int(UInt32(truncatingIfNeeded: way.local.ip.low) &- firstAddress)
        guard place < paths.count, let path = paths[place] else { return }
        let datagram = UnsafeRawBufferPointer(rebasing: slot[..<length])
        let (stream, reading) = read(datagram, path)
        if let stream, let reading, !reading.isSample {
            path.streams[stream].take(reading)
            count(reading, of: path.streams[stream].speaker)
            guard case .session(let peer, _) = path.machine else { return }
            peer.countUnopened(
                path.streams[stream].ssrc, timestamp: RTPTimestamp(datagram.bigEndianUInt32(at: 4)),
                extendedSequence: reading.extendedSequence, at: arrival)
            return schedule(path, peer, place)
        }
        switch path.machine {
        case .session(let peer, let answerer):
            if answerCheck(datagram, way, answerer) { return }
            switch peer.receive(slot, length: length, path: way, at: arrival) {
            case .media(let media):
                take(
                    UnsafeRawBufferPointer(rebasing: slot[media.header.payload]), media.header.ssrc,
                    media.extendedSequence, reading, at: stream, path, arrival)
                schedule(path, peer, place)
            case .handled: settle(path, place)
            case .dropped: break
            }
        case .fixedKey(let receiver):
            guard case .opened(let length, let sequence) = receiver.open(slot, length: length),
                let header = RTPHeader.parse(UnsafeRawBufferPointer(rebasing: slot[..<length]))
            else { return }
            take(
                UnsafeRawBufferPointer(rebasing: slot[header.payload]), header.ssrc, sequence, reading, at: stream,
                path,
                arrival)
        }
    }

    /// What the header of a media packet says, if its stream is known.
    @inline(__always)
    private func read(
        _ datagram: UnsafeRawBufferPointer, _ path: LoadPath
    ) -> (stream: Int?, reading: HeardStream.Reading?) {
        // RFC 7983 and RFC 5761: RTP that is no RTCP.
        guard !path.isSpeaker, datagram.count >= RTPHeader.fixedLength, datagram[0] >> 6 == 2,
            !(192...223).contains(datagram[1]), let stream = path.stream(of: SSRC(datagram.bigEndianUInt32(at: 8)))
        else { return (nil, nil) }
        return (stream, path.streams[stream].read(SequenceNumber16(datagram.bigEndianUInt16(at: 2))))
    }

    @inline(__always)
    private func count(_ reading: HeardStream.Reading, of speaker: Int) {
        if reading.isLate {
            check.takeLate(reading.number, of: speaker)
        } else {
            check.take(reading.number, of: speaker)
        }
    }

    /// Takes a packet that was opened: a sample, or the first of its stream.
    private func take(
        _ payload: UnsafeRawBufferPointer, _ ssrc: SSRC, _ sequence: UInt64, _ reading: HeardStream.Reading?,
        at stream: Int?, _ path: LoadPath, _ arrival: Instant
    ) {
        guard !path.isSpeaker, payload.count >= start,
            let packet = SpokenPacket(UnsafeRawBufferPointer(rebasing: payload[start...]))
        else { return }
        guard let stream, let reading else {
            path.streams.append(HeardStream(ssrc: ssrc, sequence: sequence, packet))
            check.take(packet.number, of: Int(packet.speaker))
            return
        }
        count(reading, of: path.streams[stream].speaker)
        guard !reading.isLate else { return }
        path.streams[stream].take(reading)
        if !path.streams[stream].confirm(packet, reading) {
            check.takeMisnumbered(packet.number, of: Int(packet.speaker))
        }
        check.sample(packet, arrival: arrival)
    }

    @inline(__always)
    private func answerCheck(_ datagram: UnsafeRawBufferPointer, _ way: NetworkPath, _ answerer: CheckAnswerer) -> Bool
    {
        guard let first = datagram.first, first < 4 else { return false }
        let slot = sockets.nextSlot()
        guard let length = answerer.answer(datagram, from: way.remote, into: slot) else { return false }
        sockets.commit(slot, length: length, path: way, at: now)
        return true
    }

    private func speak(_ index: Int) {
        speakers[index].next = speakers[index].next + period
        // After a stall it goes on from here, as a microphone would.
        if speakers[index].next <= now { speakers[index].next = now + period }
        guard speakers[index].speech.isPicture else {
            let length = Int.random(in: LoadSpeaker.payloadLengths, using: &random)
            if send(length, of: index, isLast: false, { _ in }) { speakers[index].timestamp &+= LoadSpeaker.ticks }
            return sockets.flush(at: now)
        }
        let frame = speakers[index].frame
        for packet in 0..<frame.packets {
            guard
                send(
                    frame.payloadLength(of: packet), of: index, isLast: packet == frame.packets - 1,
                    { frame.writePrefix(of: packet, into: $0) })
            else { return }
        }
        speakers[index].endFrame()
        sockets.flush(at: now)
    }

    /// - Returns: false if it could not be sent.
    private func send(
        _ length: Int, of index: Int, isLast: Bool, _ writePrefix: (UnsafeMutableRawBufferPointer) -> Void
    ) -> Bool {
        let speaker = speakers[index]
        let (way, peer): (NetworkPath, MediaPeer?)
        switch speaker.path.machine {
        case .session(let its, _):
            guard let selected = its.mediaPath else { return false }
            (way, peer) = (selected, its)
        case .fixedKey: (way, peer) = (speaker.path.path, nil)
        }
        let slot = sockets.nextSlot()
        var writer = RTPHeaderWriter(
            into: slot, marker: isLast, payloadType: speaker.speech.payloadType,
            sequenceNumber: SequenceNumber16(speaker.sequence), timestamp: RTPTimestamp(speaker.timestamp),
            ssrc: speaker.speech.ssrc)
        if let id = speaker.speech.levelID { writer.add(AudioLevel(attenuation: 30, isVoice: true), id: id) }
        guard let headerLength = writer.finish() else { return false }
        let payload = UnsafeMutableRawBufferPointer(rebasing: slot[headerLength..<headerLength + length])
        now = SystemClock.now()
        writePrefix(payload)
        SpokenPacket(speaker: UInt16(index), number: speaker.number, sentAt: now)
            .write(into: UnsafeMutableRawBufferPointer(rebasing: payload[start...]))
        var whole: Int? = headerLength + length
        if let peer {
            whole = peer.seal(headerLength: headerLength, payload: UnsafeRawBufferPointer(payload), into: slot, at: now)
        }
        guard let whole else { return false }
        speakers[index].number += 1
        speakers[index].sequence &+= 1
        sockets.commit(slot, length: whole, path: way, at: now)
        return true
    }
}
