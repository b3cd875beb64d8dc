internal import Codecs
internal import DTLS
internal import ICE
internal import PeerSession
internal import RoomPorts
internal import SDP
internal import Timing

/// Turns offers into answers and into what a peer's machine must know. Decides nothing about rooms.
struct Negotiator {
    let fingerprint: CertificateFingerprint
    let clock: NTPClock
    private var generator = SystemRandomNumberGenerator()

    init(fingerprint: CertificateFingerprint, clock: NTPClock) {
        self.fingerprint = fingerprint
        self.clock = clock
    }

    /// What a new path begins with.
    struct Opening {
        var terms: PeerTerms
        var credentials: ICECredentials
        var session: NegotiatedSession
        var configuration: PeerConfiguration
    }

    /// What changes on an open path.
    struct Renegotiation {
        var session: NegotiatedSession
        var credentials: ICECredentials
        /// Both sides' names and passwords are new.
        var restartsICE: Bool
    }

    mutating func open(_ offer: ParsedOffer, slots: Int, pictures: StagePictures?) throws(MediaRefusal) -> Opening {
        let terms = PeerTerms(
            slots: slots, pictures: pictures?.count ?? 0, encoding: pictures?.format.encoding ?? .vp8,
            using: &generator)
        let credentials = ICECredentials.random(using: &generator)
        let session = try answer(offer, terms: terms, credentials: credentials, version: 1)
        guard let remote = session.remote.fingerprints.lazy.compactMap(CertificateFingerprint.init(sdpValue:)).first
        else {
            throw .badOffer("no certificate fingerprint of a known hash")
        }
        var configuration = PeerConfiguration(
            role: .server, localCredentials: credentials, remoteCredentials: session.remote.credentials,
            remoteFingerprint: remote, reportSSRC: terms.reportSSRC, cname: terms.cname, clock: clock,
            seed: generator.next())
        configuration.requestsRepeats = session.microphone?.hasNACK ?? false
        return Opening(terms: terms, credentials: credentials, session: session, configuration: configuration)
    }

    /// nil if the offer comes from another peer connection than the peer's: then the path must be opened anew.
    mutating func renegotiate(_ offer: ParsedOffer, of peer: Peer) throws(MediaRefusal) -> Renegotiation? {
        guard offer.description.sessionID == peer.remoteSessionID else { return nil }
        let version = peer.answerVersion + 1
        let session = try answer(offer, terms: peer.terms, credentials: peer.credentials, version: version)
        guard session.remote.fingerprints == peer.remote.fingerprints else { return nil }
        guard session.remote.ufrag != peer.remote.ufrag else {
            return Renegotiation(session: session, credentials: peer.credentials, restartsICE: false)
        }
        let credentials = ICECredentials.random(using: &generator)
        let restarted = try answer(offer, terms: peer.terms, credentials: credentials, version: version)
        return Renegotiation(session: restarted, credentials: credentials, restartsICE: true)
    }

    private func answer(
        _ offer: ParsedOffer, terms: PeerTerms, credentials: ICECredentials, version: UInt64
    ) throws(MediaRefusal) -> NegotiatedSession {
        var answerer = OfferAnswerer(
            ufrag: credentials.ufrag, password: credentials.password, fingerprint: fingerprint.sdpValue,
            candidates: offer.candidates, sessionID: terms.sessionID, version: version, slots: terms.sources)
        answerer.views = terms.views
        answerer.encoding = terms.encoding
        answerer.uses = offer.uses
        do {
            return try answerer.answer(offer.description)
        } catch {
            throw .badOffer(error.message)
        }
    }
}

extension NegotiatedSession.RemoteTransport {
    var credentials: ICECredentials { ICECredentials(ufrag: ufrag, password: password) }
}

extension VideoFormat {
    /// As lines of an offer name it.
    fileprivate var encoding: PictureEncoding {
        switch self {
        case .vp8: .vp8
        case .h264: .h264
        case .vp9: .vp9
        case .av1: .av1
        }
    }
}
