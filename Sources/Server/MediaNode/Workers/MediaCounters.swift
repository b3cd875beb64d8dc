package import DatagramIO
package import Forwarding
package import PeerSession

/// What a media worker has done since it started, for metrics. Counters only grow, `peers` to `deadlines` and `load` are present values.
package struct MediaCounters: Sendable, Hashable {
    package var peers = 0
    package var connectedPeers = 0
    package var stages = 0
    /// Moments at which somebody is to be looked at. One that no longer counts goes when it comes.
    package var deadlines = 0
    package var sockets = DatagramSocket.Stats()
    /// Those who come by TCP.
    package var connections = FramedConnections.Stats()
    package var audio = AudioStats()
    package var pictures = VideoStats()
    /// Datagrams that belong to no peer: strangers, and what arrives after the end.
    package var unknownDatagrams: UInt64 = 0
    /// Media in a format that was not agreed on.
    package var unexpectedMedia: UInt64 = 0
    /// From microphones that sent more than one may.
    package var mediaOverLimit: UInt64 = 0
    /// Packets of peers that had sent far too much right before.
    package var mediaLeftUnopened: UInt64 = 0
    /// Waited in this host for longer than it is worth.
    package var mediaOverdue: UInt64 = 0
    /// The share of its time that the worker spends on forwarding and sending, 0…1.
    package var load = 0.0
    /// Datagrams that peers dropped, by the reason's raw value.
    package var drops = [UInt64](repeating: 0, count: DropReason.allCases.count)
    package var offersAnswered: UInt64 = 0
    package var offersRefused: UInt64 = 0
    package var peersConnected: UInt64 = 0
    package var peersClosed: UInt64 = 0

    package init() {}

    package subscript(reason: DropReason) -> UInt64 { drops[reason.rawValue] }

    mutating func add(_ stats: PeerStats) {
        for reason in DropReason.allCases { drops[reason.rawValue] &+= UInt64(stats[reason]) }
    }

    mutating func add(_ stats: DatagramSocket.Stats) {
        sockets.received &+= stats.received
        sockets.truncated &+= stats.truncated
        sockets.receiveErrors &+= stats.receiveErrors
        sockets.sent &+= stats.sent
        sockets.sentBytes &+= stats.sentBytes
        sockets.messages &+= stats.messages
        sockets.droppedLate &+= stats.droppedLate
        sockets.droppedTooLarge &+= stats.droppedTooLarge
        sockets.droppedRefused &+= stats.droppedRefused
    }
    /// Of two workers, or of a worker's parts. The load is that of the busier one.
    static func + (a: MediaCounters, b: MediaCounters) -> MediaCounters {
        var sum = a
        sum.peers += b.peers
        sum.connectedPeers += b.connectedPeers
        sum.stages += b.stages
        sum.deadlines += b.deadlines
        sum.add(b.sockets)
        sum.connections = a.connections + b.connections
        sum.audio = a.audio + b.audio
        sum.pictures = a.pictures + b.pictures
        sum.unknownDatagrams &+= b.unknownDatagrams
        sum.unexpectedMedia &+= b.unexpectedMedia
        sum.mediaOverLimit &+= b.mediaOverLimit
        sum.mediaLeftUnopened &+= b.mediaLeftUnopened
        sum.mediaOverdue &+= b.mediaOverdue
        sum.load = max(a.load, b.load)
        for index in sum.drops.indices { sum.drops[index] &+= b.drops[index] }
        sum.offersAnswered &+= b.offersAnswered
        sum.offersRefused &+= b.offersRefused
        sum.peersConnected &+= b.peersConnected
        sum.peersClosed &+= b.peersClosed
        return sum
    }
}
