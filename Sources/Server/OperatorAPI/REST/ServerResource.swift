import HTTP
import Hummingbird
import RoomEvents
import RoomModel
import SignalProtocol

/// What operators look at of the whole server.
package struct ServerCondition: Sendable {
    package var version: String
    package var history: ServerHistory
    /// Bytes of the store's file, and what is free on its disk.
    package var disk: @Sendable () -> (bytes: UInt64, free: UInt64)
    /// When the server's own certificate ends, in seconds since 1970; `nil`: it has none.
    package var certificateEnd: @Sendable () -> Int64?

    package init(
        version: String, history: ServerHistory, disk: @escaping @Sendable () -> (bytes: UInt64, free: UInt64),
        certificateEnd: @escaping @Sendable () -> Int64?
    ) {
        self.version = version
        self.history = history
        self.disk = disk
        self.certificateEnd = certificateEnd
    }
}

/// The server's figures of the last hour, its disk and its certificate (R04, R05).
struct ServerResource: Sendable {
    private struct Answer: Encodable {
        struct Disk: Encodable {
            var bytes: UInt64
            var free: UInt64
        }
        struct Certificate: Encodable {
            /// Milliseconds since 1970.
            var endsAt: Int64
        }

        var version: String
        var samples: [ServerSample]
        var disk: Disk
        var certificate: Certificate?
    }

    let condition: ServerCondition

    func read(_ access: OperatorAccess, _ trail: OperatorTrail) async throws(Refusal) -> Response {
        try trail.check(.readMetrics, access, "readServer")
        let disk = condition.disk()
        return HTTPReply.json(
            Answer(
                version: condition.version, samples: await condition.history.samples(),
                disk: Answer.Disk(bytes: disk.bytes, free: disk.free),
                certificate: condition.certificateEnd().map { Answer.Certificate(endsAt: $0 * 1_000) }))
    }
}
