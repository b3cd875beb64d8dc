package import Wire

/// What an ICE agent made of a datagram.
package enum ICEVerdict: Hashable, Sendable {
    /// The sender proved that it knows the password: it is alive, and may be sent to.
    case authentic
    /// Well-formed, but nothing follows from it: an indication, a late response.
    case ignored
    case malformed
    /// Another's name, or a wrong code.
    case wrongCredentials
}

/// A STUN message to be sent.
package struct ICEDatagram: Hashable, Sendable {
    package var length: Int
    package var path: NetworkPath
}

/// The credentials of both sides between two ICE restarts, and what follows from them.
struct ICEGeneration: Sendable {
    /// USERNAME of checks that come to us, and of checks that we send (RFC 8445 §7.2.2).
    let inboundName: [UInt8]
    let outboundName: String
    /// Seals and checks what is addressed to us, and what is addressed to the other side.
    let localKey: STUNIntegrityKey
    let remoteKey: STUNIntegrityKey

    init(local: ICECredentials, remote: ICECredentials) {
        inboundName = Array("\(local.ufrag):\(remote.ufrag)".utf8)
        outboundName = "\(remote.ufrag):\(local.ufrag)"
        localKey = STUNIntegrityKey(password: local.password)
        remoteKey = STUNIntegrityKey(password: remote.password)
    }
}
