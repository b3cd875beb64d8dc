import DTLS
import NetworkSimulation
import Timing
import Wire

/// A DTLS session on a simulated network.
final class DTLSNode: SimulatedEndpoint {
    let session: DTLSSession
    let path: NetworkPath
    var events: [DTLSEvent] = []
    var datagramLengths: [Int] = []

    init(_ session: DTLSSession, path: NetworkPath) {
        self.session = session
        self.path = path
    }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) {
        session.receive(UnsafeRawBufferPointer(rebasing: datagram[..<length]), at: now)
    }
    func advance(to now: Instant) { session.advance(to: now) }
    var nextDeadline: Instant { session.nextDeadline }
    func nextDatagram(into buffer: UnsafeMutableRawBufferPointer, at now: Instant) -> (length: Int, path: NetworkPath)?
    {
        while let event = session.nextEvent() { events.append(event) }
        guard let length = session.nextOutput(into: buffer) else { return nil }
        datagramLengths.append(length)
        return (length, path)
    }

    var keys: [UInt8]? {
        for case .established(_, let keys) in events { return keys }
        return nil
    }
    var profile: DTLSProtectionProfile? {
        for case .established(let profile, _) in events { return profile }
        return nil
    }
}

let gcm = DTLSProtectionProfile(identifier: 7, openSSLName: "SRTP_AEAD_AES_128_GCM", exporterLength: 56)
let cm = DTLSProtectionProfile(identifier: 1, openSSLName: "SRTP_AES128_CM_SHA1_80", exporterLength: 60)

/// A client and a server that know each other's fingerprint.
struct DTLSPeers {
    static let clientAddress = TransportAddress(ip: IPAddress(v4: 10, 0, 0, 1), port: 5000)
    static let serverAddress = TransportAddress(ip: IPAddress(v4: 10, 0, 0, 2), port: 7882)

    let network: Network
    let client: DTLSNode
    let server: DTLSNode

    init(
        seed: UInt64 = 1, conditions: LinkConditions = .perfect, clientProfiles: [DTLSProtectionProfile] = [gcm, cm],
        serverProfiles: [DTLSProtectionProfile] = [gcm, cm], clientExpects: CertificateFingerprint? = nil,
        serverExpects: CertificateFingerprint? = nil
    ) throws {
        let clientContext = try DTLSContext(certificate: .selfSigned(), profiles: clientProfiles)
        let serverContext = try DTLSContext(certificate: .selfSigned(), profiles: serverProfiles)
        client = DTLSNode(
            try DTLSSession(
                role: .client, context: clientContext,
                remoteFingerprint: clientExpects ?? serverContext.certificate.fingerprint),
            path: NetworkPath(local: DTLSPeers.clientAddress, remote: DTLSPeers.serverAddress))
        server = DTLSNode(
            try DTLSSession(
                role: .server, context: serverContext,
                remoteFingerprint: serverExpects ?? clientContext.certificate.fingerprint),
            path: NetworkPath(local: DTLSPeers.serverAddress, remote: DTLSPeers.clientAddress))
        network = Network(seed: seed, conditions: conditions)
        network.attach(client, at: [DTLSPeers.clientAddress])
        network.attach(server, at: [DTLSPeers.serverAddress])
    }

    func start() {
        client.session.start(at: network.now)
    }
}
