package import AudioGraph
internal import MediaCodecs
package import Timing

/// What happens on the playing device's thread: packets out of the inbox, one jitter buffer a seat, mix, music, ear monitor,
/// limiter.
///
/// Behind a `Guarded`: the device's thread holds it while it fills a block, other threads only to change something.
package final class PlayoutSide {
    package static let channels = 2

    package private(set) var receivers: [SlotReceiver] = []
    /// Of the present path.
    private(set) var inbox: PacketInbox?
    /// The run of a device that plays; nil: none.
    var run: Int?
    var playoutTap: (@Sendable (AudioBuffer, Instant) -> Void)?

    private let ear: EarMonitorQueue
    private let music: MusicPlayer
    private let remoteGain = Gain()
    private let masterGain = Gain()
    private let earGain = Gain()
    private let limiter = Limiter(channels: channels)
    private let mix = AudioBuffer(channels: channels, capacity: maximumBlockFrames)
    private let scratch = AudioBuffer(channels: channels, capacity: maximumBlockFrames)
    private let payload = UnsafeMutableRawBufferPointer.allocate(
        byteCount: PacketInbox.maximumPayload, alignment: 16)
    /// Slots for which packets came since the last block.
    private var isExpected: [Bool] = []

    package init(ear: EarMonitorQueue, music: MusicPlayer) {
        self.ear = ear
        self.music = music
    }

    deinit { payload.deallocate() }

    /// Another path: what was heard by the old one is over.
    package func begin(receivers: [SlotReceiver], inbox: PacketInbox?, settings: RoomAudioSettings) {
        self.receivers = receivers
        self.inbox = inbox
        isExpected = receivers.map { _ in false }
        apply(settings)
        for receiver in receivers { receiver.gain.reset() }
    }

    func apply(_ settings: RoomAudioSettings) {
        remoteGain.target = settings.isAllRemoteMuted ? 0 : 1
        masterGain.target = RoomAudioSettings.gain(settings.playoutVolume)
        earGain.target = RoomAudioSettings.gain(settings.earMonitor.volume)
        for (slot, receiver) in receivers.enumerated() {
            receiver.gain.target = settings.slotGain(slot)
            receiver.buffer.playoutDelay = settings.delay(ofSlot: slot)
        }
    }

    /// Fills `block`, whose first sample is heard at `heard`. Returns whether anything but silence was put in.
    package func render(_ block: AudioBuffer, heard: Instant, now: Instant) {
        takePackets()
        let frames = min(block.frameCount, maximumBlockFrames)
        mix.frameCount = frames
        scratch.frameCount = frames
        mix.clear()
        for slot in receivers.indices {
            if receivers[slot].render(into: scratch, at: now, isExpected: isExpected[slot]) { mix.add(scratch) }
            isExpected[slot] = false
        }
        remoteGain.process(mix)
        // What is put in now comes out of the limiter a little later.
        music.render(addingTo: mix, heard: heard + MusicStream.interval(limiter.latencyFrames))
        masterGain.process(mix)
        if ear.pull(into: scratch) {
            earGain.process(scratch)
            mix.add(scratch)
        }
        limiter.process(mix)
        if block.frameCount == frames {
            block.copy(from: mix)
        } else {
            block.clear()
            block.add(mix)
        }
        playoutTap?(mix, heard)
    }

    private func takePackets() {
        guard let inbox else { return }
        while let (packet, length) = inbox.pop(into: payload) {
            guard receivers.indices.contains(packet.slot) else { continue }
            isExpected[packet.slot] = true
            receivers[packet.slot].buffer.insert(
                sequence: packet.sequence, timestamp: packet.timestamp, ssrc: packet.ssrc,
                payload: UnsafeRawBufferPointer(rebasing: payload[..<length]), arrival: packet.arrival,
                marker: packet.marker, isCopy: packet.isCopy)
        }
    }
}
