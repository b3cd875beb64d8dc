internal import NIOCore
internal import SignalProtocol

/// Keeps a connection's ticket new, as far as the application gives it the means. On the connection's event loop.
final class TicketRenewal {
    /// After a ticket could not be renewed.
    static let again = TimeAmount.seconds(20)

    private unowned let connection: SignalConnection
    private var isRenewing = false

    init(_ connection: SignalConnection) { self.connection = connection }

    /// Renews the ticket on the standing connection.
    func renew() {
        guard connection.signIn.credentials.renewTicket != nil, !isRenewing else { return }
        isRenewing = true
        connection.timers.cancel(.renewal)
        connection.signIn.fetchTicket { connection, error in
            let renewal = connection.tickets
            if let error { return renewal.failed(error) }
            // A connection that was lost meanwhile signs in with the new ticket.
            guard connection.isReady else { return renewal.isRenewing = false }
            connection.perform(
                .renewSession(RenewSession(ticket: connection.signIn.credentials.ticket)), timeout: .seconds(10)
            ) { [weak renewal] result in
                guard let renewal else { return }
                switch result {
                case .success:
                    renewal.isRenewing = false
                    renewal.connection.outlet.tell(.ticketRenewed)
                case .failure(let error): renewal.failed(error)
                }
            }
        }
    }

    private func failed(_ error: OvationError) {
        isRenewing = false
        guard !connection.isClosed else { return }
        connection.outlet.tell(.ticketRenewalFailed(error))
        connection.timers.set(.renewal, in: Self.again) { if $0.isReady { $0.tickets.renew() } }
    }
}
