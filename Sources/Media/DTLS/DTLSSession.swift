package import Timing
internal import Wire

/// What a DTLS session tells its owner.
package enum DTLSEvent: Hashable, Sendable {
    /// The handshake is through, and the certificate is the promised one.
    case established(profile: DTLSProtectionProfile, exportedKeys: [UInt8])
    /// The other side said goodbye.
    case closed
    case failed(DTLSFailure)
}

/// Why a handshake failed.
package enum DTLSFailure: Hashable, Sendable {
    /// The other side showed another certificate than its session description promises.
    case wrongCertificate
    /// Everything else: no common suite, a fatal alert, garbage that is well-formed enough.
    case handshake
    /// No common SRTP profile.
    case noProfile
}

/// The DTLS side of one media path (RFC 5764): a handshake that yields SRTP keys, and later a goodbye. No data.
///
/// Feed it only what comes from ICE-validated addresses: then the cookie exchange of RFC 6347 §4.2.1 adds nothing.
///
/// A flight is repeated byte for byte while its answer is missing: records that did arrive are dropped by the
/// receiver's replay window, the others take their first chance. Only sealed records get a new number each time,
/// because a Finished that did arrive must get through again to make the other side repeat its own last flight.
///
/// The OpenSSL session (over 40 KiB) lives for the handshake only.
package final class DTLSSession {
    package enum Role: Sendable {
        case client
        case server
    }

    /// Flights are cut to datagrams of this size at most: it passes any path that carries IPv6 (1,280).
    package static let maximumDatagramLength = 1200
    /// The first wait before a flight is repeated; it doubles up to the longest. RFC 6347 §4.2.4.1 names 1 s and 60 s,
    /// and allows less for real-time use.
    package static let firstWait = Interval.milliseconds(250)
    package static let longestWait = Interval.seconds(2)
    /// More datagrams than any handshake takes, with repeats: whoever sends more is not trying to finish it.
    package static let maximumHandshakeDatagrams = 1000
    /// Records of an established session: a repeated last flight has two or three, a goodbye one. Each takes a trial decryption, and
    /// whoever knows the path may send some.
    private static let maximumRecordsPerDatagram = 4
    private static let recordAllowance = Allowance(burst: 40, perSecond: 20)
    /// The shortest time between two repeats of the last flight on demand.
    private static let shortestRepeatInterval = Interval.milliseconds(50)

    private enum State {
        /// → established, over
        case handshaking(Handshake)
        /// → over
        case established(RecordProtection)
        case over
    }

    private let context: DTLSContext
    private var state: State
    /// The datagrams of our last flight, each made of whole records.
    private var flight: [[UInt8]] = []
    private var outgoing: [[UInt8]] = []
    private var events: [DTLSEvent] = []
    private var wait = DTLSSession.firstWait
    private var nextRepeat = Instant.distantFuture
    private var datagramsTaken = 0
    private var records = TokenBucket(DTLSSession.recordAllowance, now: .distantPast)
    /// Trial decryptions since the handshake.
    package private(set) var recordsTried: UInt64 = 0
    /// For repeats while the handshake still runs.
    private var protection: RecordProtection?
    private var lastFinished: UInt64?
    private var lastRepeat = Instant.distantPast

    /// A client begins with `start(at:)`, a server waits. Throws if OpenSSL is out of memory.
    package init(role: Role, context: DTLSContext, remoteFingerprint: CertificateFingerprint) throws(DTLSError) {
        self.context = context
        state = .handshaking(
            try Handshake(
                isClient: role == .client, context: context, remoteFingerprint: remoteFingerprint,
                mtu: DTLSSession.maximumDatagramLength))
    }

    package var isEstablished: Bool { if case .established = state { true } else { false } }
    package var isOver: Bool { if case .over = state { true } else { false } }

    /// Sends a client's first flight.
    package func start(at now: Instant) { proceed(nil, at: now) }

    /// Takes a datagram whose first byte says DTLS. Everything in it that is not authentic is without effect.
    package func receive(_ datagram: UnsafeRawBufferPointer, at now: Instant) {
        switch state {
        case .handshaking:
            datagramsTaken += 1
            guard datagramsTaken <= DTLSSession.maximumHandshakeDatagrams else { return }
            proceed(datagram, at: now)
        case .established(let protection):
            var offset = 0
            var count = 0
            while let record = DTLSRecord.parse(datagram, at: offset) {
                offset = record.range.upperBound
                // What is repeated of the handshake in clear costs nothing and means nothing.
                guard record.epoch == RecordProtection.epoch else { continue }
                count += 1
                guard count <= DTLSSession.maximumRecordsPerDatagram else { return }
                guard records.take(now: now) else { return }
                recordsTried &+= 1
                guard let content = protection.open(record, in: datagram) else { continue }
                take(record, content, at: now)
                if isOver { return }
            }
        case .over:
            return
        }
    }

    package var nextDeadline: Instant { nextRepeat }

    /// Repeats the flight that is still unanswered.
    package func advance(to now: Instant) {
        guard nextRepeat <= now else { return }
        repeatFlight()
        wait = min(wait * 2, DTLSSession.longestWait)
        nextRepeat = now + wait
    }

    package func nextEvent() -> DTLSEvent? { events.isEmpty ? nil : events.removeFirst() }

    /// The next datagram to send; its length, nil if there is none.
    package func nextOutput(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard !outgoing.isEmpty else { return nil }
        let datagram = outgoing.removeFirst()
        guard datagram.count <= buffer.count else { return nil }
        buffer.copyBytes(from: datagram)
        return datagram.count
    }

    /// Says goodbye, if the other side could understand it.
    package func close() {
        if case .established(var protection) = state {
            // Level warning, description close_notify (RFC 5246 §7.2).
            if let record = protection.seal(DTLSRecord.ContentType.alert, [1, 0]) { outgoing.append(record) }
        }
        end()
    }
}

// MARK: Handshake

extension DTLSSession {
    private func proceed(_ datagram: UnsafeRawBufferPointer?, at now: Instant) {
        guard case .handshaking(let handshake) = state else { return }
        let outcome = handshake.proceed(datagram)
        let output = handshake.takeOutput()
        if !output.isEmpty { beginFlight(output, of: handshake, at: now) }
        switch outcome {
        case .unfinished: break
        case .finished: establish(handshake)
        case .failed: fail(handshake.hasWrongCertificate ? .wrongCertificate : .handshake)
        }
    }

    /// A flight is all that OpenSSL writes in one go. Its answer makes it write the next one.
    private func beginFlight(_ records: [UInt8], of handshake: Handshake, at now: Instant) {
        flight = DTLSSession.datagrams(of: records)
        outgoing += flight
        protection = handshake.recordProtection()
        wait = DTLSSession.firstWait
        nextRepeat = now + wait
    }

    private func establish(_ handshake: Handshake) {
        guard let profile = handshake.selectedProfile(among: context.profiles) else { return fail(.noProfile) }
        guard let keys = handshake.exportKeys(length: profile.exporterLength),
            let protection = protection ?? handshake.recordProtection()
        else { return fail(.handshake) }
        // A server may have sent the last flight into the void: only a repeated Finished tells. A client is told by
        // the server's Finished that all is well, and has nothing left to repeat.
        if handshake.isClient { flight = [] }
        nextRepeat = .distantFuture
        self.protection = nil
        state = .established(protection)
        events.append(.established(profile: profile, exportedKeys: keys))
    }

    private func fail(_ failure: DTLSFailure) {
        events.append(.failed(failure))
        end()
    }

    /// What still waits to be sent (a last alert) is sent, nothing is repeated.
    private func end() {
        state = .over
        flight = []
        protection = nil
        nextRepeat = .distantFuture
    }

    /// Packs whole records into datagrams. OpenSSL cuts handshake messages so that each record fits.
    private static func datagrams(of records: [UInt8]) -> [[UInt8]] {
        records.withUnsafeBytes { bytes in
            var datagrams: [[UInt8]] = []
            var start = 0
            var end = 0
            while let record = DTLSRecord.parse(bytes, at: end) {
                if record.range.upperBound - start > maximumDatagramLength, end > start {
                    datagrams.append(Array(bytes[start..<end]))
                    start = end
                }
                end = record.range.upperBound
            }
            if end > start { datagrams.append(Array(bytes[start..<end])) }
            return datagrams
        }
    }
}

// MARK: Repeats

extension DTLSSession {
    /// A record of the other side under the agreed keys.
    private func take(_ record: DTLSRecord, _ content: [UInt8], at now: Instant) {
        switch record.contentType {
        case DTLSRecord.ContentType.handshake:
            // The client has not got our last flight and repeats its Finished. A copy of an old record is no reason.
            guard !flight.isEmpty, record.sequence > lastFinished ?? 0,
                lastRepeat + DTLSSession.shortestRepeatInterval <= now
            else { return }
            lastFinished = record.sequence
            lastRepeat = now
            repeatFlight()
        case DTLSRecord.ContentType.alert where content.count == 2:
            // close_notify, or any fatal alert (RFC 5246 §7.2). Warnings beside it mean nothing here.
            guard content[1] == 0 || content[0] == 2 else { return }
            events.append(.closed)
            end()
        default:
            return
        }
    }

    private func repeatFlight() {
        for datagram in flight {
            outgoing.append(renumbered(datagram))
        }
    }

    /// The datagram with its sealed records under new numbers.
    private func renumbered(_ datagram: [UInt8]) -> [UInt8] {
        var current: RecordProtection?
        if case .established(let protection) = state { current = protection } else { current = protection }
        guard var sealer = current else { return datagram }
        let result = datagram.withUnsafeBytes { bytes in
            var result: [UInt8] = []
            var offset = 0
            while let record = DTLSRecord.parse(bytes, at: offset) {
                offset = record.range.upperBound
                if record.epoch == RecordProtection.epoch, let content = sealer.openOwn(record, in: bytes),
                    let sealed = sealer.seal(record.contentType, content)
                {
                    result += sealed
                } else {
                    result += bytes[record.range]
                }
            }
            return result
        }
        if case .established = state { state = .established(sealer) } else { protection = sealer }
        return result
    }
}
