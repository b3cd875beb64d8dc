package import HTTP
import RoomModel
package import RoomPorts
package import RoomService
package import SignalProtocol

/// What every call dispatcher works with.
package struct CallDependencies: Sendable {
    package let signIn: SignIn
    package let sessions: SessionRegistry
    package let rooms: RoomDirectory
    package let media: any MediaControl
    package let clock: any TimeSource
    /// Test peers, for those who want to know what their line carries.
    package let lines: LineTests
    /// Relays for clients behind strict firewalls, told with each session and each media answer.
    package let relays: RelayServers
    package let messageLimit: MessageLimit
    package let changes: ChangeLimit
    package let wallets: Wallets
    package let signals: Signals
    let stills: SentStills
    let statedLimits: SessionOpened.Limits

    package init(
        signIn: SignIn, sessions: SessionRegistry, rooms: RoomDirectory, media: any MediaControl, clock: any TimeSource,
        lines: LineTests, relays: RelayServers, messageLimit: MessageLimit, changes: ChangeLimit, wallets: Wallets,
        signals: Signals,
        stills: SentStills, statedLimits: SessionOpened.Limits
    ) {
        self.signIn = signIn
        self.sessions = sessions
        self.rooms = rooms
        self.media = media
        self.clock = clock
        self.lines = lines
        self.relays = relays
        self.messageLimit = messageLimit
        self.changes = changes
        self.wallets = wallets
        self.signals = signals
        self.stills = stills
        self.statedLimits = statedLimits
    }
}
