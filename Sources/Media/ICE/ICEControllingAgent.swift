package import Timing
package import Wire

/// A client's side of ICE towards an ICE-lite server (RFC 8445, regular nomination): it checks each path, nominates the
/// best one that answers, keeps the consent to send on it fresh (RFC 7675), and looks for another when it falls silent.
package struct ICEControllingAgent: Sendable {
    /// RFC 8445 §14.2 wants ≥ 5 ms between two checks; 50 ms would only make joining slower.
    package static let pacing = Interval.milliseconds(20)
    /// The first wait for an answer; it doubles up to `longestWait`.
    package static let firstWait = Interval.milliseconds(200)
    package static let longestWait = Interval.milliseconds(1600)
    /// RFC 8489 §6.2.1 (Rc): how often a check is sent before the path counts as broken.
    package static let maximumSends = 7
    /// How long a path that answered waits for one that we like better.
    package static let nominationPatience = Interval.milliseconds(150)
    /// Each consent check comes 0.8…1.2 times this after the one before. As often as browsers do it, so that a server
    /// notices a rebound NAT soon.
    package static let consentInterval = Interval.milliseconds(2500)
    /// The same while nothing comes back.
    package static let urgentConsentInterval = Interval.milliseconds(500)
    /// After so long a silence consent checks become urgent, and after so long a one the other paths are tried again.
    package static let silenceUntilUrgent = Interval.milliseconds(1500)
    package static let silenceUntilSearch = Interval.seconds(4)
    package static let maximumPaths = 32
    /// Consent checks whose answer may still come.
    private static let maximumOpenConsents = 8

    private var generation: ICEGeneration
    private var pairs: [CandidatePair] = []
    private var random: SplitMix64
    private let tieBreaker: UInt64
    private var selectedIndex: Int?
    private var nextCheck: Instant
    private var nextConsent = Instant.distantFuture
    private var consents: [(transaction: STUNTransactionID, path: NetworkPath)] = []
    private var firstAnswer: Instant?
    private var lastAuthentic: Instant
    private var isSearching = true
    private var outgoing: [Outgoing] = []

    private struct Outgoing: Sendable {
        let transaction: STUNTransactionID
        let path: NetworkPath
        let nominates: Bool
    }

    /// `paths` with the preferred one first. `seed` comes from a strong source: transaction ids follow from it.
    package init(local: ICECredentials, remote: ICECredentials, paths: [NetworkPath], seed: UInt64, at now: Instant) {
        generation = ICEGeneration(local: local, remote: remote)
        random = SplitMix64(seed: seed)
        tieBreaker = random.next()
        nextCheck = now
        lastAuthentic = now
        setPaths(paths, at: now)
    }

    /// Where to send to; nil until a nomination is answered.
    package var selectedPath: NetworkPath? { selectedIndex.map { pairs[$0].path } }

    /// The selected path counts as validated while it is checked anew.
    package func isValidated(_ path: NetworkPath) -> Bool {
        path == selectedPath || pairs.contains { $0.path == path && $0.answers }
    }

    /// New credentials of both sides; the selected path stays in use until another one is nominated. Without new
    /// paths, the present ones are checked again.
    package mutating func restart(
        local: ICECredentials, remote: ICECredentials, paths: [NetworkPath], at now: Instant
    ) {
        generation = ICEGeneration(local: local, remote: remote)
        consents = []
        if !paths.isEmpty { setPaths(paths, at: now) }
        search(at: now)
    }

    /// Replaces the paths to try, after an address came or went. Known ones keep what is known of them.
    package mutating func setPaths(_ paths: [NetworkPath], at now: Instant) {
        let selected = selectedPath
        let known = pairs
        pairs = paths.prefix(ICEControllingAgent.maximumPaths).map { path in
            known.first { $0.path == path } ?? CandidatePair(path: path)
        }
        selectedIndex = pairs.firstIndex { $0.path == selected }
        if selectedIndex == nil { search(at: now) }
    }

    /// Notes an authentic packet of any kind.
    package mutating func noteMedia(on path: NetworkPath, at now: Instant) -> Bool {
        guard isValidated(path) else { return false }
        lastAuthentic = max(lastAuthentic, now)
        return true
    }

    /// Takes a STUN datagram.
    package mutating func receive(_ datagram: UnsafeRawBufferPointer, path: NetworkPath, at now: Instant) -> ICEVerdict
    {
        guard let message = STUNMessage.parse(datagram), message.method == STUNMessage.binding else {
            return .malformed
        }
        // An ICE-lite server asks nothing.
        guard message.messageClass == .success || message.messageClass == .error else { return .ignored }
        let index = pairs.firstIndex { $0.path == path && $0.check?.transaction == message.transaction }
        let consent = consents.firstIndex { $0.path == path && $0.transaction == message.transaction }
        guard index != nil || consent != nil else { return .ignored }
        // Refusals of the unknown are not signed: they are not worth more than a lost packet, so the check goes on.
        guard message.isAuthentic(in: datagram, key: generation.remoteKey) else { return .wrongCredentials }
        lastAuthentic = max(lastAuthentic, now)
        if let consent {
            consents.remove(at: consent)
            nextConsent = now + consentDelay(ICEControllingAgent.consentInterval)
        }
        if let index { take(message.messageClass, for: index, at: now) }
        return .authentic
    }

    package var nextDeadline: Instant {
        guard outgoing.isEmpty else { return .distantPast }
        var deadline = min(nextConsent, selectedIndex == nil ? .distantFuture : searchTime)
        var hasWaiting = false
        for pair in pairs {
            if let check = pair.check { deadline = min(deadline, check.nextSend) }
            if pair.isWaiting { hasWaiting = true }
        }
        if isSearching, hasWaiting { deadline = min(deadline, nextCheck) }
        if let nominationTime { deadline = min(deadline, nominationTime) }
        return deadline
    }

    package mutating func advance(to now: Instant) {
        if selectedIndex != nil, searchTime <= now { search(at: now) }
        repeatChecks(at: now)
        if isSearching, nextCheck <= now, let index = pairs.firstIndex(where: { $0.isWaiting }) {
            pairs[index].state = .checking(send(on: pairs[index].path, nominates: false, at: now))
            nextCheck = now + ICEControllingAgent.pacing
        }
        // All broken: the server may only be late. The owner decides when to give up.
        if isSearching, !pairs.isEmpty, pairs.allSatisfy({ $0.isBroken }) {
            for index in pairs.indices { pairs[index].state = .waiting }
            nextCheck = now + ICEControllingAgent.firstWait
        }
        if let nominationTime, nominationTime <= now { nominateBest(at: now) }
        if nextConsent <= now { checkConsent(at: now) }
    }

    /// Writes the next check that is due to be sent.
    package mutating func nextOutput(into buffer: UnsafeMutableRawBufferPointer) -> ICEDatagram? {
        guard !outgoing.isEmpty else { return nil }
        let next = outgoing.removeFirst()
        var writer = STUNWriter(into: buffer, .request, transaction: next.transaction)
        writer.addUsername(generation.outboundName)
        writer.addPriority(ICEControllingAgent.peerReflexivePriority)
        writer.addControlling(tieBreaker: tieBreaker)
        if next.nominates { writer.addUseCandidate() }
        return writer.finish(key: generation.remoteKey).map { ICEDatagram(length: $0, path: next.path) }
    }

    /// RFC 8445 §5.1.2.1: type preference 110 (peer-reflexive), the only local preference, component 1.
    private static let peerReflexivePriority: UInt32 = 110 << 24 | 65535 << 8 | 255
}

// MARK: Checks

extension ICEControllingAgent {
    private mutating func send(on path: NetworkPath, nominates: Bool, at now: Instant) -> ConnectivityCheck {
        let transaction = newTransaction()
        outgoing.append(Outgoing(transaction: transaction, path: path, nominates: nominates))
        return ConnectivityCheck(transaction: transaction, nextSend: now + ICEControllingAgent.firstWait)
    }

    private mutating func newTransaction() -> STUNTransactionID {
        STUNTransactionID(high: UInt32(truncatingIfNeeded: random.next()), low: random.next())
    }

    private mutating func repeatChecks(at now: Instant) {
        for index in pairs.indices {
            guard var check = pairs[index].check, check.nextSend <= now else { continue }
            guard check.sends < ICEControllingAgent.maximumSends else {
                pairs[index].state = .broken
                continue
            }
            let wait = Interval(nanoseconds: ICEControllingAgent.firstWait.nanoseconds << Int64(check.sends))
            check.nextSend = now + min(wait, ICEControllingAgent.longestWait)
            check.sends += 1
            pairs[index].continueCheck(check)
            outgoing.append(
                Outgoing(
                    transaction: check.transaction, path: pairs[index].path, nominates: pairs[index].isNominating))
        }
    }

    private mutating func take(_ messageClass: STUNMessage.Class, for index: Int, at now: Instant) {
        guard messageClass == .success else {
            pairs[index].state = .broken
            return
        }
        if pairs[index].isNominating {
            pairs[index].state = .nominated
            select(index, at: now)
        } else {
            pairs[index].state = .answered
            if firstAnswer == nil { firstAnswer = now }
        }
    }
}

// MARK: Nomination

extension ICEControllingAgent {
    /// When the best path that answers is nominated: at once if no better one can still answer.
    private var nominationTime: Instant? {
        guard isSearching, let firstAnswer,
            !pairs.contains(where: \.isNominating), let best = pairs.firstIndex(where: \.isAnswered)
        else { return nil }
        return pairs[..<best].allSatisfy(\.isResolved)
            ? .distantPast : firstAnswer + ICEControllingAgent.nominationPatience
    }

    private mutating func nominateBest(at now: Instant) {
        guard let best = pairs.firstIndex(where: \.isAnswered) else { return }
        pairs[best].state = .nominating(send(on: pairs[best].path, nominates: true, at: now))
    }

    private mutating func select(_ index: Int, at now: Instant) {
        if let selectedIndex, selectedIndex != index { pairs[selectedIndex].state = .answered }
        selectedIndex = index
        isSearching = false
        nextConsent = now + consentDelay(ICEControllingAgent.consentInterval)
    }

    /// Starts over on all paths; the selected one stays in use meanwhile.
    private mutating func search(at now: Instant) {
        isSearching = true
        firstAnswer = nil
        nextCheck = now
        lastAuthentic = max(lastAuthentic, now)
        for index in pairs.indices { pairs[index].state = .waiting }
    }
}

// MARK: Consent

extension ICEControllingAgent {
    private var searchTime: Instant {
        isSearching ? .distantFuture : lastAuthentic + ICEControllingAgent.silenceUntilSearch
    }

    /// RFC 7675 §5.1: spread by ±20 %, so that checks of many clients do not fall into step.
    private mutating func consentDelay(_ interval: Interval) -> Interval {
        interval * Int64(800 + random.next() % 401) / 1000
    }

    /// Not repeated when unanswered: the next one is new. It nominates again, so that the server follows when our
    /// address changes on the way.
    private mutating func checkConsent(at now: Instant) {
        guard let path = selectedPath else {
            nextConsent = .distantFuture
            return
        }
        let isUrgent = lastAuthentic + ICEControllingAgent.silenceUntilUrgent <= now
        let transaction = newTransaction()
        if consents.count == ICEControllingAgent.maximumOpenConsents { consents.removeFirst() }
        consents.append((transaction, path))
        outgoing.append(Outgoing(transaction: transaction, path: path, nominates: true))
        nextConsent =
            now
            + consentDelay(
                isUrgent ? ICEControllingAgent.urgentConsentInterval : ICEControllingAgent.consentInterval)
    }
}
