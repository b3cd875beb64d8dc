package import Timing
package import Wire

/// The server's side of ICE (RFC 8445 §2.5): it answers checks and never sends any. Which path is used is the other
/// side's choice; we only remember which addresses have proven themselves, and follow the nominations.
package struct ICELiteAgent: Sendable {
    /// A phone has a few addresses, a laptop some more; each stays for as long as it is refreshed.
    package static let maximumPaths = 8
    /// RFC 7675 §5.1: what was not checked for so long may no longer be sent to.
    package static let pathLifetime = Interval.seconds(30)
    /// How long checks with the credentials from before a restart are still answered: those under way, and those of a
    /// client that has not got the answer to its offer yet.
    package static let restartGrace = Interval.seconds(10)
    /// Two paths that are nominated in turn within this time are both meant seriously, and media decides.
    package static let contestWindow = Interval.seconds(5)

    private var generation: ICEGeneration
    private var previous: (generation: ICEGeneration, until: Instant)?
    /// Whether a path was nominated with the present credentials: then the old ones choose nothing any more.
    private var isNominated = false
    private var paths: [ValidatedPath] = []
    private var selectedIndex: Int?
    private var response: Response?

    private struct ValidatedPath: Sendable {
        let path: NetworkPath
        var lastCheck: Instant
        var lastNomination: Instant?
        var lastMedia: Instant?
    }

    /// The answer to the datagram that came last. One is enough: output is drained after each input.
    private struct Response: Sendable {
        enum Content: Sendable {
            case success
            case refusal(Int, unknown: [UInt16])
        }
        let content: Content
        let transaction: STUNTransactionID
        let path: NetworkPath
        /// nil for requests that did not prove anything.
        let key: STUNIntegrityKey?
    }

    package init(local: ICECredentials, remote: ICECredentials) {
        generation = ICEGeneration(local: local, remote: remote)
    }

    /// Where to send to.
    package var selectedPath: NetworkPath? { selectedIndex.map { paths[$0].path } }

    /// Whether checks have come by this path, within `pathLifetime`.
    package func isValidated(_ path: NetworkPath) -> Bool { paths.contains { $0.path == path } }

    package var validatedPaths: [NetworkPath] { paths.map(\.path) }

    /// The earliest time at which a path or the old credentials expire.
    package var nextDeadline: Instant {
        let expiry = paths.reduce(Instant.distantFuture) { min($0, $1.lastCheck + ICELiteAgent.pathLifetime) }
        return min(expiry, previous?.until ?? .distantFuture)
    }

    /// Forgets what has expired.
    package mutating func advance(to now: Instant) {
        if let until = previous?.until, until <= now { previous = nil }
        guard paths.contains(where: { $0.lastCheck + ICELiteAgent.pathLifetime <= now }) else { return }
        let selected = selectedPath
        paths.removeAll { $0.lastCheck + ICELiteAgent.pathLifetime <= now }
        selectedIndex = paths.firstIndex { $0.path == selected } ?? newestNomination
    }

    /// New credentials after an offer with a new ufrag. Paths stay in use until a check with the new ones nominates
    /// another.
    package mutating func restart(local: ICECredentials, remote: ICECredentials, at now: Instant) {
        previous = (generation, now + ICELiteAgent.restartGrace)
        generation = ICEGeneration(local: local, remote: remote)
        isNominated = false
    }

    /// Notes that an authentic SRTP or SRTCP packet came by this path. False if the path is not validated.
    package mutating func noteMedia(on path: NetworkPath, at now: Instant) -> Bool {
        if let selectedIndex, paths[selectedIndex].path == path {
            paths[selectedIndex].lastMedia = now
            return true
        }
        guard let index = paths.firstIndex(where: { $0.path == path }) else { return false }
        paths[index].lastMedia = now
        return true
    }

    /// Takes a STUN datagram.
    package mutating func receive(_ datagram: UnsafeRawBufferPointer, path: NetworkPath, at now: Instant) -> ICEVerdict
    {
        guard let message = STUNMessage.parse(datagram), message.method == STUNMessage.binding else {
            return .malformed
        }
        // We never ask, so responses mean nothing; indications (keep-alives) carry no proof.
        guard message.messageClass == .request else { return .ignored }
        guard let username = message.username, message.integrityOffset != nil else {
            refuse(400, message, datagram, path)
            return .wrongCredentials
        }
        let isCurrent = datagram[username].elementsEqual(generation.inboundName)
        let named = isCurrent ? generation : previous?.generation
        guard let named, datagram[username].elementsEqual(named.inboundName),
            message.isAuthentic(in: datagram, key: named.localKey)
        else {
            refuse(401, message, datagram, path)
            return .wrongCredentials
        }
        // Also who has proved who it is may forge the address it comes from. What RFC 8445 §7.1 wants of a check (PRIORITY, a role,
        // FINGERPRINT) makes it longer than its answer.
        guard datagram.count >= ICELiteAgent.successLength(path) else { return .malformed }
        if !message.unknown.isEmpty {
            answer(.refusal(420, unknown: message.unknown), to: message, path, key: named.localKey)
        } else if message.controlled != nil {
            // RFC 8445 §7.3.1.1: both take themselves for controlled. We cannot change roles, so the other side must.
            answer(.refusal(487, unknown: []), to: message, path, key: named.localKey)
        } else {
            answer(.success, to: message, path, key: named.localKey)
            validate(path, nominates: message.usesCandidate && (isCurrent || !isNominated), at: now)
            if isCurrent, message.usesCandidate { isNominated = true }
        }
        return .authentic
    }

    /// Writes the answer to the datagram that came last, if there is one.
    package mutating func nextOutput(into buffer: UnsafeMutableRawBufferPointer) -> ICEDatagram? {
        guard let response else { return nil }
        self.response = nil
        var writer: STUNWriter
        switch response.content {
        case .success:
            writer = STUNWriter(into: buffer, .success, transaction: response.transaction)
            writer.addMappedAddress(response.path.remote)
        case .refusal(let code, let unknown):
            writer = STUNWriter(into: buffer, .error, transaction: response.transaction)
            writer.addErrorCode(code)
            if !unknown.isEmpty { writer.addUnknownAttributes(unknown) }
        }
        return writer.finish(key: response.key).map { ICEDatagram(length: $0, path: response.path) }
    }
}

// MARK: Answers

extension ICELiteAgent {
    /// An error response without MESSAGE-INTEGRITY: header, ERROR-CODE and FINGERPRINT.
    private static let refusalLength = STUNMessage.headerLength + 8 + 8

    /// Header, XOR-MAPPED-ADDRESS, MESSAGE-INTEGRITY and FINGERPRINT.
    private static func successLength(_ path: NetworkPath) -> Int {
        STUNMessage.headerLength + (path.remote.ip.isIPv4 ? 12 : 24) + 4 + STUNIntegrityKey.codeLength + 8
    }

    private mutating func answer(
        _ content: Response.Content, to message: STUNMessage, _ path: NetworkPath, key: STUNIntegrityKey?
    ) {
        response = Response(content: content, transaction: message.transaction, path: path, key: key)
    }

    /// Refuses a request whose sender proved nothing. Its address may be forged, so the answer is never longer than the
    /// request: nobody can be flooded through us.
    private mutating func refuse(
        _ code: Int, _ message: STUNMessage, _ datagram: UnsafeRawBufferPointer, _ path: NetworkPath
    ) {
        guard datagram.count >= ICELiteAgent.refusalLength else { return }
        answer(.refusal(code, unknown: []), to: message, path, key: nil)
    }
}

// MARK: Paths

extension ICELiteAgent {
    private var newestNomination: Int? {
        paths.indices.filter { paths[$0].lastNomination != nil }
            .max { (paths[$0].lastNomination ?? .distantPast) < (paths[$1].lastNomination ?? .distantPast) }
    }

    private mutating func validate(_ path: NetworkPath, nominates: Bool, at now: Instant) {
        let index: Int
        if let known = paths.firstIndex(where: { $0.path == path }) {
            index = known
            paths[index].lastCheck = now
        } else {
            if paths.count == ICELiteAgent.maximumPaths { evictOldest() }
            index = paths.count
            paths.append(ValidatedPath(path: path, lastCheck: now))
        }
        if nominates { nominate(index, at: now) }
    }

    /// Drops the path that was not checked for the longest time; never the one in use.
    private mutating func evictOldest() {
        let selected = selectedPath
        guard
            let oldest = paths.indices.filter({ $0 != selectedIndex })
                .min(by: { paths[$0].lastCheck < paths[$1].lastCheck })
        else { return }
        paths.remove(at: oldest)
        selectedIndex = paths.firstIndex { $0.path == selected }
    }

    /// The newest nomination wins. But browsers repeat theirs with every check, and for a while they may do so on two
    /// paths in turn: then we would follow each check, and flap. So a path that was nominated before, and after which
    /// the path in use was nominated again, takes over only if media came by it last.
    private mutating func nominate(_ index: Int, at now: Instant) {
        let before = paths[index].lastNomination
        paths[index].lastNomination = now
        guard let selectedIndex, selectedIndex != index else {
            self.selectedIndex = index
            return
        }
        let selected = paths[selectedIndex]
        if let before, before + ICELiteAgent.contestWindow > now,
            let rival = selected.lastNomination, rival >= before
        {
            guard (paths[index].lastMedia ?? .distantPast) > (selected.lastMedia ?? .distantPast) else { return }
        }
        self.selectedIndex = index
    }
}
