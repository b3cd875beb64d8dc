internal import Timing

/// What stands at the start of each payload that a speaker of a load sends: who, which one, when. A forwarding server carries payloads
/// as they are.
struct SpokenPacket {
    static let length = 16

    var speaker: UInt16
    var number: UInt32
    var sentAt: Instant

    init(speaker: UInt16, number: UInt32, sentAt: Instant) {
        self.speaker = speaker
        self.number = number
        self.sentAt = sentAt
    }

    /// Marks payloads as ours.
    private static let mark: UInt16 = 0x4f76

    /// nil if it is none of ours.
    init?(_ payload: UnsafeRawBufferPointer) {
        guard payload.count >= Self.length, payload.loadUnaligned(as: UInt16.self) == Self.mark else { return nil }
        speaker = payload.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
        number = payload.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        sentAt = Instant(nanoseconds: payload.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    }

    func write(into payload: UnsafeMutableRawBufferPointer) {
        payload.storeBytes(of: Self.mark, as: UInt16.self)
        payload.storeBytes(of: speaker, toByteOffset: 2, as: UInt16.self)
        payload.storeBytes(of: number, toByteOffset: 4, as: UInt32.self)
        payload.storeBytes(of: sentAt.nanoseconds, toByteOffset: 8, as: Int64.self)
    }
}
