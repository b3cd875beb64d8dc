import Logging
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import Synchronization
import Testing
import Timing

@testable import ServerApp

@Suite struct RoomReportsTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.all.withLock { $0.append("\(event.message)") } }
    }

    @Test("R09-S a full disk is said in words, and not once for each room and second; what is left out is counted")
    func bounded() {
        let (lines, clock) = (Lines(), VirtualRoomClock())
        let reports = RoomReports(Logger(label: "test") { _ in Handler(lines: lines) }, clock: clock)
        let key = RoomKey(application: ApplicationID(5), room: .number(48_213))
        for _ in 0..<1_000 { reports.report(.journalFailed(key, .full)) }
        #expect(lines.all.withLock { $0.count } == 10)
        #expect(
            lines.all.withLock { $0[0] }
                == "the journal of room 48213 of application 5 failed: the disk is full; make room, and the server goes on by itself"
        )
        // What says something else is always said.
        reports.report(.damaged(key, "x"))
        #expect(lines.all.withLock { $0.count } == 11)
        clock.advance(by: .seconds(10))
        reports.report(.journalFailed(key, .full))
        #expect(lines.all.withLock { $0[11].hasSuffix("(990 lines like this one were left out)") })
        reports.report(.journalFailed(key, .full))
        #expect(lines.all.withLock { $0.count } == 12)
    }
}
