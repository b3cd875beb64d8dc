public import RoomModel
internal import SignalProtocol

extension OvationClient {
    // MARK: - Signals

    /// Tells one user something, on each client on which they are signed in; they hear it as the event `signal`. The server keeps none of it.
    ///
    /// Ten reach one user at once, then one a second (`rate_limited`). The application's word filter and its reviewer look at them as at
    /// messages, and whoever the operator has muted sends none.
    /// - Parameters:
    ///   - body: as a message's: up to 12 KiB.
    ///   - id: the caller's own id, which the user is told; 1…64 printable ASCII characters.
    /// - Throws: `user_away` if the user is not signed in anywhere at this moment.
    public func sendSignal(_ body: MessageBody, to user: UserID, id: String? = nil) async throws(OvationError) {
        guard case .empty = try await ask(.sendSignal(SignalDraft(to: user, body, id: id))) else {
            throw OvationError(.invalidAnswer)
        }
    }
}
