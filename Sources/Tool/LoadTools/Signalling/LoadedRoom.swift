/// A room on a server under load: lets participants in, and says where their media goes.
protocol LoadedRoom: Sendable {
    /// Lets one more in, and negotiates its media. `place` is 0 for the first participant, whoever it is.
    func join(place: Int, speaks: Bool) async throws -> PathPlan
}
