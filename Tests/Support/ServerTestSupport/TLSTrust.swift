import NIOCore
import NIOSSL

/// Speaks TLS to a server of that name and believes one certificate alone.
package struct TLSTrust: Sendable {
    private let context: NIOSSLContext
    private let name: String

    /// - Parameter certificate: a PEM file.
    package init(certificate: String, name: String) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(certificate)
        self.context = try NIOSSLContext(configuration: configuration)
        self.name = name
    }

    /// To be added before any other handler.
    func add(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
    }
}
