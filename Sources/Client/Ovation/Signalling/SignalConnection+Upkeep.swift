internal import NIOCore
internal import SignalProtocol
internal import Timing

// What a connection does by itself while it stands: new tickets, and the server's clock.

extension SignalConnection {
    /// Between readings of the server's clock. The first ones are quick.
    static let clockWait = TimeAmount.seconds(5)
    static let quickClockWait = TimeAmount.milliseconds(200)
    static let quickClockReadings = 12
    /// Once a song is set: its start is off by half of what the quickest question and the quickest answer were held up differently,
    /// which over a line with 20 ms of jitter each way is some 1.5 ms after a dozen readings, 5 ms for one start in twenty, and half a
    /// millisecond after forty.
    static let songClockWait = TimeAmount.milliseconds(100)
    static let songClockReadings = 30
    /// And while one sings, so that it stays there.
    static let singingClockWait = TimeAmount.milliseconds(400)
    static let clockPatience = TimeAmount.seconds(8)
    /// After a ticket could not be renewed.
    static let renewAgain = TimeAmount.seconds(20)

    func fetchTicket(_ done: @escaping (SignalConnection, OvationError?) -> Void) {
        guard let renew = credentials.renewTicket else { return done(self, OvationError(.signInUnavailable)) }
        let bound = NIOLoopBound((self, done), eventLoop: loop)
        Task { [loop] in  // ends with the application's answer
            let result: Result<String, OvationError>
            do { result = .success(try await renew()) } catch { result = .failure(OvationError.of(error)) }
            loop.execute {
                let (connection, done) = bound.value
                switch result {
                case .success(let ticket):
                    connection.credentials.ticket = ticket
                    done(connection, nil)
                case .failure(let error): done(connection, error)
                }
            }
        }
    }

    /// Renews the ticket on the standing connection.
    func renewOnTheWay() {
        guard credentials.renewTicket != nil, !isRenewing else { return }
        isRenewing = true
        timers.cancel(.renewal)
        fetchTicket { connection, error in
            if let error { return connection.renewalFailed(error) }
            // A connection that was lost meanwhile signs in with the new ticket.
            guard connection.isReady else { return connection.isRenewing = false }
            connection.perform(
                .renewSession(ticket: connection.credentials.ticket), timeout: .seconds(10)
            ) { [weak connection] result in
                guard let connection else { return }
                switch result {
                case .success:
                    connection.isRenewing = false
                    connection.outlet.tell(.ticketRenewed)
                case .failure(let error): connection.renewalFailed(error)
                }
            }
        }
    }

    private func renewalFailed(_ error: OvationError) {
        isRenewing = false
        if case .closed = machine.phase { return }
        outlet.tell(.ticketRenewalFailed(error))
        timers.set(.renewal, in: Self.renewAgain) { if $0.isReady { $0.renewOnTheWay() } }
    }

    /// Soon everything depends on the server's clock.
    func readClockQuickly() {
        guard isReady else { return }
        quickReadingsLeft = Self.songClockReadings
        readClock()
    }

    func readClock() {
        timers.cancel(.clock)
        let asked = now
        perform(.readClock, timeout: Self.clockPatience) { [weak self] result in
            guard let self, case .success(.clock(let reading)) = result else { return }
            let clock = outlet.clock
            clock.add(reading, sent: clock.local(asked), received: clock.local(now))
            publish { $0.roundTrip = self.outlet.clock.roundTrip }
        }
        let isSinging = followers.values.contains(where: \.isSinging)
        let usual = isSinging ? Self.singingClockWait : Self.clockWait
        let quick = isSinging ? Self.songClockWait : Self.quickClockWait
        let wait = quickReadingsLeft > 0 ? quick : usual
        quickReadingsLeft = max(0, quickReadingsLeft - 1)
        timers.set(.clock, in: wait) { if $0.isReady { $0.readClock() } }
    }
}
