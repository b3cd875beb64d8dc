public import RoomModel

extension RoomSession {
    /// The loudness of everybody who speaks as the server measures it, now and after each interval, also in silence. It ends with the
    /// room.
    /// - Parameter interval: between two readings, at least 100 ms. The server measures five times a second; a reader that is slow gets
    ///   the newest reading alone.
    public func serverLevels(every interval: Duration) -> StateChanges<[UserID: Int]> {
        StateChanges(base: parts.levelsBox.readings(every: max(interval, .milliseconds(100))), owner: self)
    }
}
