package import Timing
package import Wire

/// What a peer session needs of either side of ICE.
package protocol ICEAgent: Sendable {
    /// Where to send to; nil until a path is nominated.
    var selectedPath: NetworkPath? { get }
    /// Whether a check has been answered on this path, so that DTLS and SRTP from there are looked at.
    func isValidated(_ path: NetworkPath) -> Bool
    /// Notes that an authentic SRTP or SRTCP packet came by this path. False if the path is not validated.
    mutating func noteMedia(on path: NetworkPath, at now: Instant) -> Bool
    /// Takes a STUN datagram.
    mutating func receive(_ datagram: UnsafeRawBufferPointer, path: NetworkPath, at now: Instant) -> ICEVerdict
    mutating func advance(to now: Instant)
    var nextDeadline: Instant { get }
    mutating func nextOutput(into buffer: UnsafeMutableRawBufferPointer) -> ICEDatagram?
    /// New credentials of both sides (RFC 8445 §9). `paths` are those that a controlling agent is to try; without
    /// any, it checks the present ones again. A lite agent tries none.
    mutating func restart(local: ICECredentials, remote: ICECredentials, paths: [NetworkPath], at now: Instant)
}

extension ICEControllingAgent: ICEAgent {}

extension ICELiteAgent: ICEAgent {
    package mutating func restart(
        local: ICECredentials, remote: ICECredentials, paths: [NetworkPath], at now: Instant
    ) {
        restart(local: local, remote: remote, at: now)
    }
}
