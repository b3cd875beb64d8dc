import Foundation

/// A certificate of our own making for the local network, so that phones get a microphone; browsers warn once.
struct OwnCertificate {
    var certificate: String
    var key: String

    /// Makes or reuses the pair in the data directory. A pair is good for its addresses alone, so others make a new one.
    /// Uses the `openssl` command, which every Debian has; the server itself carries no certificate code.
    static func make(in folder: String, addresses: [String]) throws(ConfigurationFailure) -> OwnCertificate {
        let pair = OwnCertificate(certificate: folder + "/lan-certificate.pem", key: folder + "/lan-key.pem")
        let names = folder + "/lan-certificate.names"
        let wanted = (addresses.map { "IP:\($0)" } + ["IP:127.0.0.1", "DNS:localhost"]).joined(separator: ",")
        let files = FileManager.default
        if files.fileExists(atPath: pair.certificate), files.fileExists(atPath: pair.key),
            (try? String(contentsOfFile: names, encoding: .utf8)) == wanted
        {
            return pair
        }
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // 397 days: browsers refuse longer lives.
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "397", "-subj", "/CN=Ovation on this network", "-addext", "subjectAltName=\(wanted)",
            "-keyout", pair.key, "-out", pair.certificate,
        ]
        let complaint = Pipe()
        openssl.standardError = complaint
        openssl.standardOutput = FileHandle.nullDevice
        do {
            // As the store would make the data folder, which this one may be in: nobody else reads it.
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try openssl.run()
            let said = complaint.fileHandleForReading.readDataToEndOfFile()
            openssl.waitUntilExit()
            guard openssl.terminationStatus == 0 else {
                throw ConfigurationFailure(
                    "openssl could not make a certificate: \(String(decoding: said.suffix(300), as: UTF8.self))")
            }
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pair.key)
            try wanted.write(toFile: names, atomically: true, encoding: .utf8)
        } catch let failure as ConfigurationFailure {
            throw failure
        } catch {
            throw ConfigurationFailure("cannot make a certificate in \(folder): \(error)")
        }
        return pair
    }
}
