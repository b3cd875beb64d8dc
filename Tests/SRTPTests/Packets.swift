import RTP
import SeededRandom
import Wire

@testable import SRTP

/// A sender and a receiver under one key, and packets as arrays, which are easier to compare than buffers.
final class Link {
    let profile: SRTPProfile
    let master: SRTPMasterKey
    let sender: SRTPSender
    let receiver: SRTPReceiver

    init(_ profile: SRTPProfile, seed: UInt64 = 1) {
        var random = SeededGenerator(seed: seed)
        self.profile = profile
        master = SRTPMasterKey(
            key: (0..<profile.keyLength).map { _ in .random(in: 0...255, using: &random) },
            salt: (0..<profile.saltLength).map { _ in .random(in: 0...255, using: &random) })
        guard let sender = SRTPSender(profile: profile, masterKey: master),
            let receiver = SRTPReceiver(profile: profile, masterKey: master)
        else { preconditionFailure("OpenSSL has no memory") }
        self.sender = sender
        self.receiver = receiver
    }

    /// nil if the sender refuses.
    func seal(_ packet: [UInt8], again: Bool = false) -> [UInt8]? {
        guard let header = packet.withUnsafeBytes({ RTPHeader.parse($0, isEncrypted: true) }) else { return nil }
        var buffer =
            Array(packet[..<header.headerLength])
            + [UInt8](repeating: 0, count: packet.count - header.headerLength + profile.tagLength)
        let payload = Array(packet[header.headerLength...])
        let length = buffer.withUnsafeMutableBytes { buffer in
            payload.withUnsafeBytes { payload in
                again
                    ? sender.sealAgain(headerLength: header.headerLength, payload: payload, into: buffer)
                    : sender.seal(headerLength: header.headerLength, payload: payload, into: buffer)
            }
        }
        return length.map { Array(buffer[..<$0]) }
    }

    func sealControl(_ packet: [UInt8]) -> [UInt8]? {
        var buffer = packet + [UInt8](repeating: 0, count: profile.controlOverhead)
        let length = buffer.withUnsafeMutableBytes { sender.sealControl($0, length: packet.count) }
        return length.map { Array(buffer[..<$0]) }
    }

    func open(_ packet: [UInt8]) -> (result: SRTPOpenResult, packet: [UInt8]) {
        var buffer = packet
        let result = buffer.withUnsafeMutableBytes { receiver.open($0, length: packet.count) }
        guard case .opened(let length, _) = result else { return (result, []) }
        return (result, Array(buffer[..<length]))
    }

    func openControl(_ packet: [UInt8]) -> (result: SRTPOpenResult, packet: [UInt8]) {
        var buffer = packet
        let result = buffer.withUnsafeMutableBytes { receiver.openControl($0, length: packet.count) }
        guard case .opened(let length, _) = result else { return (result, []) }
        return (result, Array(buffer[..<length]))
    }
}

/// An RTP packet whose payload depends on its index, with sources and an extension if asked for.
func mediaPacket(
    _ index: UInt64, ssrc: UInt32 = 0x1122_3344, payload length: Int = 40, sources: Int = 0, hasExtension: Bool = false
) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 120)
    let count = header.withUnsafeMutableBytes { buffer in
        var writer = RTPHeaderWriter(
            into: buffer, payloadType: PayloadType(111),
            sequenceNumber: SequenceNumber16(UInt16(truncatingIfNeeded: index)),
            timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: index &* 960)), ssrc: SSRC(ssrc))
        for source in 0..<sources { writer.add(csrc: SSRC(UInt32(source))) }
        if hasExtension { writer.add(AudioLevel(attenuation: 30, isVoice: true), id: 1) }
        return writer.finish() ?? 0
    }
    return Array(header[..<count]) + (0..<length).map { UInt8(truncatingIfNeeded: index &+ UInt64($0)) }
}

/// A receiver report, or a longer compound.
func controlPacket(ssrc: UInt32 = 0x1122_3344, words: Int = 0) -> [UInt8] {
    var packet = [UInt8](repeating: 0, count: 200)
    let count = packet.withUnsafeMutableBytes { buffer in
        var writer = RTCPWriter(into: buffer)
        writer.writeReceiverReport(sender: SSRC(ssrc))
        if words > 0 { writer.writeSourceDescription(SSRC(ssrc), cname: String(repeating: "c", count: words * 4)) }
        return writer.count
    }
    return Array(packet[..<count])
}
