import Foundation
import Testing

@testable import DTLS

@Suite struct ExitTests {
    @Test("while the process exits, a thread can still begin a media path")
    func atExit() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // Runs after whatever is registered later, as threads do that nobody waits for.
            atexit { _exit(ExitTests.contextCanBeMade() ? 0 : 1) }
            guard ExitTests.contextCanBeMade() else { exit(2) }
            exit(3)
        }
    }

    private static func contextCanBeMade() -> Bool {
        (try? DTLSContext(certificate: .selfSigned(), profiles: [gcm])) != nil
    }
}
