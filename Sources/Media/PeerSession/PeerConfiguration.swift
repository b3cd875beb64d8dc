package import DTLS
package import ICE
package import RTP
package import Wire

/// What a peer needs to know before its first packet: all of it stands in the two session descriptions.
package struct PeerConfiguration: Sendable {
    /// Who does what on the path. There are two ends only: our server, and clients that connect to it.
    package enum Role: Sendable, Hashable {
        /// ICE-lite and DTLS server.
        case server
        /// Controlling ICE agent and DTLS client. `paths` are tried, the preferred one first: each of our addresses
        /// with each candidate of the server.
        case client(paths: [NetworkPath])
    }

    package var role: Role
    package var localCredentials: ICECredentials
    package var remoteCredentials: ICECredentials
    /// The certificate that the other side's session description promises.
    package var remoteFingerprint: CertificateFingerprint
    /// The SSRC under which we report on what we receive. Random, and different from those of our streams.
    package var reportSSRC: SSRC
    /// Names our end in reports that come without a stream of our own (RFC 7022).
    package var cname: String
    /// Ticks a second of the streams that we receive: 48,000 for Opus (RFC 7587).
    package var receiveClockRate: UInt32 = 48_000
    /// Whether lost packets may be asked for, as negotiated (`a=rtcp-fb:… nack`).
    package var requestsRepeats = true
    /// Tells the wall-clock time that sender reports carry.
    package var clock: NTPClock
    /// Seeds what must not be predictable or must differ between peers (transaction ids, the spread of reports).
    /// From a cryptographically strong source.
    package var seed: UInt64

    package init(
        role: Role, localCredentials: ICECredentials, remoteCredentials: ICECredentials,
        remoteFingerprint: CertificateFingerprint, reportSSRC: SSRC, cname: String, clock: NTPClock, seed: UInt64
    ) {
        self.role = role
        self.localCredentials = localCredentials
        self.remoteCredentials = remoteCredentials
        self.remoteFingerprint = remoteFingerprint
        self.reportSSRC = reportSSRC
        self.cname = cname
        self.clock = clock
        self.seed = seed
    }
}
