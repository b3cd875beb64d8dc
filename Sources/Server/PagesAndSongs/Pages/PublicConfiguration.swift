import HTTP
package import RoomModel

/// What a page must know before anybody signs in.
package struct PublicConfiguration: Sendable, Hashable {
    /// Where the web app's people get their tickets.
    package enum SignInWay: Sendable, Hashable {
        case issuer(TicketIssuer.Kind)
        /// The operator's own ticket server.
        case url(String)
        /// There is no way in for the web app: tickets are made elsewhere.
        case none
    }

    package var version: String
    package var application: ApplicationID?
    package var signIn: SignInWay

    /// Sites whose sound files the page may fetch beside this server's.
    package var musicOrigins: [String]
    /// Sites whose pictures the page shows beside this server's.
    package var pictureOrigins: [String]

    package init(
        version: String, application: ApplicationID?, signIn: SignInWay, musicOrigins: [String] = [],
        pictureOrigins: [String] = []
    ) {
        self.version = version
        self.application = application
        self.signIn = signIn
        self.musicOrigins = musicOrigins
        self.pictureOrigins = pictureOrigins
    }

    /// As `GET /v1/config` says it.
    package struct Stated: Encodable, Sendable {
        package struct Limits: Encodable, Sendable {
            var nameCharacters = SignIn.nameLimit
            package var seats = 16
        }
        package var version: String
        var app: ApplicationID?
        package var signIn: String
        package var ticketsURL: String?
        package var musicOrigins: [String] = []
        package var pictureOrigins: [String] = []
        /// Whether people may send pictures of themselves and for their rooms.
        package var faces = false
        let languages = ["en", "ko", "zh-Hans"]
        package let limits = Limits()
    }

    /// - Parameters:
    ///   - ticketsAreServed: whether the issuer serves the address that asks; elsewhere there is no way in.
    ///   - picturesAreRead: whether this server can read pictures that people send.
    package func stated(ticketsAreServed: Bool, picturesAreRead: Bool) -> Stated {
        var stated = way(ticketsAreServed: ticketsAreServed)
        stated.faces = picturesAreRead
        stated.musicOrigins = musicOrigins
        stated.pictureOrigins = pictureOrigins
        return stated
    }

    private func way(ticketsAreServed: Bool) -> Stated {
        switch signIn {
        case .issuer(let kind):
            Stated(
                version: version, app: application,
                signIn: ticketsAreServed ? (kind == .development ? "dev" : "guests") : "none")
        case .url(let url): Stated(version: version, app: application, signIn: "url", ticketsURL: url)
        case .none: Stated(version: version, app: application, signIn: "none")
        }
    }
}
