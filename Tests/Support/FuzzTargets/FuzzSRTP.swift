import RTP
import SRTP
import Wire

/// The first byte chooses the profile and what is done with the rest: it is opened as it stands, which fails by its tag,
/// or taken for a packet in clear, which must survive being sealed and opened.
package func fuzzSRTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 1 else { return 0 }
    let choice = start[0]
    let profile: SRTPProfile = choice & 1 == 0 ? .aeadAES128GCM : .aes128CMHMACSHA1_80
    let key = SRTPMasterKey(
        key: [UInt8](repeating: 7, count: profile.keyLength), salt: [UInt8](repeating: 9, count: profile.saltLength))
    guard let sender = SRTPSender(profile: profile, masterKey: key),
        let receiver = SRTPReceiver(profile: profile, masterKey: key)
    else { return 0 }
    let input = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    var buffer = input + [UInt8](repeating: 0, count: profile.controlOverhead)

    buffer.withUnsafeMutableBytes { buffer in
        switch choice >> 1 & 3 {
        case 0:
            if case .opened = receiver.open(buffer, length: input.count) { preconditionFailure("forged") }
        case 1:
            if case .opened = receiver.openControl(buffer, length: input.count) { preconditionFailure("forged") }
        case 2:
            guard
                let header = RTPHeader.parse(
                    UnsafeRawBufferPointer(rebasing: buffer[..<input.count]), isEncrypted: true),
                let length = sender.seal(
                    headerLength: header.headerLength,
                    payload: UnsafeRawBufferPointer(rebasing: buffer[header.headerLength..<input.count]), into: buffer)
            else { return }
            let result = receiver.open(buffer, length: length)
            precondition(
                result
                    == .opened(length: input.count, extendedSequence: UInt64(header.sequenceNumber.rawValue)))
            precondition(buffer[..<input.count].elementsEqual(input))
        default:
            guard let length = sender.sealControl(buffer, length: input.count) else { return }
            guard input[0] >> 6 == 2 else { return }
            let result = receiver.openControl(buffer, length: length)
            precondition(result == .opened(length: input.count, extendedSequence: 0))
            precondition(buffer[..<input.count].elementsEqual(input))
        }
    }
    return 0
}
