import BandwidthEstimation
import Codecs
import Forwarding
import PeerSession
import RTP
import SeededRandom
import Timing
import Wire

/// What people with valid tickets can do to a room by their media paths, in any order: speak and film, with numbers, formats and payloads
/// of their choice, repeat, report, miss packets, ask for key frames, send anything else under their keys, leave and come back with other
/// ones, while seats change hands and are cut. The server's paths, its stages and a tap are the real ones. What must hold: everything that
/// leaves is authentic, and no number of a stream stands for two packets (RFC 3711 §9.1); who is cut, or has no seat, is heard and seen by
/// nobody, nor by the tap; a machine that has done what was due has nothing due any more.
package func fuzzPeer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var reader = ByteReader(UnsafeRawBufferPointer(start: start, count: count))
    // Singers and a mix, or a crowd: three people are one.
    let room = FuzzedRoom(isCrowd: (reader.readUInt8() ?? 0) & 1 == 1)
    while let operation = reader.readUInt8(), let what = reader.readUInt8() {
        room.perform(operation, what, &reader)
        room.settle()
    }
    return 0
}

private final class FuzzedRoom {
    private static let slots = 2
    private static let people = 3
    /// A handshake takes longer than everything else that an input can ask for.
    private static let maximumLives = 5
    private static let microphoneType = PayloadType(111)
    private static let redundantType = PayloadType(63)
    private static let pictureType = PayloadType(96)
    private static let repeatType = PayloadType(97)
    /// What the people's sources are called: theirs, and more that nobody agreed on.
    private static func source(_ member: Int, _ kind: UInt32) -> UInt32 { UInt32(member + 1) << 8 | kind }

    private var now = Instant(nanoseconds: 1_000_000_000)
    private var random = SeededGenerator(seed: 1)
    private let audio: AudioStage
    private let video = VideoStage(slots: 2)
    private let feed = MixFeed(wakeMixer: {}, wakeStage: {})
    private var mixed: UInt64 = 500
    private var people: [FuzzedPerson?] = [nil, nil, nil]
    private var handles: [Int: FuzzedPerson] = [:]
    private var lives = 0
    /// Who may be heard, and who may be seen, by slot.
    private var speakers: [Int?] = [nil, nil]
    private var actors: [Int?] = [nil, nil]
    /// Before which number the tap has been told to drop what it holds, by slot.
    private var cuts: [Int: UInt64] = [:]
    private var exits: PictureViewer.Exits?

    init(isCrowd: Bool) {
        audio = isCrowd ? AudioStage(slots: 2, crowd: 1) : AudioStage(slots: 2, hasMix: true)
        audio.add(feed)
        exits = PictureViewer.Exits(
            send: { [unowned self] handle, packet, payload in give(handle, packet, payload) },
            again: { [unowned self] handle, packet, payload in
                leave(handle) { $0.lane.sealAgain(packet, payload: payload, into: $1, at: self.now) }
            },
            fill: { [unowned self] handle, packet, length in
                leave(handle) { $0.lane.sealPadding(packet, length: length, into: $1, at: self.now) }
            },
            ask: { [unowned self] member, ssrc in
                people[Int(member.rawValue) - 1]?.path.server.requestKeyFrame(of: ssrc, at: now)
            })
        for member in 0..<Self.people { enter(member) }
    }

    // MARK: What leaves

    private func give(_ handle: Int, _ packet: OutgoingPacket, _ payload: UnsafeRawBufferPointer) {
        leave(handle) { $0.lane.seal(packet, payload: payload, into: $1, at: self.now) }
        if packet.startsSource { handles[handle]?.path.server.sendReport(for: packet.stream, at: now) }
    }

    private func leave(_ handle: Int, _ seal: (MediaPeer, UnsafeMutableRawBufferPointer) -> Int?) {
        guard let person = handles[handle] else { return }
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 16) { buffer in
            guard let length = seal(person.path.server, buffer) else { return }
            look(UnsafeRawBufferPointer(rebasing: buffer[..<length]), of: person)
        }
    }

    private func look(_ datagram: UnsafeRawBufferPointer, of person: FuzzedPerson) {
        guard let sent = person.path.look(at: datagram), !sent.isPadding else { return }
        // What was seen and heard before the cut may be repeated; those streams have odd names.
        guard sent.ssrc.rawValue & 1 == 0, let mark = sent.payload.last, mark < Self.people else { return }
        let isSound = sent.ssrc.rawValue & 0x100 != 0
        precondition(
            (isSound ? speakers : actors).contains(Int(mark)),
            "somebody is \(isSound ? "heard" : "seen") without a right")
    }

    // MARK: People

    private func enter(_ member: Int) {
        guard lives < Self.maximumLives else { return }
        leaveRoom(member)
        lives += 1
        guard let path = FuzzedPath(&random, number: UInt64(lives), at: &now) else {
            preconditionFailure("no handshake")
        }
        let person = FuzzedPerson(
            path: path, viewer: PictureViewer(MemberID(rawValue: UInt64(member + 1)), handle: lives))
        people[member] = person
        handles[lives] = person
        var extensions = HeaderExtensionMap()
        extensions.set(.mid, id: 4)
        extensions.set(.transportNumber, id: 3)
        path.server.setReceiving(
            [
                ReceiveTrack(
                    mid: Mid("0"),
                    formats: [Self.microphoneType, Self.redundantType].map {
                        ReceiveTrack.Format(payloadType: $0, clockRate: 48_000)
                    }, sources: [ReceiveTrack.Source(ssrc: SSRC(Self.source(member, 0)))], repeats: .sound),
                ReceiveTrack(
                    mid: Mid("1"),
                    formats: [
                        ReceiveTrack.Format(payloadType: Self.pictureType, clockRate: 90_000, repeats: Self.repeatType)
                    ],
                    sources: (0..<3).map {
                        ReceiveTrack.Source(
                            ssrc: SSRC(Self.source(member, 0x10 + $0)), repeats: SSRC(Self.source(member, 0x20 + $0)))
                    }, repeats: .picture),
            ], extensions: extensions)
        // One of them tells of arrivals, one states what it takes, of one nothing is known.
        if member != 2 { path.server.measureLine() }
        for slot in 0...Self.slots {
            person.sound[slot] = path.server.openSendStream(
                SendStreamTerms(
                    ssrc: SSRC(0x1100 + UInt32(slot) * 2), clockRate: 48_000, cname: "s",
                    payloadType: Self.microphoneType))
        }
        for slot in 0..<Self.slots {
            var terms = SendStreamTerms(
                ssrc: SSRC(0x1000 + UInt32(slot) * 2), clockRate: 90_000, cname: "s", payloadType: Self.pictureType,
                repeats: RepeatStreamTerms(
                    ssrc: SSRC(0x1001 + UInt32(slot) * 2), payloadType: Self.repeatType, firstSequence: 65_500))
            terms.transportNumberID = member == 0 ? 3 : 0
            terms.isPaced = true
            person.pictures[slot] = path.server.openSendStream(terms)
        }
        listen(member, 0)
        watch(member, 0)
    }

    private func leaveRoom(_ member: Int) {
        guard let person = people[member] else { return }
        person.path.server.close()
        let name = MemberID(rawValue: UInt64(member + 1))
        audio.fanout.removeListener(name)
        audio.resetSource(of: name, at: now, send: give)
        video.removeViewer(name)
        video.resetSource(of: name)
        handles[person.viewer.handle] = nil
        people[member] = nil
    }

    private static func isIn(_ without: UInt8, _ slot: Int) -> Bool { without >> slot & 1 == 0 }

    private func listen(_ member: Int, _ without: UInt8) {
        guard let person = people[member] else { return }
        let lines = (0...Self.slots).filter { Self.isIn(without, $0) }.compactMap { slot in
            person.sound[slot].map { stream in
                var line = ListenerLine(
                    slot: slot, ssrc: SSRC(0x1100 + UInt32(slot) * 2), stream: stream, firstSequence: 65_530,
                    firstTimestamp: 7)
                // Copies come as they are to whoever has agreed on them.
                if member == 0 {
                    line.redundancy = RedundancyTypes(packet: Self.redundantType, content: Self.microphoneType)
                }
                return line
            }
        }
        audio.fanout.setListener(
            MemberID(rawValue: UInt64(member + 1)), handle: person.viewer.handle, lines: lines)
    }

    private func watch(_ member: Int, _ without: UInt8) {
        guard let person = people[member], let exits else { return }
        let lines = (0..<Self.slots).filter { Self.isIn(without, $0) }.compactMap { slot in
            person.pictures[slot].map {
                ViewerLine(
                    slot: slot, ssrc: SSRC(0x1000 + UInt32(slot) * 2), stream: $0, format: .vp8,
                    firstSequence: 65_520, firstTimestamp: 9)
            }
        }
        person.viewer.bandwidth = person.path.server.bandwidth
        video.setViewer(person.viewer, lines: lines, at: now, send: exits.send, ask: exits.ask)
    }

    // MARK: Operations

    func perform(_ operation: UInt8, _ what: UInt8, _ reader: inout ByteReader) {
        let member = Int(what & 3) % Self.people
        let slot = Int(what >> 2 & 1)
        switch operation & 31 {
        case 0...3: speak(member, operation & 3, what)
        case 4...9: film(member, operation, what)
        case 10: film(member, operation, what, isRepeat: true)
        case 11, 12:
            // Anything, sealed under the keys, or as it is.
            let count = min(Int(what >> 2) + 2, reader.remaining)
            guard count >= 2, let bytes = reader.readBytes(count) else { return }
            var packet = Array(bytes)
            if !(192...223).contains(packet[1]) {
                // Long enough that its last byte stays, which tells who sent it.
                guard count > 24 else { return }
                packet[count - 1] = UInt8(member)
            }
            send(packet, by: member)
        case 13: miss(member, slot, what, reader.readUInt8() ?? 0)
        case 14: arrivals(member, what)
        case 15:
            control(member) { $0.writePictureLossIndication(sender: SSRC(9), media: SSRC(0x1000 + UInt32(slot) * 2)) }
        case 16, 17: sit(member, slot, what, isSound: operation & 1 == 0)
        case 18: listen(member, what >> 2)
        case 19: watch(member, what >> 2)
        case 20: enter(member)
        case 21:
            video.limit(
                MemberID(rawValue: UInt64(member + 1)), slot: slot, toLayer: Int(what >> 4 & 3) - 1, at: now,
                send: give, ask: { [unowned self] in exits?.ask($0, $1) })
        case 22:
            guard let person = people[member] else { return }
            // Another payload type from now on, as another offer may have it.
            if let stream = person.sound[slot] {
                person.path.server.describeSendStream(
                    stream, payloadType: PayloadType(100 + what >> 6), mid: Mid("\(what >> 4)"), midID: 4)
            }
            if let stream = person.pictures[slot], what & 8 != 0 {
                person.path.server.describeSendStream(
                    stream, payloadType: PayloadType(100 + what >> 6), mid: Mid("\(what >> 4)"), midID: 4,
                    transportNumberID: 3, repeatPayloadType: Self.repeatType)
            }
        case 23: takeByTap()
        case 24:
            mixed += UInt64(what >> 4)
            let packet = MixPacket(sequence: mixed, timestamp: UInt32(mixed) &* 960, marker: false)
            let payload: [UInt8] = [1, 2, 3, 0xff]
            payload.withUnsafeBytes { feed.post(packet, $0) }
            while feed.takeMix({ audio.forwardMix($0, payload: $1, at: now, send: give) }) {}
        case 25: bandwidthStated(member, UInt32(what) << 12)
        case 26: video.resetSource(of: MemberID(rawValue: UInt64(member + 1)))
        case 27: report(member, what)
        // Long enough to be lost after a few of them.
        case 31: now = now + .milliseconds(Int64(what) * 40)
        default: now = now + .milliseconds(Int64(what) / 4)
        }
    }

    private func sit(_ member: Int, _ slot: Int, _ what: UInt8, isSound: Bool) {
        let isFreed = what & 0x30 == 0x30
        let isCut = what & 0x60 == 0x60
        let name = isFreed ? nil : MemberID(rawValue: UInt64(member + 1))
        if isSound {
            // What waits was heard while its speaker had the right.
            audio.fanout.deliverWaiting(send: give)
            if !isFreed, let other = speakers.firstIndex(of: member), other != slot { speakers[other] = nil }
            speakers[slot] = isFreed || isCut ? nil : member
            audio.assign(slot: slot, to: name, muted: isCut, at: now, send: give)
        } else {
            if !isFreed, let other = actors.firstIndex(of: member), other != slot { actors[other] = nil }
            actors[slot] = isFreed || isCut ? nil : member
            video.assign(slot: slot, to: name, isCut: isCut)
        }
    }

    // MARK: Media

    private func speak(_ member: Int, _ kind: UInt8, _ what: UInt8) {
        guard let person = people[member] else { return }
        let ssrc = Self.source(member, what & 0x80 == 0 ? 0 : 1)
        let number = person.next(ssrc, [1, 1, 2, 5, -1, -2, 700, 0], what >> 2 & 7)
        let isRedundant = kind == 1
        var packet = FuzzedPerson.header(
            isRedundant ? Self.redundantType : Self.microphoneType, number, UInt32(number) &* 960, ssrc,
            marker: what & 0x40 != 0, nil)
        if isRedundant {
            // RFC 2198 §3: a block with what the packet before carried, then the packet's own; the last byte of each is the mark.
            packet += [0x80 | Self.microphoneType.rawValue, 0x0f, 0x00, 3, Self.microphoneType.rawValue]
            packet += [0xf8, 0xff, UInt8(member)]
        }
        packet += [0xf8, 0xff, 0xfe, UInt8(member)]
        now = now + .milliseconds(5)
        send(packet, by: member)
    }

    private func film(_ member: Int, _ operation: UInt8, _ what: UInt8, isRepeat: Bool = false) {
        guard let person = people[member] else { return }
        let layer = UInt32(what >> 6) % 3
        let isKeyFrame = what & 0x20 != 0
        let ssrc = Self.source(member, (isRepeat ? 0x20 : 0x10) + layer)
        let number = person.next(ssrc, [1, 1, 1, 2, 3, 0, -3, 40], operation &- 4)
        person.transport &+= 1
        person.picture = (person.picture &+ 1) & 0x7f
        var packet = FuzzedPerson.header(
            isRepeat ? Self.repeatType : Self.pictureType, number, UInt32(number) &* 3_000, ssrc, marker: true,
            what & 0x10 == 0 ? person.transport : nil)
        if isRepeat {
            let missed = (person.numbers[Self.source(member, 0x10 + layer)] ?? 0) &- UInt16(what >> 2 & 15)
            packet += [UInt8(missed >> 8), UInt8(missed & 0xff)]
        }
        packet += [0x90, 0x80, person.picture, isKeyFrame ? 0x10 : 0x11, 0, 0, 0x9d, 0x01, 0x2a, 1, 0, 1, 0, 7]
        packet += [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Int(what & 4) * 200) + [UInt8(member)]
        now = now + .milliseconds(3)
        send(packet, by: member)
        if operation & 32 == 0 { video.deliver(at: now, send: give) }
    }

    private func send(_ packet: [UInt8], by member: Int) {
        guard let person = people[member] else { return }
        person.path.send(packet, at: now) { received, buffer in
            guard case .media(let media) = received else { return }
            // As a worker does.
            switch media.place?.track {
            case 1: take(media, UnsafeRawBufferPointer(rebasing: buffer[media.payload]), picturesOf: member)
            default: take(media, buffer, soundOf: person, member)
            }
        }
    }

    private func take(_ media: ReceivedMedia, _ payload: UnsafeRawBufferPointer, picturesOf member: Int) {
        guard let place = media.place, media.header.payloadType == Self.pictureType else { return }
        let packet = PicturePacket(
            ssrc: media.header.ssrc, layer: place.layer, sequence: media.extendedSequence,
            timestamp: media.header.timestamp.rawValue, marker: media.header.marker, format: .vp8, arrival: now)
        video.forward(
            packet, from: MemberID(rawValue: UInt64(member + 1)), payload: payload, send: give,
            ask: { [unowned self] in exits?.ask($0, $1) })
    }

    private func take(
        _ media: ReceivedMedia, _ buffer: UnsafeRawBufferPointer, soundOf person: FuzzedPerson, _ member: Int
    ) {
        let header = media.header
        let isRedundant = header.payloadType == Self.redundantType
        guard isRedundant || header.payloadType == Self.microphoneType else { return }
        let name = MemberID(rawValue: UInt64(member + 1))
        var packet = SourcePacket(
            ssrc: header.ssrc, sequence: media.extendedSequence, timestamp: header.timestamp.rawValue,
            marker: header.marker, arrival: now)
        var payload = UnsafeRawBufferPointer(rebasing: buffer[header.payload])
        if isRedundant {
            guard let redundant = RedundantPayload(payload), redundant.payloadType == Self.microphoneType else {
                return
            }
            person.path.server.recover(from: media, redundant, type: Self.microphoneType, in: payload, at: now) {
                copy, sequence in
                var lost = packet
                lost.sequence = sequence
                lost.timestamp &-= copy.timestampOffset
                lost.marker = false
                lost.redundancy = copy.distance == 1 ? .copyFromNext : .copyFromLater
                audio.forward(
                    lost, from: name, payload: UnsafeRawBufferPointer(rebasing: payload[copy.range]), send: give)
            }
            payload = UnsafeRawBufferPointer(rebasing: payload[redundant.primary])
            packet.redundancy = .carriesCopy
        }
        audio.forward(packet, from: name, payload: payload, send: give)
    }

    /// What the tap holds, cuts first: nobody is in it who has no right any more.
    private func takeByTap() {
        feed.takeCuts { slot, before in cuts[slot] = max(cuts[slot] ?? 0, before) }
        while feed.takeVocal({ packet, payload in
            guard packet.sequence >= cuts[packet.slot] ?? 0 else { return }
            precondition(
                packet.isFiller || payload.last.map { $0 >= Self.people || speakers.contains(Int($0)) } ?? true,
                "the tap hears somebody without a right")
        }) {}
        feed.confirmCuts(feed.cutsAsked)
    }

    // MARK: Control

    private func control(_ member: Int, _ write: (inout RTCPWriter) -> Void) {
        let bytes = [UInt8](unsafeUninitializedCapacity: 1_100) { buffer, count in
            var writer = RTCPWriter(into: UnsafeMutableRawBufferPointer(buffer))
            write(&writer)
            count = writer.count
        }
        guard bytes.count > 1 else { return }
        send(bytes, by: member)
    }

    private func miss(_ member: Int, _ slot: Int, _ what: UInt8, _ back: UInt8) {
        let ssrc = SSRC((what & 8 == 0 ? 0x1000 : 0x1100) + UInt32(slot) * 2)
        guard let newest = people[member]?.path.newest[ssrc] else { return }
        let first = SequenceNumber16(newest &- UInt16(back))
        let missing = (0...Int(what >> 4)).map { first.advanced(by: $0 * 2) }
        control(member) { _ = $0.writeNACK(sender: SSRC(9), media: ssrc, missing: missing) }
    }

    private func arrivals(_ member: Int, _ what: UInt8) {
        guard let person = people[member] else { return }
        var builder = TransportFeedbackBuilder()
        let base = UInt16(truncatingIfNeeded: person.path.server.configuration.seed >> 40)
        person.told &+= 7
        for number in 0..<UInt16(what >> 3) where what & 4 == 0 || number % 3 != 0 {
            builder.note(
                SequenceNumber16(base &+ person.told &+ number), at: now.nanoseconds + Int64(number) * 1_000_000)
        }
        control(member) { _ = builder.write(sender: SSRC(9), media: SSRC(0x1000), into: &$0) }
    }

    private func bandwidthStated(_ member: Int, _ rate: UInt32) {
        // RFC draft-alvestrand-rmcat-remb §2.2.
        let exponent: UInt8 = 14
        let mantissa = rate >> exponent
        send(
            [
                0x8f, 206, 0, 5, 0, 0, 0, 9, 0, 0, 0, 0, 0x52, 0x45, 0x4d, 0x42, 1,
                exponent << 2 | UInt8(mantissa >> 16 & 3), UInt8(mantissa >> 8 & 0xff), UInt8(mantissa & 0xff), 0, 0,
                0x10, 0,
            ], by: member)
    }

    private func report(_ member: Int, _ what: UInt8) {
        let timestamp = RTPTimestamp(UInt32(what) << 16)
        control(member) {
            _ = $0.writeSenderReport(
                SenderInfo(
                    ssrc: SSRC(Self.source(member, what & 4 == 0 ? 0 : 0x10)), ntp: UInt64(what) << 32,
                    timestamp: timestamp, packetCount: 1, octetCount: 1))
        }
    }

    // MARK: What follows

    /// Lets everybody's machines do what they have to do.
    func settle() {
        guard let exits else { return }
        if audio.fanout.due <= now { audio.fanout.deliverWaiting(send: give) }
        // A machine whose doing makes more due is looked at again; in vain, it would take all of a thread's time.
        for (member, person) in people.enumerated() {
            guard let person else { continue }
            let server = person.path.server
            for _ in 0..<3 where server.nextDeadline <= now { server.advance(to: now) }
            drain(member, person)
            precondition(server.nextDeadline > now, "something stays due")
            if person.viewer.nextDeadline(at: now) <= now { person.viewer.advance(to: now, exits) }
            drain(member, person)
        }
    }

    private func drain(_ member: Int, _ person: FuzzedPerson) {
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 16) { buffer in
            while let output = person.path.server.nextOutput(into: buffer) {
                switch output {
                case .datagram(let length, _): look(UnsafeRawBufferPointer(rebasing: buffer[..<length]), of: person)
                case .event(let event): take(event, of: member, person)
                }
            }
        }
    }

    private func take(_ event: PeerEvent, of member: Int, _ person: FuzzedPerson) {
        let name = MemberID(rawValue: UInt64(member + 1))
        guard let exits else { return }
        switch event {
        case .closed: leaveRoom(member)
        case .nack(let stream, let ssrc, let sequence, let following):
            if person.pictures.values.contains(stream) {
                video.repeat(
                    for: name, stream: stream, sequence: sequence, following: following, roundTrip: .milliseconds(20),
                    at: now, send: exits.again)
            } else {
                audio.fanout.repeat(
                    for: name, ssrc, sequence: sequence, following: following, roundTrip: .milliseconds(20), at: now,
                    send: exits.again)
            }
        case .keyFrameWanted(let stream):
            video.keyFrameWanted(by: name, stream: stream, roundTrip: nil, at: now, ask: exits.ask)
        case .senderReport(let ssrc, _, let timestamp, let made, _):
            audio.note(
                CaptureClock(clockRate: 48_000, instant: made, timestamp: timestamp.rawValue), of: ssrc, from: name)
            video.note(
                CaptureClock(clockRate: 90_000, instant: made, timestamp: timestamp.rawValue), of: ssrc, from: name)
        case .connected, .lost, .recovered, .receiverReport: break
        }
    }
}
