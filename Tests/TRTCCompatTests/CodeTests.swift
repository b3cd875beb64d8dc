import Ovation
import Testing

@testable import TRTCCompat

@Suite struct CodeTests {
    @Test(
        "V17-C a documented refusal keeps its number, any other of the server is -1, and its name stands in the message"
    )
    func codes() {
        // By the published numbers (Documentation/build/trtc-names.md).
        let documented: Set<Int32> = [
            -3_317, -3_318, -3_319, -3_320, -100_006, -100_018, 6_206, 6_208, 8_010, 8_011, 8_012, 10_001, 10_006,
            10_010, 10_021,
            10_016, 10_017, 10_048, 10_056, 80_001, 80_002,
        ]
        for code in RoomError.Code.allCases {
            let (number, message) = OvationError(OvationError.Code(code)).outcome
            #expect(number == -1 || documented.contains(number), "\(code)")
            #expect(number != 0 && message.hasPrefix(code.name))
            if documented.contains(Int32(clamping: code.number)) { #expect(number == Int32(clamping: code.number)) }
        }
        #expect(OvationError(.permissionDenied).outcome.code == -1)
        #expect(OvationError(.seatTaken).outcome.code == TRTCCode.seatConflict)
        for code in [.offline, .timeout, .signedOut, .invalidAnswer, .mediaFailed] as [OvationError.Code] {
            let (number, message) = OvationError(code).outcome
            #expect((-30 ... -1).contains(number) && message.hasPrefix(code.rawValue))
        }
    }
}
