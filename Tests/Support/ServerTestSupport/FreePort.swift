import Foundation
import Synchronization

/// Ports for servers that a test starts, kills, and starts again at the same place.
///
/// They lie below those that the system gives to whoever asks for any (32768 and up on Linux): otherwise another test's socket, or a
/// client on its way back, takes a port between the choice and the server, or while the server is dead.
package enum FreePort {
    struct NoneLeft: Error {}

    private static let range = 20_000..<32_000
    /// Processes of tests that run at the same time begin at different places.
    private static let next = Atomic<Int>(Int.random(in: 0..<range.count))

    /// Nobody listens there, neither by TCP nor by UDP.
    package static func take() throws -> Int {
        for _ in range {
            let step = next.wrappingAdd(1, ordering: .relaxed).oldValue
            let port = range.lowerBound + Int(UInt(bitPattern: step) % UInt(range.count))
            if isFree(port, SOCK_STREAM), isFree(port, SOCK_DGRAM) { return port }
        }
        throw NoneLeft()
    }

    private static func isFree(_ port: Int, _ kind: __socket_type) -> Bool {
        let socket = socket(AF_INET, Int32(kind.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
