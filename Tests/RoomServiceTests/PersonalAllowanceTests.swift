import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

@Suite struct PersonalAllowanceTests {
    private let app = ApplicationID(1)
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test(
        "G06-S whoever has many rooms has no more lines of the audit trail: two actions a second, and a change of a room each ten seconds"
    )
    func person() {
        let allowances = PersonalAllowances()
        func act(_ user: UserID, at second: Int64, in application: ApplicationID? = nil) -> Bool {
            allowances.takeAction(
                of: user, in: application ?? app, perSecond: 2, now: start + .seconds(second)) == nil
        }
        #expect((0..<500).count { _ in act(.owner, at: 0) } == 60)
        #expect((1...600).reduce(0) { sum, second in sum + (0..<20).count { _ in act(.owner, at: second) } } == 1_200)
        #expect(act(.member, at: 600) && act(.owner, at: 600, in: ApplicationID(2)), "others have theirs")
        var lines = 0
        // A hundred guests who change attributes five times a second, for 20 minutes.
        for second in Int64(0)..<1_200 {
            for guest in 0..<100 {
                for _ in 0..<5 {
                    let user = UserID(literal: "guest-\(guest)")
                    if allowances.takeChange(of: user, in: app, now: start + .seconds(second)) { lines += 1 }
                }
            }
        }
        #expect(lines < 15_000)
    }

    @Test("G06-S reports of one person are counted in all rooms together: five, then one a minute") func reports() {
        let allowances = PersonalAllowances()
        #expect((0..<9).count { _ in allowances.takeReport(of: .member, in: app, now: start) == nil } == 5)
        #expect(allowances.takeReport(of: .member, in: app, now: start + .seconds(61)) == nil)
        #expect(allowances.takeReport(of: .other, in: app, now: start) == nil)
    }
}
