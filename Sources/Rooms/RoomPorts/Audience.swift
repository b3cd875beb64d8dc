package import RoomModel

/// Those who get a room's news, wherever their connections are. The room says each thing once, and whoever has the connections multiplies
/// it. All of it is called in the room's turn: it must be quick, must not wait, and its cost must not depend on how many listen.
package protocol Audience: AnyObject, Sendable {
    /// From the next `publish` on the session gets news, by that outbox and no former one.
    func join(_ session: SessionToken, by outbox: any Outbox)
    /// Nothing that is published from now on reaches the session.
    func leave(_ session: SessionToken)
    /// - Parameter news: an entry for each lane that has something, control first.
    func publish(_ news: [LaneNews], to recipients: Recipients)
    /// Whether what was published to everybody is still on its way to them. The room gathers its news until its next turn then; it gets
    /// one when this is over.
    var isBehind: Bool { get }
}

/// News that wait in one lane.
package struct LaneNews: Sendable, Hashable {
    package var news: RoomNews
    package var lane: NewsLane

    package init(_ news: RoomNews, lane: NewsLane) {
        self.news = news
        self.lane = lane
    }
}

/// Whom news are for. Sessions that have not joined get nothing.
package enum Recipients: Sendable {
    /// Few are excepted: those who get news of their own instead.
    case everybody(except: Set<SessionToken>)
    case only(Set<SessionToken>)
}

/// Makes the audience of a room. `ready` is called, from any thread, when an audience that said it was behind no longer is.
package typealias AudienceMaker = @Sendable (_ ready: @escaping @Sendable () -> Void) -> any Audience
