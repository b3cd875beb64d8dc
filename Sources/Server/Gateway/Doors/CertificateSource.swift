import Foundation
import NIOSSL
import Synchronization

/// TLS from certificate files, which may be replaced while the server runs (as ACME clients do).
package final class CertificateSource: Sendable {
    /// PEM files: the chain, the server's own certificate first, and its private key.
    package struct Files: Sendable, Hashable {
        package var certificate: String
        package var key: String
        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// What was wrong with which file.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    private struct State {
        var context: NIOSSLContext
        var stamps: [Date?]
    }

    private let files: Files
    private let state: Mutex<State>

    package init(_ files: Files) throws {
        self.files = files
        let stamps = Self.stamps(files)
        self.state = Mutex(State(context: try Self.load(files), stamps: stamps))
    }

    /// For new connections; those that stand keep what they were opened with.
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// Loads the files again if one was replaced. A pair that does not fit leaves the old one in use.
    /// - Returns: whether a new certificate is in use.
    package func reloadIfChanged() throws -> Bool {
        let stamps = Self.stamps(files)
        guard state.withLock({ $0.stamps != stamps }) else { return false }
        let context = try Self.load(files)
        state.withLock { $0 = State(context: context, stamps: stamps) }
        return true
    }

    private static func stamps(_ files: Files) -> [Date?] {
        [files.certificate, files.key].map { path in
            (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        }
    }

    private static func load(_ files: Files) throws -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(files.certificate) } catch {
            throw Failure(description: "cannot read the TLS certificate \(files.certificate): \(error)")
        }
        let key: NIOSSLPrivateKey
        do { key = try NIOSSLPrivateKey(file: files.key, format: .pem) } catch {
            throw Failure(description: "cannot read the TLS key \(files.key): \(error)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw Failure(
                description: "the TLS certificate \(files.certificate) and the key \(files.key) do not fit: \(error)")
        }
    }
}
