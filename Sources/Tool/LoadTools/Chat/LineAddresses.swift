internal import Foundation

/// From where lines connect: so many from one address, as if they were behind one router.
struct LineAddresses: Sendable {
    private let first: UInt32
    private let perAddress: Int

    init(first: String, perAddress: Int) throws {
        self.first = UInt32(bigEndian: try Self.address(first).s_addr)
        self.perAddress = perAddress
    }

    func address(of line: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (first &+ UInt32(line / perAddress)).bigEndian
        return address
    }

    /// The server's.
    static func server(host: String, port: Int) throws -> sockaddr_in {
        var server = sockaddr_in()
        server.sin_family = sa_family_t(AF_INET)
        server.sin_port = in_port_t(port).bigEndian
        server.sin_addr = try address(host == "localhost" ? "127.0.0.1" : host)
        return server
    }

    private static func address(_ text: String) throws -> in_addr {
        var address = in_addr()
        guard inet_pton(AF_INET, text, &address) == 1 else { throw LoadFailure("\(text) is no IPv4 address") }
        return address
    }
}
