public import RoomModel

extension RoomSession {
    /// The loudness of everybody who speaks as the server measures it, now and after each interval, also in silence. It ends with the
    /// room.
    /// - Parameter interval: between two readings, at least 100 ms. The server measures five times a second; a reader that is slow gets
    ///   the newest reading alone.
    public func serverLevels(every interval: Duration) -> StateChanges<[UserID: Int]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UserID: Int].self, bufferingPolicy: .bufferingNewest(1))
        let pace = max(interval, .milliseconds(100))
        // Ends with the room, or with its reader.
        let reading = Task { [levelsBox = parts.levelsBox] in
            while !Task.isCancelled, !levelsBox.isFinished {
                continuation.yield(levelsBox.value)
                // The interval itself; cut short when the reader goes.
                try? await Task.sleep(for: pace)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in reading.cancel() }
        return StateChanges(base: stream, owner: self)
    }
}
