package import Forwarding
package import RoomPorts
package import Timing

/// Who makes the mix that the audience of a chorus hears. Called from any thread; every call returns at once.
package protocol AudienceMixer: Sendable {
    /// A stage with a mix has opened. What is sung there comes by the feed that is returned, and the mix goes back by it;
    /// `wakeStage` is called when there is something to take.
    func open(_ stage: StageID, wakeStage: @escaping @Sendable () -> Void) -> MixFeed
    func close(_ stage: StageID)
    func set(_ song: StageSong?, on stage: StageID)
    func set(latency: Interval, of singer: PeerID, on stage: StageID)
    /// Ends all threads; called once nothing comes any more.
    func stop()
}
