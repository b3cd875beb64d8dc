import RoomModel
package import RoomPorts
import Synchronization

/// What live rooms look like now, as messengers show it beside a link: a still, framed to 1200 × 630 by the process that reads strangers'
/// pictures. Each is made once, when somebody first asks for it.
package final class ShareCards: Sendable {
    /// Messengers take more, and a still has no more in it.
    private static let mostBytes = 120 << 10
    /// Made ones that are kept: some 60 KB each.
    private static let mostKept = 64

    private struct Name: Hashable {
        var room: RoomID
        var still: Int64
    }

    private struct State {
        var cards: [Name: Task<[UInt8]?, Never>] = [:]
        /// In the order in which they were asked for.
        var order: [Name] = []
    }

    private let rewrite: @Sendable (_ jpeg: [UInt8], PictureOrder) async -> PictureFinding
    private let state = Mutex(State())

    package init(rewrite: @escaping @Sendable (_ jpeg: [UInt8], PictureOrder) async -> PictureFinding) {
        self.rewrite = rewrite
    }

    /// - Returns: `nil` where this server cannot read pictures, or has no time for it.
    func card(of still: StillPicture, number: Int64, in room: RoomID) async -> [UInt8]? {
        let name = Name(room: room, still: number)
        let card = state.withLock { state in
            if let card = state.cards[name] { return card }
            let card = Task { [rewrite] in await Self.made(of: still, by: rewrite) }
            state.cards[name] = card
            state.order.append(name)
            if state.order.count > Self.mostKept { state.cards[state.order.removeFirst()] = nil }
            return card
        }
        let bytes = await card.value
        // Another one may find more time.
        if bytes == nil { forget(name) }
        return bytes
    }

    private func forget(_ name: Name) {
        state.withLock { state in
            state.cards[name] = nil
            state.order.removeAll { $0 == name }
        }
    }

    private static func made(
        of still: StillPicture, by rewrite: @Sendable (_ jpeg: [UInt8], PictureOrder) async -> PictureFinding
    ) async -> [UInt8]? {
        let size = PictureOrder.Size(side: PictureOrder.cardWidth, bytes: mostBytes)
        guard case .pictures(let made) = await rewrite(still.jpeg, PictureOrder(.still, crop: .card, sizes: [size]))
        else { return nil }
        return made.first
    }
}
