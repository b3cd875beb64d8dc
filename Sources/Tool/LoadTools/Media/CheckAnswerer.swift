internal import ICE
internal import Wire

/// Answers the connectivity checks that some servers make although they are ICE-lite (libnice does, and waits for the answer).
struct CheckAnswerer {
    private let key: STUNIntegrityKey

    init(password: String) { key = STUNIntegrityKey(password: password) }

    /// Writes the answer to an authentic check; its length, nil if the datagram is none.
    func answer(
        _ datagram: UnsafeRawBufferPointer, from remote: TransportAddress, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard let first = datagram.first, first < 4, let message = STUNMessage.parse(datagram),
            message.messageClass == .request, message.method == STUNMessage.binding,
            message.isAuthentic(in: datagram, key: key)
        else { return nil }
        var writer = STUNWriter(into: buffer, .success, transaction: message.transaction)
        writer.addMappedAddress(remote)
        return writer.finish(key: key)
    }
}
