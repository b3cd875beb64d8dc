import AsyncHTTPClient
import Foundation
import HTTPGrammar
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

/// Requests by HTTP. A name is looked up by us, each of its addresses is checked, and the request goes to the first of them that answers:
/// what a name leads to may change between two looks. Redirections are not followed.
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

    private struct Endpoint: Hashable {
        var host: String
        var port: Int
    }

    private let allowPrivate: Bool
    private let clock: any TimeSource
    private let lookUp: @Sendable (_ host: String) async -> [String]
    private var places: [Endpoint: Place] = [:]
    private var isDown = false

    package init(allowPrivate: Bool, clock: any TimeSource) {
        self.init(allowPrivate: allowPrivate, clock: clock) { await HostAddresses.lookUp($0) }
    }

    /// - Parameter lookUp: all addresses of a host.
    init(
        allowPrivate: Bool, clock: any TimeSource, lookUp: @escaping @Sendable (_ host: String) async -> [String]
    ) {
        self.allowPrivate = allowPrivate
        self.clock = clock
        self.lookUp = lookUp
    }

    package func post(
        _ url: String, headers: [(String, String)], body: [UInt8], within limit: Interval
    ) async -> WebhookAnswer {
        do {
            guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else {
                throw Refused(message: "no host")
            }
            let endpoint = Endpoint(host: host, port: parts.port ?? (parts.scheme?.lowercased() == "http" ? 80 : 443))
            let client = try await client(for: endpoint)
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            for (name, value) in headers { request.headers.add(name: name, value: value) }
            request.body = .bytes(ByteBuffer(bytes: body))
            let answer: HTTPClientResponse
            do { answer = try await client.execute(request, timeout: .nanoseconds(limit.nanoseconds)) } catch {
                // The next one asks again which of the addresses answers.
                places[endpoint]?.until = .distantPast
                throw error
            }
            let read = try await answer.body.collect(upTo: Self.answerLimit)
            guard StreamSafeText.holds(read.readableBytesView, in: .json) else {
                return .unreachable("the answer has more marks on one letter than any language needs")
            }
            return .answered(
                status: Int(answer.status.code), body: Array(read.readableBytesView),
                retryAfterSeconds: answer.headers.first(name: "Retry-After").flatMap {
                    RetryAfter.seconds($0, now: clock.wallTime.secondsSince1970)
                })
        } catch let refused as Refused {
            return .unreachable(refused.message)
        } catch is NIOTooManyBytesError {
            return .unreachable("the answer is longer than 64 KiB")
        } catch {
            return .unreachable(String("\(error)".prefix(200)))
        }
    }

    private func client(for endpoint: Endpoint) async throws -> HTTPClient {
        if let place = places[endpoint], place.until > clock.now { return place.client }
        let address = try await address(of: endpoint)
        guard !isDown else { throw Refused(message: "the server stops") }
        if var place = places[endpoint], place.address == address {
            place.until = clock.now + Self.memory
            places[endpoint] = place
            return place.client
        }
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(Self.connectSeconds)))
        configuration.httpVersion = .http1Only
        // As many as there are lanes: what waits for a connection runs out of time.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = WebhookLane.count
        configuration.dnsOverride = [endpoint.host: address]
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let former = places.updateValue(
            Place(address: address, client: client, until: clock.now + Self.memory), forKey: endpoint)
        try? await former?.client.shutdown()
        return client
    }

    /// The addresses to which a request may go.
    static func usable(_ addresses: [String], allowPrivate: Bool) -> [String] {
        addresses.filter { allowPrivate || PublicAddress.isPublic($0) }
    }

    private func address(of endpoint: Endpoint) async throws -> String {
        let bare = endpoint.host.hasPrefix("[") ? String(endpoint.host.dropFirst().dropLast()) : endpoint.host
        let all = await lookUp(bare)
        guard let first = all.first else { throw Refused(message: "\(endpoint.host) has no address") }
        let usable = Self.usable(all, allowPrivate: allowPrivate)
        guard let only = usable.first else {
            throw Refused(
                message:
                    "\(endpoint.host) leads to the private address \(first) (webhooks.allow_private lets requests go there)"
            )
        }
        guard usable.count > 1 else { return only }
        return try await HostAddresses.reachable(
            usable, of: bare, port: endpoint.port, within: .seconds(Self.connectSeconds)) ?? only
    }

    package func shutDown() async {
        isDown = true
        let clients = places.values.map(\.client)
        places = [:]
        for client in clients { try? await client.shutdown() }
    }
}
