import DatagramIO
import Foundation
import Gateway
import HTTP
import Logging
import MediaNode
import PagesAndSongs
import Playback
import RoomModel
import RoomPorts
import RoomRules
import RoomService
import Signalling
import Timing
import Webhooks
import Wire

/// How a server is run: its settings, in the spirit of its mode, as what each part wants to know.
struct ServerConfiguration: Sendable {
    let settings: ServerSettings
    let mode: ServerMode

    private func sites(_ texts: [String], setting: String) throws(ConfigurationFailure) -> [String] {
        var sites: [String] = []
        for text in texts {
            guard let site = OriginRule.site(text) else {
                throw ConfigurationFailure("\(setting): \(text) is not a site such as https://files.example")
            }
            sites.append(site)
        }
        return sites
    }

    /// - Parameter inspector: finds out what strangers' files are.
    func gatewaySettings(inspector: Inspector) throws(ConfigurationFailure) -> GatewaySettings {
        var gateway = GatewaySettings()
        gateway.host = settings.host
        gateway.port = settings.port
        gateway.version = ServerApplication.version
        gateway.certificates = try certificates()
        gateway.proxies = TrustedProxies(try ranges(settings.proxiesTrusted, setting: "proxies.trusted"))
        gateway.limits.connections = settings.limitsConnections
        gateway.limits.connectionsPerAddress = AdmissionLimits.connections(
            perAddress: settings.limitsConnectionsPerAddress)
        gateway.limits.guestsPerAddress = AdmissionLimits.guests(perAddress: settings.limitsGuestsPerAddress)
        gateway.limits.messagesPerAddress = AdmissionLimits.messages(perSecond: settings.limitsMessagesPerAddress)
        gateway.limits.calls = AdmissionLimits.calls(perSecond: settings.limitsCallsPerSecond)
        gateway.limits.changes = AdmissionLimits.changes(perSecond: settings.limitsChangesPerSecond)
        gateway.limits.hostsChanges = AdmissionLimits.hostsChanges(perSecond: settings.limitsChangesPerSecond)
        gateway.secureTransportDays = settings.tlsHSTSDays
        gateway.publicURL = settings.publicURL.isEmpty ? nil : trimmed(settings.publicURL)
        let origins = (gateway.publicURL.map { [$0] } ?? []) + settings.originsAllowed
        gateway.origins = OriginRule(origins: origins, numericHostsOnly: mode == .development && origins.isEmpty)
        gateway.musicOrigins = try sites(settings.originsMusic, setting: "origins.music")
        gateway.pictureOrigins = try sites(settings.originsPictures, setting: "origins.pictures")
        gateway.relays = RelayServers(urls: settings.mediaRelays, secret: settings.mediaRelaySecret)
        gateway.webRoot = try webRoot()
        gateway.songFolder = settings.data + "/songs"
        gateway.inspectSound = { await inspector.look(at: $0) }
        let pictures = PictureInspector(executable: settings.inspector)
        gateway.rewritePicture = { await pictures.rewrite($0, to: $1) }
        gateway.pictureObstacle = { await pictures.obstacle() }
        gateway.faceFolder = settings.data + "/faces"
        if settings.signInApplication > 0 {
            gateway.webApplication = UInt32(exactly: settings.signInApplication).map { ApplicationID($0) }
        }
        switch mode {
        case .development: gateway.ticketOffice = .development
        case .localNetwork: gateway.ticketOffice = .guests
        case .production:
            if settings.signInGuests { gateway.ticketOffice = .guests }
            if !settings.signInTicketsURL.isEmpty { gateway.ticketsURL = settings.signInTicketsURL }
        }
        guard settings.walletTopUpURL.isEmpty || Self.isWebAddress(settings.walletTopUpURL) else {
            throw ConfigurationFailure("wallet.top_up_url is an address that begins with https:// or http://")
        }
        return gateway
    }

    /// Whether a browser may be told to open it.
    private static func isWebAddress(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host, !host.isEmpty else { return false }
        return url.scheme == "https" || url.scheme == "http"
    }

    func mediaConfiguration() throws(ConfigurationFailure) -> MediaNodeConfiguration {
        var media = MediaNodeConfiguration()
        media.port = UInt16(clamping: settings.mediaPort)
        media.takesTCP = settings.mediaTCP
        media.leastPlayout = .milliseconds(Int64(settings.mediaPlayoutLeast))
        media.mostPlayout = .milliseconds(Int64(settings.mediaPlayoutMost))
        media.sharedTCPPort = settings.mediaTCPPort == 0 ? nil : UInt16(clamping: settings.mediaTCPPort)
        media.bindAddresses = try addresses(settings.mediaBind, setting: "media.bind")
        media.publicAddresses = try addresses(settings.publicAddress, setting: "public_address")
        media.maximumPeers = settings.mediaMaxPeers
        media.workers = settings.mediaWorkers > 0 ? settings.mediaWorkers : HostResources.processors
        guard media.port == 0 || Int(media.port) + media.workers - 1 <= Int(UInt16.max) else {
            throw ConfigurationFailure(
                "media.port \(media.port) leaves no room for media.workers: \(media.workers) workers use a port each, from media.port on"
            )
        }
        return media
    }

    /// An application decides whether consent is enforced, the operator about the rest.
    func policy(of application: Application.Settings) -> RoomPolicy {
        var policy = RoomPolicy(
            consent: application.consent == .enforced ? .enforced : .advisory,
            seatGraceSeconds: settings.roomsSeatGraceSeconds, ownerAbsenceSeconds: settings.roomsOwnerAbsenceSeconds,
            maxMembers: settings.roomsMaxMembers,
            messages: MessageLimits(
                room: settings.roomsMessagesPerSecond, person: settings.roomsMessagesPerPerson,
                onEntry: settings.roomsMessagesOnEntry))
        policy.actionsPerSecond = settings.roomsActionsPerPerson
        return policy
    }

    /// For how long webhooks wait for their receivers.
    var delivery: DeliverySettings {
        var delivery = DeliverySettings()
        delivery.giveUpAfter = .seconds(Int64(settings.webhooksGiveUpHours) * 3_600)
        return delivery
    }

    /// The operator's own words, if there are any.
    func wordList() throws(ConfigurationFailure) -> WordList? {
        guard !settings.moderationWords.isEmpty else { return nil }
        do throws(WordList.Failure) { return try WordList(path: settings.moderationWords) } catch {
            throw ConfigurationFailure("moderation.words: \(error)")
        }
    }

    /// Whether webhooks may lead into the operator's own network.
    var allowsPrivateWebhooks: Bool { settings.webhooksAllowPrivate || mode != .production }

    /// What people open.
    func url(port: Int) -> String {
        if !settings.publicURL.isEmpty { return settings.publicURL }
        let secure = !settings.tlsCertificate.isEmpty || mode == .localNetwork
        var host = settings.host
        switch mode {
        case .localNetwork: host = HostResources.lanAddresses.first ?? "localhost"
        case .development, .production:
            if ["0.0.0.0", "::", "127.0.0.1", "::1", ""].contains(host) { host = "localhost" }
        }
        return "\(secure ? "https" : "http")://\(host):\(port)"
    }

    private func certificates() throws(ConfigurationFailure) -> CertificateSource? {
        var files = CertificateSource.Files(certificate: settings.tlsCertificate, key: settings.tlsKey)
        if settings.tlsCertificate.isEmpty {
            guard mode == .localNetwork else { return nil }
            let own = try OwnCertificate.make(in: settings.data, addresses: HostResources.lanAddresses)
            files = CertificateSource.Files(certificate: own.certificate, key: own.key)
        }
        do { return try CertificateSource(files) } catch { throw ConfigurationFailure("\(error)") }
    }

    /// `web_root`, else `../share/ovation/web` beside the executable, else `./Web`.
    private func webRoot() throws(ConfigurationFailure) -> WebRoot? {
        if !settings.webRoot.isEmpty {
            guard let root = WebRoot(folder: settings.webRoot, watches: mode == .development) else {
                throw ConfigurationFailure("web_root: there is no index.html in \(settings.webRoot)")
            }
            return root
        }
        return WebRoot.usualPlaces.lazy.compactMap { WebRoot(folder: $0, watches: mode == .development) }.first
    }

    private func ranges(_ texts: [String], setting: String) throws(ConfigurationFailure) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for text in texts {
            guard let range = AddressRange(text) else {
                throw ConfigurationFailure("\(setting): \(text) is neither an address nor a network such as 10.0.0.0/8")
            }
            ranges.append(range)
        }
        return ranges
    }

    private func addresses(_ texts: [String], setting: String) throws(ConfigurationFailure) -> [IPAddress] {
        var addresses: [IPAddress] = []
        for text in texts {
            guard let address = IPAddress(text: text) else {
                throw ConfigurationFailure("\(setting): \(text) is not an IP address")
            }
            addresses.append(address)
        }
        return addresses
    }

    private func trimmed(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}

extension Logger {
    /// What happens to the mixes of choruses.
    func report(_ report: PlaybackReport) {
        switch report {
        case .songUnreadable(let file, let why): warning("the song \(file) is missing from a mix: \(why)")
        case .songsUnreadable(let why): warning("no song is heard in any mix: \(why)")
        case .failed(let why): error("a chorus has no mix: \(why)")
        }
    }
}
