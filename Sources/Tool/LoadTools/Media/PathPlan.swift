internal import DTLS
internal import ICE
internal import RTP
internal import SRTP
internal import Wire

/// Where a participant's media path leads and what it says there, as both session descriptions have it.
struct PathPlan: Sendable {
    /// What a speaker's packets look like.
    struct Speech: Sendable {
        var ssrc: SSRC
        var payloadType: PayloadType
        /// The extension that tells how loud a packet is; nil sends none.
        var levelID: UInt8?
        /// Frames of a picture rather than sound.
        var isPicture: Bool

        init(ssrc: SSRC, payloadType: PayloadType, levelID: UInt8? = nil, isPicture: Bool = false) {
            self.ssrc = ssrc
            self.payloadType = payloadType
            self.levelID = levelID
            self.isPicture = isPicture
        }
    }

    /// How the path is protected.
    enum Protection: Sendable {
        /// ICE and DTLS, as with any server.
        case session(local: ICECredentials, remote: ICECredentials, CertificateFingerprint)
        /// Nothing from us, and to us packets under this master key: the floor of the benchmark, which negotiates nothing.
        case fixedKey(SRTPMasterKey)
    }

    /// Which of our addresses the participant has: 0 for the first.
    var place: Int
    var server: TransportAddress
    var protection: Protection
    /// nil for listeners.
    var speech: Speech?

    init(place: Int, server: TransportAddress, protection: Protection, speech: Speech?) {
        self.place = place
        self.server = server
        self.protection = protection
        self.speech = speech
    }
}
