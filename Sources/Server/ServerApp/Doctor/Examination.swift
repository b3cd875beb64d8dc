import DatagramIO
import Foundation
import HTTP
import PagesAndSongs
import Playback
import RoomModel
import StoreSQLite
import Wire

/// Looks at the machine that a server runs on, or is to run on, with its settings: what would keep people out, and what to do about it.
/// Opens sockets for a moment and changes nothing.
package struct Examination: Sendable {
    /// Journal and songs grow; below that the operator should look.
    private static let littleSpace: Int64 = 1 << 30
    private static let noSpace: Int64 = 64 << 20
    /// Certificates are renewed a month before their end; what has less left will not be.
    private static let shortDays = 14

    let settings: ServerSettings

    package init(_ settings: ServerSettings) { self.settings = settings }

    /// In the order in which an operator would mend them.
    package func findings() async -> [Finding] {
        let state = folderState()
        let isRunning = if case .locked = state { true } else { false }
        return folder(state) + space() + descriptors() + clock() + pages() + web() + signIn()
            + ports(isRunning: isRunning) + addresses() + certificate() + rights() + (await files()) + (await relays())
    }

    // MARK: The data folder

    private enum FolderState {
        case usable
        /// A server runs on it.
        case locked
        case unusable(String)
    }

    private func folderState() -> FolderState {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: settings.data, isDirectory: &isFolder) else {
            let above = URL(fileURLWithPath: settings.data).deletingLastPathComponent().path
            return access(above, W_OK) == 0 ? .usable : .unusable("cannot be made: \(above) is not writable")
        }
        guard isFolder.boolValue else { return .unusable("is a file") }
        guard access(settings.data, R_OK | W_OK | X_OK) == 0 else { return .unusable("is not writable for this user") }
        let descriptor = open(settings.data + "/ovation.lock", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return .usable }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return .locked }
        _ = flock(descriptor, LOCK_UN)
        return .usable
    }

    private func folder(_ state: FolderState) -> [Finding] {
        switch state {
        case .usable: [.fine("data", "The data folder \(settings.data) can be used; no server runs on it.")]
        case .locked: [.fine("data", "A server runs on the data folder \(settings.data).")]
        case .unusable(let what):
            [
                .problem(
                    "data", "The data folder \(settings.data) \(what).",
                    "Run this as the server's user, or choose another folder with data.")
            ]
        }
    }

    private func space() -> [Finding] {
        var folder = URL(fileURLWithPath: settings.data)
        while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        guard let free = (try? FileManager.default.attributesOfFileSystem(forPath: folder.path))?[.systemFreeSize],
            let bytes = (free as? NSNumber)?.int64Value
        else { return [] }
        let text = "\(bytes >> 20) MiB are free where the data is."
        if bytes < Self.noSpace {
            return [.problem("disk", text, "Make space: the server refuses every change without it.")]
        }
        return bytes < Self.littleSpace
            ? [.warning("disk", text, "Make space before it is used up: then the server refuses changes.")]
            : [.fine("disk", text)]
    }

    // MARK: The machine

    private func descriptors() -> [Finding] {
        let limit = HostResources.raiseDescriptorLimit()
        let wanted = UInt64(settings.limitsConnections) + 500
        guard limit < wanted else { return [.fine("files", "\(limit) files may be open at once.")] }
        return [
            .warning(
                "files",
                "\(limit) files may be open at once, and limits.connections allows \(settings.limitsConnections).",
                "Raise the limit (LimitNOFILE in the systemd unit, or ulimit -n), or lower limits.connections.")
        ]
    }

    private func clock() -> [Finding] {
        switch SystemClock.isSynchronised {
        case true?: [.fine("clock", "The clock is synchronised.")]
        case false?:
            [
                .warning(
                    "clock", "Nothing keeps the clock of this machine right, as far as the kernel knows.",
                    "Run a time service such as systemd-timesyncd or chrony: with a wrong clock tickets are refused.")
            ]
        case nil: []
        }
    }

    // MARK: The page

    private func pages() -> [Finding] {
        let hasCertificate = !settings.tlsCertificate.isEmpty
        guard !settings.publicURL.isEmpty else {
            guard !hasCertificate, !["127.0.0.1", "::1", "localhost"].contains(settings.host) else { return [] }
            return [
                .warning(
                    "page", "There is no TLS certificate, and no public_url that says that a proxy has one.",
                    "Browsers give pages a microphone by HTTPS alone. Set tls.certificate and tls.key, or a proxy and public_url."
                )
            ]
        }
        if settings.publicURL.hasPrefix("http://"), URL(string: settings.publicURL)?.host != "localhost" {
            return [
                .warning(
                    "page", "public_url is \(settings.publicURL): by plain HTTP.",
                    "Browsers give pages a microphone by HTTPS alone: set up a certificate and make it https.")
            ]
        }
        if settings.publicURL.hasPrefix("https://"), !hasCertificate, settings.proxiesTrusted.isEmpty {
            return [
                .warning(
                    "page", "A proxy speaks HTTPS for this server, and no proxy is trusted.",
                    "Name the proxy in proxies.trusted: else everybody counts as one address, and limits meet all of them at once."
                )
            ]
        }
        return [.fine("page", "People find the page at \(settings.publicURL).")]
    }

    private func web() -> [Finding] {
        let places = settings.webRoot.isEmpty ? WebRoot.usualPlaces : [settings.webRoot]
        if let found = places.first(where: { FileManager.default.fileExists(atPath: $0 + "/index.html") }) {
            return [.fine("web", "The web app is in \(found).")]
        }
        return [
            .warning(
                "web", "There is no web app: no index.html in \(places.joined(separator: " or ")).",
                "Set web_root to the folder of the pages. Without it the server is for apps alone.")
        ]
    }

    /// Whether people can come in by the web app.
    private func signIn() -> [Finding] {
        if isApplicationMissing {
            return [
                .problem(
                    "sign-in",
                    "sign_in.application names \(settings.signInApplication), which does not exist: the server does not start.",
                    "Take a number that `ovation app list` prints, or make an application with `ovation app create`.")
            ]
        }
        if !settings.signInTicketsURL.isEmpty {
            return [.fine("sign-in", "The web app asks \(settings.signInTicketsURL) for tickets.")]
        }
        if settings.signInGuests {
            return settings.signInApplication > 0
                ? [.fine("sign-in", "Guests sign in on the web with a name.")]
                : [
                    .warning(
                        "sign-in", "Guests are let in, and no application says whose they are.",
                        "Set sign_in.application to the number that `ovation app create` printed.")
                ]
        }
        return [
            .warning(
                "sign-in", "Nobody can sign in on the web: neither guests nor a place for tickets is set.",
                "Set sign_in.application and sign_in.guests, or sign_in.tickets_url. Apps that bring tickets need neither."
            )
        ]
    }

    /// False where the database cannot be read, or is an older server's.
    private var isApplicationMissing: Bool {
        guard settings.signInApplication > 0 else { return false }
        guard let records = try? StoreRecords(directory: settings.data) else {
            return !FileManager.default.fileExists(atPath: settings.data + "/" + SQLiteStore.fileName)
        }
        return (try? records.has(ApplicationID(UInt32(clamping: settings.signInApplication)))) == false
    }

    /// What root may do and the service may not: the package's unit runs as a user of its own without rights.
    /// - Parameter isRoot: whoever asks.
    func rights(isRoot: Bool = geteuid() == 0) -> [Finding] {
        guard isRoot else { return [] }
        var found: [Finding] = []
        let low = [settings.port, settings.mediaPort, settings.mediaTCPPort].filter { (1..<1024).contains($0) }
        if !low.isEmpty {
            found.append(
                .warning(
                    "rights",
                    "Port \(low.map(String.init).joined(separator: ", ")) is free for root; the service is not root.",
                    "Give the unit CAP_NET_BIND_SERVICE (Documentation/operate/go-public.md, TLS), or choose a port from 1024 on."
                ))
        }
        if !settings.tlsKey.isEmpty, let mode = Self.mode(of: settings.tlsKey), mode & 0o077 == 0 {
            found.append(
                .warning(
                    "rights", "Only its owner may read the TLS key \(settings.tlsKey).",
                    "Let the service's group read it (SupplementaryGroups in the unit): Documentation/operate/go-public.md, TLS."
                ))
        }
        return found
    }

    private static func mode(of path: String) -> Int? {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: file))?[.posixPermissions] as? Int
    }

    private func certificate() -> [Finding] {
        guard !settings.tlsCertificate.isEmpty else { return [] }
        do {
            let end = try CertificateSource.end(ofFile: settings.tlsCertificate)
            _ = try CertificateSource(.init(certificate: settings.tlsCertificate, key: settings.tlsKey))
            let left = Double(end) - Date().timeIntervalSince1970
            let days = Int((left / 86_400).rounded(.down))
            if days < 0 {
                let ago = days == -1 ? "1 day" : "\(-days) days"
                return [.problem("certificate", "The TLS certificate ended \(ago) ago.", "Renew it.")]
            }
            let time = days == 1 ? "1 day" : "\(days) days"
            return days < Self.shortDays
                ? [.warning("certificate", "The TLS certificate ends in \(time).", "See why it was not renewed.")]
                : [.fine("certificate", "The TLS certificate holds for \(days) days more.")]
        } catch {
            return [.problem("certificate", "\(error).", "Name a certificate and its key in PEM form.")]
        }
    }

    // MARK: What people send

    private func files() async -> [Finding] {
        guard let obstacle = await PictureInspector(executable: settings.inspector).obstacle() else {
            return [.fine("uploads", "Songs and pictures that people send are read in a confined process.")]
        }
        return [
            .warning(
                "uploads", "Songs and pictures that people send cannot be read: \(obstacle).",
                "Rooms work without. Pictures are refused until then, and songs are not mixed for listeners.")
        ]
    }

    // MARK: Ports

    private func ports(isRunning: Bool) -> [Finding] {
        var found: [Finding] = []
        let workers = settings.mediaWorkers > 0 ? settings.mediaWorkers : HostResources.processors
        let media = settings.mediaPort == 0 ? [] : (settings.mediaPort..<settings.mediaPort + workers).map { $0 }
        let addresses = settings.mediaBind.isEmpty ? ["0.0.0.0"] : settings.mediaBind
        let connections = (settings.mediaTCP ? media : []) + [settings.mediaTCPPort]
        let ways =
            [("TCP", SocketProbe.Way.tcp, settings.host, settings.port, "port")]
            + media.flatMap { port in addresses.map { ("UDP", SocketProbe.Way.udp, $0, port, "media.port") } }
            + connections.flatMap { port in
                let setting = port == settings.mediaTCPPort ? "media.tcp_port" : "media.port"
                return addresses.map { ("TCP", SocketProbe.Way.tcp, $0, port, setting) }
            }
        for (name, way, host, port, setting) in ways where port != 0 {
            switch SocketProbe.bind(way, host: host, port: port) {
            case .free:
                found.append(
                    isRunning
                        ? .problem(
                            "ports", "A server runs on this data folder, and not on \(name) port \(port).",
                            "Look at the settings that it was started with.")
                        : .fine("ports", "\(name) port \(port) is free."))
            case .taken where isRunning: found.append(.fine("ports", "\(name) port \(port) is in use, by the server."))
            case .taken:
                found.append(
                    .problem(
                        "ports", "\(name) port \(port) is in use by another program.",
                        "End that program, or choose another \(setting)."))
            case .refused(let why):
                found.append(
                    .problem(
                        "ports", "\(name) port \(port) on \(host) cannot be opened: \(why).",
                        "Ports below 1024 need rights; an address must be this machine's."))
            }
        }
        return found
    }

    private func addresses() -> [Finding] {
        AddressCheck(
            bound: settings.mediaBind.compactMap(IPAddress.init(text:)),
            stated: settings.publicAddress.compactMap(IPAddress.init(text:)),
            interfaces: (try? InterfaceAddresses.current()) ?? []
        ).findings
    }

    // MARK: Relays

    private func relays() async -> [Finding] {
        var found: [Finding] = []
        for url in settings.mediaRelays {
            let answers = await SocketProbe.answers(url)
            found.append(
                answers
                    ? .fine("relays", "\(url) answers.")
                    : .problem(
                        "relays", "\(url) does not answer.",
                        "Start the relay, open its port, or take it out of media.relays."))
        }
        return found
    }
}
