import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
package import RoomPorts
import Texts
package import Timing

/// What came of a request.
package enum WebhookAnswer: Sendable, Hashable {
    case answered(status: Int, body: [UInt8], retryAfterSeconds: Int?)
    /// Nobody answered, or not in time.
    case unreachable(String)
}

/// Sends requests to receivers.
package protocol WebhookClient: Sendable {
    func post(
        _ url: String, headers: [(String, String)], body: [UInt8], within limit: Interval
    ) async -> WebhookAnswer
    func shutDown() async
}

/// Requests by HTTP. A name is looked up by us, checked, and the request goes to that very address: what a name leads to may change
/// between two looks. Redirections are not followed.
package actor HTTPWebhookClient: WebhookClient {
    /// What an answer may say: a reviewed message is some kilobytes.
    static let answerLimit = 64 << 10
    /// For how long an address counts.
    private static let memory = Interval.seconds(60)
    private static let connectSeconds: Int64 = 5

    private struct Place {
        var address: String
        var client: HTTPClient
        var until: Instant
    }

    private struct Refused: Error { var message: String }

    private let allowPrivate: Bool
    private let clock: any TimeSource
    private var places: [String: Place] = [:]
    private var isDown = false

    package init(allowPrivate: Bool, clock: any TimeSource) {
        self.allowPrivate = allowPrivate
        self.clock = clock
    }

    package func post(
        _ url: String, headers: [(String, String)], body: [UInt8], within limit: Interval
    ) async -> WebhookAnswer {
        do {
            guard let host = URLComponents(string: url)?.host, !host.isEmpty else { throw Refused(message: "no host") }
            let client = try await client(for: host)
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            for (name, value) in headers { request.headers.add(name: name, value: value) }
            request.body = .bytes(ByteBuffer(bytes: body))
            let answer = try await client.execute(request, timeout: .nanoseconds(limit.nanoseconds))
            let read = try await answer.body.collect(upTo: Self.answerLimit)
            guard StreamSafeText.holds(read.readableBytesView, in: .json) else {
                return .unreachable("the answer has more marks on one letter than any language needs")
            }
            return .answered(
                status: Int(answer.status.code), body: Array(read.readableBytesView),
                retryAfterSeconds: answer.headers.first(name: "Retry-After").flatMap { Int($0) })
        } catch let refused as Refused {
            return .unreachable(refused.message)
        } catch is NIOTooManyBytesError {
            return .unreachable("the answer is longer than 64 KiB")
        } catch {
            return .unreachable(String("\(error)".prefix(200)))
        }
    }

    private func client(for host: String) async throws -> HTTPClient {
        if let place = places[host], place.until > clock.now { return place.client }
        let address = try await Self.address(of: host)
        guard allowPrivate || PublicAddress.isPublic(address) else {
            throw Refused(
                message:
                    "\(host) leads to the private address \(address) (webhooks.allow_private lets requests go there)")
        }
        guard !isDown else { throw Refused(message: "the server stops") }
        if var place = places[host], place.address == address {
            place.until = clock.now + Self.memory
            places[host] = place
            return place.client
        }
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(Self.connectSeconds)))
        configuration.httpVersion = .http1Only
        // As many as there are lanes: what waits for a connection runs out of time.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = WebhookLane.count
        configuration.dnsOverride = [host: address]
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let former = places.updateValue(
            Place(address: address, client: client, until: clock.now + Self.memory), forKey: host)
        try? await former?.client.shutdown()
        return client
    }

    private static func address(of host: String) async throws -> String {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let found = try await NIOThreadPool.singleton.runIfActive {
            try? SocketAddress.makeAddressResolvingHost(bare, port: 0)
        }
        guard let address = found?.ipAddress else { throw Refused(message: "\(host) has no address") }
        return address
    }

    package func shutDown() async {
        isDown = true
        let clients = places.values.map(\.client)
        places = [:]
        for client in clients { try? await client.shutdown() }
    }
}
