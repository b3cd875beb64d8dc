import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Texts

/// `ovation rest`: one operation of the REST API of a server that runs (R04).
struct RESTCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rest", abstract: "Ask a running server for one operation of its REST API.",
        discussion: """
            The key comes from OVATION_OPERATOR_KEY, or from a file: on a command line others would see it.
            The answer is printed as JSON. A refusal is said on stderr, and the exit code is 1.

            ovation rest GET 'rooms?kind=live'
            ovation rest PUT rooms/48213/restrictions/mia/ban -d '{"seconds": 600, "reason": "spam"}'
            ovation rest DELETE rooms/48213 --server https://salon.example --app 1400000002

            Documentation/build/rest.md and /openapi.json have the operations.
            """)

    enum Method: String, ExpressibleByArgument, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        init?(argument: String) { self.init(rawValue: argument.uppercased()) }
    }

    /// A page of the longest lists has less.
    private static let answerLimit = 8 << 20

    @Argument(help: "GET, POST, PUT, PATCH or DELETE.")
    var method: Method
    @Argument(help: "What follows /v1/ in the address, query and all.")
    var path: String
    @Option(name: [.customShort("d"), .long], help: "The body: a JSON object; - reads it from stdin.")
    var data: String?
    @Option(help: "The server's address. [default: OVATION_SERVER, or http://127.0.0.1:8080]")
    var server: String?
    @Option(help: "The application, for a key that is good for all of them.")
    var app: UInt32?
    @Option(help: "A file with the key. [default: OVATION_OPERATOR_KEY]")
    var keyFile: String?
    @Option(help: "A repeat with the same text does nothing, and is answered like the first time.")
    var once: String?

    func run() async throws {
        let request = try request()
        let (response, body) = try await answer(to: request)
        let text = String(buffer: body)
        guard (200..<300).contains(response.status.code) else {
            let failure = try? JSONDecoder().decode(Failure.self, from: body)
            let why = failure.map { "\($0.error.name): \($0.error.message)" } ?? text
            let sentence = "ovation: \(response.status.code) \(TerminalText.escaped(why))\n"
            FileHandle.standardError.write(Data(sentence.utf8))
            throw ExitCode.failure
        }
        if !text.isEmpty { Swift.print(TerminalText.escapedJSON(text)) }
    }

    private func answer(to request: HTTPClientRequest) async throws -> (HTTPClientResponse, ByteBuffer) {
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(10)))
        // Somebody waits for the answer: a server that is not there is said at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let response = try await client.execute(request, timeout: .seconds(60))
            let body = try await response.body.collect(upTo: Self.answerLimit)
            try await client.shutdown()
            return (response, body)
        } catch {
            try? await client.shutdown()
            throw ValidationError("\(request.url) does not answer: \(error)")
        }
    }

    private struct Failure: Decodable {
        struct What: Decodable {
            var name: String
            var message: String
        }
        var error: What
    }

    private func request() throws -> HTTPClientRequest {
        let environment = ProcessInfo.processInfo.environment
        let base = server ?? environment["OVATION_SERVER"] ?? "http://127.0.0.1:8080"
        guard let parsed = URL(string: base), parsed.scheme == "http" || parsed.scheme == "https", parsed.host != nil
        else { throw ValidationError("--server is an address such as https://salon.example") }
        var place = path.hasPrefix("/v1/") ? String(path.dropFirst(4)) : path
        if let app { place += (place.contains("?") ? "&" : "?") + "app=\(app)" }
        guard !place.hasPrefix("/"), URL(string: base + "/v1/" + place) != nil else {
            throw ValidationError("a path is what follows /v1/, such as rooms/48213")
        }
        var request = HTTPClientRequest(url: (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/v1/" + place)
        request.method = HTTPMethod(rawValue: method.rawValue)
        request.headers.add(name: "Authorization", value: "Bearer \(try key(environment))")
        if let once { request.headers.add(name: "Idempotency-Key", value: once) }
        if let body = try body() {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(data: body))
        }
        return request
    }

    private func key(_ environment: [String: String]) throws -> String {
        if let keyFile {
            guard let text = try? String(contentsOfFile: keyFile, encoding: .utf8) else {
                throw ValidationError("\(keyFile) cannot be read")
            }
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let key = environment["OVATION_OPERATOR_KEY"], !key.isEmpty else {
            throw ValidationError("OVATION_OPERATOR_KEY holds no key: 'ovation key create' makes one")
        }
        return key
    }

    private func body() throws -> Data? {
        guard let data else { return method == .get || method == .delete ? nil : Data("{}".utf8) }
        let bytes = data == "-" ? FileHandle.standardInput.readDataToEndOfFile() : Data(data.utf8)
        guard (try? JSONSerialization.jsonObject(with: bytes)) is [String: Any] else {
            throw ValidationError("--data is no JSON object")
        }
        return bytes
    }
}
