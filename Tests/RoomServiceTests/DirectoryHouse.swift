import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Timing

/// A directory of rooms on a journal in memory.
struct DirectoryHouse {
    static let app = ApplicationID(1_400_000_001)
    static let otherApp = ApplicationID(1_400_000_002)

    let clock = VirtualRoomClock()
    let media = RecordingMedia()
    let journal: MemoryJournal
    let bus = RecordingBus()
    let reports = Shared<[RoomReport]>([])
    let directory: RoomDirectory

    init(_ journal: MemoryJournal = MemoryJournal(), policy: RoomPolicy = RoomPolicy()) async throws {
        self.journal = journal
        directory = RoomDirectory(
            DirectoryPorts(
                journal: journal, ledger: MemoryLedger(), moderation: journal.moderation, media: media,
                bus: bus, clock: clock,
                audience: { PlainAudience(ready: $0) },
                policy: { _ in policy },
                report: { [reports] report in reports.update { $0.append(report) } }))
        try await directory.start()
    }

    /// Creates, and waits for the answer.
    func create(
        _ id: RoomID? = nil, _ name: String = "Salon", kind: RoomKind = .voice, tags: [String] = [], by client: Client,
        in app: ApplicationID = DirectoryHouse.app, key: String? = nil
    ) async -> Result<(room: Room, entry: RoomEntry), RoomError> {
        let creation = RoomCreation(room: id, kind: kind, settings: RoomSettings(name: name, tags: tags))
        return await withCheckedContinuation { answered in
            Task {
                await directory.create(
                    creation, in: app, by: .named(client.user), key: key.flatMap { IdempotencyKey($0) },
                    as: { _ in client.attendee }
                ) { answered.resume(returning: $0) }
            }
        }
    }

    func code(_ result: Result<(room: Room, entry: RoomEntry), RoomError>) -> RoomError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }
}

extension Room {
    /// Gives the command, and waits for the answer.
    func ask(_ command: RoomCommand, by client: Client) async -> Result<CommandResult, RoomError> {
        await withCheckedContinuation { answered in
            Task {
                submit(command, from: client.session, key: nil) { answered.resume(returning: $0.map(\.result)) }
            }
        }
    }
}

extension Result<CommandResult, RoomError> {
    var code: RoomError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
