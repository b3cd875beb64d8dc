import Foundation
package import NIOSSL
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

    /// What changes when a file is replaced. The path is that behind symbolic links: some issuers replace a link to a folder.
    private struct Stamp: Hashable {
        var path: String
        /// The file's number on its volume, as text: its type differs between platforms.
        var number: String
        var modified: Date?
    }

    private struct State {
        var context: NIOSSLContext
        var stamps: [Stamp]
        /// The last thing said about files that do not do.
        var complaint: String?
    }

    private let files: Files
    private let state: Mutex<State>

    package init(_ files: Files) throws {
        self.files = files
        let stamps = Self.stamps(files)
        self.state = Mutex(State(context: try Self.load(files), stamps: stamps))
    }

    /// When the first certificate of a PEM file ends, in seconds since 1970.
    package static func end(ofFile path: String) throws -> Int64 {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(path) } catch {
            throw Failure(description: "cannot read the TLS certificate \(path): \(error)")
        }
        return Int64(chain.first?.notValidAfter ?? 0)
    }

    /// For new connections; those that stand keep what they were opened with.
    package var context: NIOSSLContext { state.withLock { $0.context } }

    /// Loads the files again if one was replaced. A pair that does not do leaves the old one in use and is tried again the next time:
    /// a pair is rarely replaced in one moment, and changed rights leave no trace.
    /// - Returns: whether a new certificate is in use.
    /// - Throws: `Failure`, once for each thing that is wrong.
    package func reloadIfChanged() throws -> Bool {
        let stamps = Self.stamps(files)
        guard state.withLock({ $0.stamps != stamps }) else { return false }
        do {
            let context = try Self.load(files)
            state.withLock { $0 = State(context: context, stamps: stamps) }
            return true
        } catch {
            let complaint = "\(error)"
            let isNews = state.withLock { state in
                defer { state.complaint = complaint }
                return state.complaint != complaint
            }
            if isNews { throw error }
            return false
        }
    }

    private static func stamps(_ files: Files) -> [Stamp] {
        [files.certificate, files.key].map { path in
            let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return Stamp(
                path: path, number: attributes?[.systemFileNumber].map { "\($0)" } ?? "",
                modified: attributes?[.modificationDate] as? Date)
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
        configuration.applicationProtocols = ["h2", "http/1.1"]
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw Failure(
                description: "the TLS certificate \(files.certificate) and the key \(files.key) do not fit: \(error)")
        }
    }
}
