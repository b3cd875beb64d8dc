internal import DatagramIO
internal import Forwarding
internal import PeerSession
internal import RTP
internal import Timing
internal import Wire

/// What leaves a worker: packets for listeners, built and enciphered in the slot that the kernel reads from, and what the peers'
/// machines say themselves.
final class Egress {
    private let sockets: DatagramSockets
    private let table: PeerTable
    private let time: WorkerTime
    /// Streams that began or changed their source: their listeners get a report at once.
    private(set) var startedStreams: ContiguousArray<(handle: Int, stream: Int)> = []
    /// Viewers for whom something waits until their line takes more.
    private var waitingViewers: ContiguousArray<Int> = []
    /// Whose key frame is to be asked for.
    private var wantedKeyFrames: ContiguousArray<(producer: MemberID, ssrc: SSRC)> = []

    init(sockets: DatagramSockets, table: PeerTable, time: WorkerTime) {
        self.sockets = sockets
        self.table = table
        self.time = time
    }

    /// The kernel takes nothing at present.
    var isBlocked: Bool { sockets.isBlocked }

    /// One packet to one listener.
    func send(_ handle: Int, _ packet: OutgoingPacket, _ payload: UnsafeRawBufferPointer) {
        guard let lane = table.lane(handle), let path = lane.path else { return }
        let now = time.now
        sockets.send(by: path, at: now) { slot in lane.seal(packet, payload: payload, into: slot, at: now) }
        if packet.startsSource { startedStreams.append((handle, packet.stream)) }
    }

    /// The same packet once more, to the last byte.
    func sendAgain(_ handle: Int, _ packet: OutgoingPacket, _ payload: UnsafeRawBufferPointer) {
        guard let lane = table.lane(handle), let path = lane.path else { return }
        sockets.send(by: path, at: time.now) { slot in
            lane.sealAgain(packet, payload: payload, into: slot, at: time.now)
        }
    }

    /// Nothing but bytes, to find out what a line carries.
    func fill(_ handle: Int, _ packet: OutgoingPacket, _ length: Int) {
        guard let lane = table.lane(handle), let path = lane.path else { return }
        let now = time.now
        sockets.send(by: path, at: now) { slot in lane.sealPadding(packet, length: length, into: slot, at: now) }
    }

    /// That viewer is driven from now on.
    func wait(_ handle: Int) { waitingViewers.append(handle) }

    func nextWaitingViewer() -> Int? { waitingViewers.popLast() }

    /// The producer is asked for a key frame of that stream, once what is being forwarded is through.
    func ask(_ producer: MemberID, _ ssrc: SSRC) { wantedKeyFrames.append((producer, ssrc)) }

    /// When what a peer's stream carries was captured.
    func setClock(_ handle: Int, _ stream: Int, _ clock: CaptureClock?) {
        table.lane(handle)?.setCaptureClock(clock, of: stream)
    }

    func nextWantedKeyFrame() -> (producer: MemberID, ssrc: SSRC)? { wantedKeyFrames.popLast() }

    /// Something is to be told to peers beside packets.
    var hasErrands: Bool { !startedStreams.isEmpty || !wantedKeyFrames.isEmpty || !waitingViewers.isEmpty }

    func nextStartedStream() -> (handle: Int, stream: Int)? { startedStreams.popLast() }

    /// Sends what a peer's machine has to say; the next event it has to tell, nil if there is none.
    func drain(_ machine: MediaPeer) -> PeerEvent? {
        while true {
            let buffer = sockets.nextSlot()
            switch machine.nextOutput(into: buffer) {
            case .datagram(let length, let path): sockets.commit(buffer, length: length, path: path, at: time.now)
            case .event(let event): return event
            case nil: return nil
            }
        }
    }

    /// Gives the kernel what is queued.
    func flush() { sockets.flush(at: time.now) }
}
