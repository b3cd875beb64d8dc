internal import Timing
internal import Wire

/// One way from an address of ours to one of the server's, and what checking it has shown.
struct CandidatePair: Sendable {
    /// waiting → checking; checking → answered or broken; answered → nominating; nominating → nominated or broken;
    /// nominated → answered, when another is. All go back to waiting when a search begins.
    enum State: Sendable {
        case waiting
        case checking(ConnectivityCheck)
        /// It answers.
        case answered
        /// It answers, and a check with USE-CANDIDATE is under way.
        case nominating(ConnectivityCheck)
        case nominated
        case broken
    }

    let path: NetworkPath
    var state: State = .waiting

    init(path: NetworkPath) { self.path = path }

    var check: ConnectivityCheck? {
        switch state {
        case .checking(let check), .nominating(let check): check
        case .waiting, .answered, .nominated, .broken: nil
        }
    }

    var isWaiting: Bool { if case .waiting = state { true } else { false } }
    var isAnswered: Bool { if case .answered = state { true } else { false } }
    var isNominating: Bool { if case .nominating = state { true } else { false } }
    var isBroken: Bool { if case .broken = state { true } else { false } }

    /// A check was answered since the search began.
    var answers: Bool {
        switch state {
        case .answered, .nominating, .nominated: true
        case .waiting, .checking, .broken: false
        }
    }
    /// Nothing more will be learned of it by waiting.
    var isResolved: Bool { answers || isBroken }

    /// The check was sent once more, or for the first time in this state.
    mutating func continueCheck(_ check: ConnectivityCheck) {
        state = isNominating ? .nominating(check) : .checking(check)
    }
}

/// A binding request under way.
struct ConnectivityCheck: Sendable {
    let transaction: STUNTransactionID
    var sends = 1
    var nextSend: Instant
}
