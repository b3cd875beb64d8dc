import RoomModel
import RoomPorts
import RoomService
import SignalProtocol

/// What every call dispatcher works with.
struct GatewayServices: Sendable {
    let signIn: SignIn
    let sessions: SessionRegistry
    let rooms: RoomDirectory
    let media: any MediaControl
    let clock: any TimeSource
    /// Test peers, for those who want to know what their line carries.
    let lines: LineTests
    /// Relays for clients behind strict firewalls, told with each session and each media answer.
    let relays: RelayServers
    let messageLimit: MessageLimit
    let wallets: Wallets
    let signals: Signals
    let stills: SentStills
    let statedLimits: SessionOpened.Limits
}
