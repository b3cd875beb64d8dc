import RTP
import SeededRandom
import Testing
import Wire

@Suite struct TransportFeedbackTests {
    /// Everything that the next messages tell, and how many messages it took.
    private func told(_ builder: inout TransportFeedbackBuilder) -> (
        statuses: [TransportFeedback.Status], messages: Int
    ) {
        var statuses: [TransportFeedback.Status] = []
        var messages = 0
        var last: UInt8?
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_400, alignment: 4)
        defer { buffer.deallocate() }
        while true {
            var writer = RTCPWriter(into: buffer)
            guard builder.write(sender: SSRC(1), media: SSRC(2), into: &writer) else { return (statuses, messages) }
            #expect(writer.count % 4 == 0)
            var compound = RTCPCompound(UnsafeRawBufferPointer(rebasing: buffer[..<writer.count]))
            guard case .transportFeedback(SSRC(1), SSRC(2), let feedback)? = compound.next() else {
                Issue.record("no feedback")
                return (statuses, messages)
            }
            #expect(compound.next() == nil && !compound.isMalformed)
            #expect(Array(feedback).count == feedback.count)
            #expect(last.map { feedback.number == $0 &+ 1 } ?? true)
            last = feedback.number
            statuses += feedback
            messages += 1
        }
    }

    @Test(
        "what came and what did not is told with its time, to a quarter of a millisecond",
        arguments: 1...20 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var builder = TransportFeedbackBuilder()
        var time = Int64.random(in: 0...1_000_000_000_000, using: &random)
        let first = UInt16.random(in: 0...(.max), using: &random)
        var sent: [(number: UInt16, time: Int64?)] = []
        let loss = Double.random(in: 0...0.5, using: &random)
        for step in 0..<700 {
            time += Int64.random(in: 0...(step % 50 == 0 ? 400_000_000 : 3_000_000), using: &random)
            let isLost = step > 0 && step < 699 && Double.random(in: 0..<1, using: &random) < loss
            sent.append((first &+ UInt16(step), isLost ? nil : time))
        }
        // A little out of order.
        for index in stride(from: 1, to: sent.count - 1, by: 9)
        where sent[index].time != nil && sent[index + 1].time != nil {
            let swap = sent[index].time
            sent[index].time = sent[index + 1].time
            sent[index + 1].time = swap
        }
        for (number, time) in sent { if let time { builder.note(SequenceNumber16(number), at: time) } }
        let (statuses, messages) = told(&builder)
        #expect(messages >= 2 && statuses.count == 700)
        for (status, (number, time)) in zip(statuses, sent) {
            #expect(status.number.rawValue == number && (status.arrival == nil) == (time == nil))
            // Reference times have 24 bits of 64 ms.
            if let arrival = status.arrival, let time {
                #expect(abs(arrival - time) <= 250_000, "\(arrival) for \(time)")
            }
        }
        #expect(builder.isEmpty)
    }

    @Test("what is late for its message is not told; a sender that begins anew is followed")
    func lateAndLeaps() {
        var builder = TransportFeedbackBuilder()
        builder.note(5, at: 1_000_000)
        builder.note(7, at: 2_000_000)
        #expect(told(&builder).statuses.map(\.number.rawValue) == [5, 6, 7])
        builder.note(6, at: 3_000_000)
        #expect(told(&builder).statuses.isEmpty)
        builder.note(9, at: 4_000_000)
        let next = told(&builder).statuses
        #expect(next.map(\.number.rawValue) == [8, 9] && next.map(\.arrival) == [nil, 4_000_000])
        builder.note(30_000, at: 5_000_000)
        builder.note(30_001, at: 5_000_000)
        #expect(told(&builder).statuses.map(\.number.rawValue) == [30_000, 30_001])
    }

    @Test(
        "any bytes are read without a trap, and never more statuses than were announced",
        arguments: 1...20 as ClosedRange<UInt64>)
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let words = Int.random(in: 2...30, using: &random)
            var bytes: [UInt8] = [0x8f, 205, 0, UInt8(words)]
            bytes += (0..<words * 4).map { _ in UInt8.random(in: 0...(.max), using: &random) }
            if words >= 4, Bool.random(using: &random) { bytes[14] = 0 }
            bytes.withUnsafeBytes { buffer in
                var compound = RTCPCompound(buffer)
                while let packet = compound.next() {
                    guard case .transportFeedback(_, _, let feedback) = packet else { continue }
                    #expect(Array(feedback).count <= feedback.count)
                }
            }
        }
    }
}
