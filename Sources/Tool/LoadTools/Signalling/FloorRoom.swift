internal import DatagramIO
internal import RTP
internal import SRTP
internal import Wire

/// The floor: a program that enciphers what it gets for a number of addresses that it was told at its start, and negotiates nothing.
struct FloorRoom: LoadedRoom {
    private let server: TransportAddress
    private let key: SRTPMasterKey
    private let content: LoadContent

    /// - Parameters:
    ///   - address: IPv4 address and port, with a colon.
    ///   - key: master key and salt in hexadecimal.
    init(address: String, key: String, content: LoadContent) throws(LoadFailure) {
        let parts = address.split(separator: ":")
        guard parts.count == 2, let ip = IPAddress(text: String(parts[0])), ip.isIPv4, let port = UInt16(parts[1])
        else {
            throw LoadFailure("\(address) is no IPv4 address and port")
        }
        let digits = Array(key)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        guard bytes.count == 28, digits.count == 56 else { throw LoadFailure("the floor's key has 28 bytes") }
        self.content = content
        server = TransportAddress(ip: ip, port: port)
        self.key = SRTPMasterKey(key: Array(bytes[..<16]), salt: Array(bytes[16...]))
    }

    func join(place: Int, speaks: Bool) async throws -> PathPlan {
        let speech = PathPlan.Speech(
            ssrc: SSRC(UInt32(place) + 1), payloadType: PayloadType(content.isPicture ? 96 : 111),
            isPicture: content.isPicture)
        return PathPlan(place: place, server: server, protection: .fixedKey(key), speech: speaks ? speech : nil)
    }
}
