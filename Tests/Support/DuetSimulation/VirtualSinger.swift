package import AudioGraph
package import ClientMedia
import DTLS
import NetworkSimulation
package import PeerSession
package import RTP
package import Timing
package import Wire

/// A singer's whole engine in virtual time: both sides of it as `AudioEngine` puts them together, and a media path that does what
/// `TransportLoop` does, without threads, sockets and devices. The microphone hears a tone.
package final class VirtualSinger: SimulatedEndpoint {
    /// Frames of a block, of devices and packets.
    static let blockFrames = 240

    package let clock: MachineClock
    package let peer: MediaPeer
    /// What the other's tone sounds like here. Called with each block and when its first sample is heard, on our clock.
    package var ear: ((AudioBuffer, Instant) -> Void)?
    /// Of the line on which the other is heard.
    package let otherSlot: Int
    package private(set) var packetsSent = 0

    private let tone: SungTone
    private let ssrc: SSRC
    /// By SSRC.
    private let slots: [UInt32: Int]
    private let capture: CaptureSide
    private let playout: PlayoutSide
    private let inbox = PacketInbox()
    private let microphone = AudioBuffer(channels: 2, capacity: blockFrames)
    private let speaker = AudioBuffer(channels: 2, capacity: blockFrames)
    /// When the first block of each device begins, on our clock, and how many there were.
    private let firstCapture: Instant
    private let firstPlayout: Instant
    private var captured: Int64 = 0
    private var played: Int64 = 0
    private var isConnected = false

    private var sequence: SequenceNumber16 = 0xfff0
    private let firstTimestamp: UInt32 = 0xfff0_0000
    private let sent = SentPackets()
    private var outgoing: [(bytes: [UInt8], path: NetworkPath)] = []

    /// `phases`: how far into a block the two devices are when it all begins.
    package init(
        peer: MediaPeer, clock: MachineClock, tone: SungTone, ssrc: SSRC, slots: [UInt32: Int], otherSlot: Int,
        phases: (capture: Interval, playout: Interval), at now: Instant
    ) throws {
        self.peer = peer
        self.clock = clock
        self.tone = tone
        self.ssrc = ssrc
        self.slots = slots
        self.otherSlot = otherSlot
        firstCapture = clock.local(now) + phases.capture
        firstPlayout = clock.local(now) + phases.playout
        // As the SDK sets them in a chorus room.
        var settings = RoomAudioSettings()
        settings.frameDuration = .ms5
        settings.usesDTX = false
        settings.minimalDelaySlots = [otherSlot]
        let ear = EarMonitorQueue()
        // Nobody plays any.
        let music = MusicPlayer(clock: { now }, tell: { _ in })
        capture = try CaptureSide(settings: settings, ear: ear, music: music)
        capture.setMicrophone(true)
        playout = PlayoutSide(ear: ear, music: music)
        var receivers: [SlotReceiver] = []
        for slot in 0..<slots.count {
            receivers.append(try SlotReceiver(delay: slot == otherSlot ? .minimal : settings.playoutDelay))
        }
        playout.begin(receivers: receivers, inbox: inbox, settings: settings)
        peer.openSendStream(ssrc, clockRate: 48_000, cname: "singer")
        capture.emit = { [unowned self] frame, payload in send(frame, payload) }
    }

    /// Of the buffer in which the other waits.
    package var statistics: JitterBufferStatistics { playout.receivers[otherSlot].buffer.statistics }

    // MARK: Devices

    private static func interval(_ frames: Int64) -> Interval { Interval(nanoseconds: frames * 1_000_000_000 / 48_000) }

    /// Captured sound is there when its block is over.
    private var captureDue: Instant { firstCapture + Self.interval((captured + 1) * Int64(Self.blockFrames)) }
    private var playoutDue: Instant { firstPlayout + Self.interval(played * Int64(Self.blockFrames)) }

    /// Seconds of singing by then: what the tone's functions want.
    package func sung(at time: Instant) -> Double { (clock.local(time) - firstCapture).seconds }

    private func sing() {
        microphone.frameCount = Self.blockFrames
        let first = captured * Int64(Self.blockFrames)
        for frame in 0..<Self.blockFrames {
            let value = tone.value(Double(first + Int64(frame)) / 48_000)
            microphone[0][frame] = value
            microphone[1][frame] = value
        }
        let begin = firstCapture + Self.interval(first)
        captured += 1
        capture.process(microphone, captured: begin)
    }

    private func listen() {
        let heard = playoutDue
        played += 1
        speaker.frameCount = Self.blockFrames
        speaker.clear()
        playout.render(speaker, heard: heard, now: heard)
        ear?(speaker, heard)
    }

    // MARK: The path

    private func send(_ frame: OutgoingFrame, _ payload: UnsafeRawBufferPointer) {
        guard isConnected, let path = peer.mediaPath else { return }
        withUnsafeTemporaryAllocation(byteCount: Network.maximumDatagramLength, alignment: 16) { slot in
            var writer = RTPHeaderWriter(
                into: slot, marker: frame.marker, payloadType: VirtualStage.payloadType, sequenceNumber: sequence,
                timestamp: RTPTimestamp(frame.timestamp &+ firstTimestamp), ssrc: ssrc)
            writer.add(AudioLevel(attenuation: frame.level, isVoice: frame.level < 127), id: VirtualStage.levelID)
            guard let headerLength = writer.finish() else { return }
            sent.store(sequence, header: UnsafeRawBufferPointer(rebasing: slot[..<headerLength]), payload: payload)
            guard let length = peer.seal(headerLength: headerLength, payload: payload, into: slot, at: peerTime)
            else { return }
            sequence = sequence.next
            packetsSent += 1
            outgoing.append((Array(UnsafeRawBufferPointer(rebasing: slot[..<length])), path))
        }
    }

    private func sendAgain(_ sequence: SequenceNumber16) {
        guard let path = peer.mediaPath, let packet = sent.find(sequence) else { return }
        withUnsafeTemporaryAllocation(byteCount: Network.maximumDatagramLength, alignment: 16) { slot in
            slot.copyMemory(from: packet.header)
            guard
                let length = peer.sealAgain(headerLength: packet.header.count, payload: packet.payload, into: slot)
            else { return }
            outgoing.append((Array(UnsafeRawBufferPointer(rebasing: slot[..<length])), path))
        }
    }

    /// The time of the present turn, on our clock.
    private var peerTime = Instant.distantPast

    package var nextDeadline: Instant {
        outgoing.isEmpty ? clock.time(min(peer.nextDeadline, captureDue, playoutDue)) : .distantPast
    }

    package func advance(to now: Instant) {
        peerTime = clock.local(now)
        if peer.nextDeadline <= peerTime { peer.advance(to: peerTime) }
        while captureDue <= peerTime { sing() }
        while playoutDue <= peerTime { listen() }
    }

    package func receive(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant
    ) {
        peerTime = clock.local(now)
        guard case .media(let packet) = peer.receive(datagram, length: length, path: path, at: peerTime),
            let slot = slots[packet.header.ssrc.rawValue]
        else { return }
        inbox.push(
            IncomingPacket(
                slot: slot, sequence: packet.extendedSequence, timestamp: packet.header.timestamp.rawValue,
                ssrc: packet.header.ssrc.rawValue, marker: packet.header.marker, arrival: peerTime),
            UnsafeRawBufferPointer(rebasing: datagram[packet.header.payload]))
    }

    package func nextDatagram(
        into buffer: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> (length: Int, path: NetworkPath)? {
        while let output = peer.nextOutput(into: buffer) {
            switch output {
            case .datagram(let length, let path): return (length, path)
            case .event(.connected): isConnected = true
            case .event(.nack(_, let stream, let first, let following)) where stream == ssrc:
                for bit in 0...16 where bit == 0 || following & (1 << (bit - 1)) != 0 {
                    sendAgain(first.advanced(by: bit))
                }
            case .event: break
            }
        }
        guard !outgoing.isEmpty else { return nil }
        let next = outgoing.removeFirst()
        buffer.copyBytes(from: next.bytes)
        return (next.bytes.count, next.path)
    }
}
