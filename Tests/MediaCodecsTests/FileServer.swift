import Foundation
import Glibc

/// Answers HTTP requests for one file, byte ranges included, or never answers at all.
final class FileServer: Sendable {
    let port: UInt16
    private let listener: Int32

    /// `bytes` nil: accepts connections and stays silent; `accepted` is called for each. `stopsAfter`: sends so many bytes,
    /// then falls silent, with the connection open unless `hangsUp`.
    init(
        bytes: Data?, stopsAfter: Int = .max, hangsUp: Bool = false, accepted: @escaping @Sendable () -> Void = {}
    ) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(listener, name, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, name, &length) == 0
            }
        }
        guard bound else { throw CocoaError(.fileReadUnknown) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 { return }
                accepted()
                guard let bytes else { continue }
                Thread.detachNewThread { Self.serve(bytes, upTo: stopsAfter, hangsUp: hangsUp, to: connection) }
            }
        }
    }

    func url(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ bytes: Data, upTo limit: Int, hangsUp: Bool, to connection: Int32) {
        defer { close(connection) }
        var request = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !request.contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { return }
            request += String(decoding: buffer[..<count], as: UTF8.self)
        }
        var start = 0
        if let range = request.range(of: "Range: bytes=") {
            start = min(bytes.count, Int(request[range.upperBound...].prefix { $0.isNumber }) ?? 0)
        }
        let head = """
            HTTP/1.1 206 Partial Content\r
            Content-Length: \(bytes.count - start)\r
            Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r
            Accept-Ranges: bytes\r
            Connection: close\r
            \r

            """
        for part in [Data(head.utf8), bytes[start..<max(start, min(bytes.count, limit))]] {
            var rest = part
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if sent <= 0 { return }
                rest = rest.dropFirst(sent)
            }
        }
        // Silent until the reader goes.
        if limit < bytes.count, !hangsUp { _ = recv(connection, &buffer, 1, 0) }
    }
}
