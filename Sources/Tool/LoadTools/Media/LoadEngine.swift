internal import DTLS
internal import DatagramIO
internal import Timing
internal import Wire

/// The media paths of all participants of a load: one thread with one socket for all of them, each at an address of its own.
///
/// A server tells its clients apart by their addresses. On Linux, any address of 127.0.0.0/8 is ours, and so is any range that is routed
/// to `lo` (`ip route add local …`): one socket takes and sends for all of them, as a thousand machines would.
final class LoadEngine: Sendable {
    /// The certificate of all participants.
    let fingerprint: CertificateFingerprint
    /// The UDP port of all participants.
    let port: UInt16
    let firstAddress: IPAddress

    private let mailbox: LoadMailbox
    private let thread: WorkerThread

    private init(
        fingerprint: CertificateFingerprint, port: UInt16, firstAddress: IPAddress, mailbox: LoadMailbox,
        thread: WorkerThread
    ) {
        self.fingerprint = fingerprint
        self.port = port
        self.firstAddress = firstAddress
        self.mailbox = mailbox
        self.thread = thread
    }

    /// Opens the socket and starts the thread.
    /// - Parameters:
    ///   - firstAddress: the IPv4 address of the first participant; the others have the next ones.
    ///   - port: 0 takes any.
    ///   - content: what speakers send.
    static func start(
        firstAddress: IPAddress, port: UInt16, content: LoadContent
    ) async throws -> LoadEngine {
        guard firstAddress.isIPv4 else { throw LoadFailure("the participants' addresses are IPv4") }
        let certificate = try DTLSCertificate.selfSigned()
        let mailbox = LoadMailbox()
        var thread: WorkerThread?
        let bound: UInt16 = try await withCheckedThrowingContinuation { started in
            do {
                thread = try WorkerThread(name: "load") {
                    do {
                        let worker = try LoadWorker(
                            firstAddress: firstAddress, port: port, content: content, certificate: certificate,
                            mailbox: mailbox)
                        started.resume(returning: worker.port)
                        worker.run()
                    } catch {
                        started.resume(throwing: LoadFailure("\(error)"))
                    }
                }
            } catch {
                started.resume(throwing: LoadFailure("\(error)"))
            }
        }
        guard let thread else { throw LoadFailure("the load's thread did not start") }
        return LoadEngine(
            fingerprint: certificate.fingerprint, port: bound, firstAddress: firstAddress, mailbox: mailbox,
            thread: thread)
    }

    deinit { mailbox.post(.stop) }

    /// The address of a participant.
    func address(of place: Int) -> IPAddress {
        IPAddress(high: firstAddress.high, low: firstAddress.low + UInt64(place))
    }

    /// Opens a path; returns once media can flow. A speaker speaks from then on.
    func open(_ plan: PathPlan) async throws {
        let failure: LoadFailure? = await withCheckedContinuation { continuation in
            mailbox.post(.open(plan) { continuation.resume(returning: $0) })
        }
        if let failure { throw failure }
    }

    /// How many listeners have got something by now.
    func served() async -> Int {
        await withCheckedContinuation { continuation in
            mailbox.post(.countServed { continuation.resume(returning: $0) })
        }
    }

    /// Counts from now on what arrives at the listeners.
    func beginCheck() { mailbox.post(.beginCheck) }

    /// What has arrived since `beginCheck` of what was sent until now. Waits for what is still on its way.
    func endCheck() async -> DeliveryCheck {
        await withCheckedContinuation { continuation in
            mailbox.post(.endCheck { continuation.resume(returning: $0) })
        }
    }
}
