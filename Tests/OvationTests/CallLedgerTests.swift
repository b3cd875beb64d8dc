import Foundation
import RoomModel
import SignalProtocol
import Testing

@testable import Ovation

@Suite struct CallLedgerTests {
    private var ledger = CallLedger()

    private func text(_ bytes: [UInt8]?) -> Method? { bytes.flatMap { try? Call.decode(.init($0)).method } }

    private mutating func send(_ isReady: Bool = true) -> [Method] {
        var sent: [Method] = []
        while let method = text(ledger.next(isReady: isReady)) { sent.append(method) }
        return sent
    }

    private let keyed = Call.Body.rooms(.command(.number(7), .takeSeat(TakeSeat(1)), key: IdempotencyKey("k")))
    private let plain = Call.Body.rooms(.command(.number(7), .sendLikes(SendLikes(1)), key: nil))

    @Test("the handshake goes first and alone until the session is ready")
    mutating func handshake() {
        _ = ledger.add(plain) { _ in }
        _ = ledger.add(.readClock, isHandshake: true) { _ in }
        #expect(send(false) == [.call(.clockRead)])
        #expect(send() == [.command(.sendLikes)])
    }

    @Test("what can be repeated goes again, first and in its order; what cannot is given back")
    mutating func lost() {
        let first = ledger.add(keyed) { _ in }
        let second = ledger.add(plain) { _ in }
        let third = ledger.add(.rooms(.listRooms(RoomQuery()))) { _ in }
        #expect(send() == [.command(.takeSeat), .command(.sendLikes), .call(.roomList)])
        #expect(ledger.expected.count == 3)
        let waits = ledger.add(.rooms(.getRooms(GetRooms([])))) { _ in }
        let handshake = ledger.add(.readClock, isHandshake: true) { _ in }
        let lost = ledger.socketLost()
        #expect(lost.map(\.number) == [second, handshake])
        #expect(ledger.expected.isEmpty)
        #expect(send() == [.command(.takeSeat), .call(.roomList), .call(.roomGet)])
        #expect([first, third, waits].allSatisfy { $0.map { ledger.expected[$0] != nil } ?? false })
    }

    @Test("there is a limit to the calls and to their bytes, but none to the handshake")
    mutating func limits() {
        for _ in 0..<CallLedger.limit { #expect(ledger.add(plain) { _ in } != nil) }
        #expect(ledger.add(plain) { _ in } == nil)
        #expect(ledger.add(.readClock, isHandshake: true) { _ in } != nil)
        #expect(ledger.removeAll().count == CallLedger.limit + 1)
        let long = Call.Body.offerMedia(OfferMedia(.number(1), number: 1, sdp: String(repeating: "a", count: 1 << 20)))
        let taken = (0..<8).compactMap { _ in ledger.add(long) { _ in } }
        #expect(taken.count == 3, "four of them are more than \(CallLedger.byteLimit) bytes with what is around them")
        for number in taken { _ = ledger.remove(number) }
        #expect(ledger.add(long) { _ in } != nil)
    }

    @Test("numbers are never used again")
    mutating func numbers() {
        let first = ledger.add(plain) { _ in }
        _ = ledger.removeAll()
        let second = ledger.add(plain) { _ in }
        #expect(first != second && second != nil)
        #expect(ledger.remove(second ?? 0) != nil)
        #expect(ledger.remove(second ?? 0) == nil, "answered once")
        #expect(send().isEmpty, "and not sent any more")
    }
}
