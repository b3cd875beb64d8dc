internal import Timing
package import Wire

/// When the packets with some transport-wide numbers arrived (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1): a packet's
/// status says that it did not come, or how long after the one before it came.
///
/// A view: it must not outlive the packet.
package struct TransportFeedback: Sequence {
    /// In this many nanoseconds a reference time counts, and a difference between two arrivals.
    package static let referenceNanoseconds: Int64 = 64_000_000
    package static let deltaNanoseconds: Int64 = 250_000
    /// The header before the list of chunks.
    static let fixedLength = 8

    package let base: SequenceNumber16
    package let count: Int
    /// In units of `referenceNanoseconds`, 24 bits, signed.
    package let reference: Int32
    /// Counts feedback messages.
    package let number: UInt8
    private let body: UnsafeRawBufferPointer

    /// `body` follows the two SSRCs.
    init?(_ body: UnsafeRawBufferPointer) {
        var reader = ByteReader(body)
        guard let base = reader.readUInt16(), let count = reader.readUInt16(), let time = reader.readUInt32() else {
            return nil
        }
        self.base = SequenceNumber16(base)
        self.count = Int(count)
        reference = Int32(bitPattern: time) >> 8
        number = UInt8(truncatingIfNeeded: time)
        self.body = reader.rest
    }

    package struct Status: Hashable, Sendable {
        package var number: SequenceNumber16
        /// Nanoseconds since the reference's zero; nil if the packet has not come.
        package var arrival: Int64?
    }

    /// Every status up to the first that is cut off.
    package func makeIterator() -> Iterator { Iterator(self, body) }

    package struct Iterator: IteratorProtocol {
        private var chunks: ByteReader
        private var deltas: ByteReader
        private var number: SequenceNumber16
        private var left: Int
        private var time: Int64
        /// The present chunk: symbols of two bits, the next one highest, and how many are left.
        private var symbols: UInt32 = 0
        private var symbolsLeft = 0
        /// A run: the same symbol over and over.
        private var runLeft = 0
        private var runSymbol: UInt8 = 0

        init(_ feedback: TransportFeedback, _ body: UnsafeRawBufferPointer) {
            number = feedback.base
            left = feedback.count
            time = Int64(feedback.reference) * TransportFeedback.referenceNanoseconds
            chunks = ByteReader(body)
            // The deltas begin where the chunks end: count them first.
            var reader = ByteReader(body)
            var covered = 0
            while covered < feedback.count, let chunk = reader.readUInt16() {
                covered += Self.statuses(in: chunk)
            }
            deltas = ByteReader(reader.rest)
            // A chunk that is missing ends the walk.
            left = Swift.min(left, covered)
        }

        private static func statuses(in chunk: UInt16) -> Int {
            if chunk & 0x8000 == 0 { return Int(chunk & 0x1fff) }
            return chunk & 0x4000 == 0 ? 14 : 7
        }

        package mutating func next() -> Status? {
            guard left > 0, let symbol = nextSymbol() else { return nil }
            var arrival: Int64?
            switch symbol {
            case 0: break
            case 1:
                guard let delta = deltas.readUInt8() else { return end() }
                time += Int64(delta) * TransportFeedback.deltaNanoseconds
                arrival = time
            case 2:
                guard let delta = deltas.readUInt16() else { return end() }
                time += Int64(Int16(bitPattern: delta)) * TransportFeedback.deltaNanoseconds
                arrival = time
            // Reserved.
            default: return end()
            }
            left -= 1
            defer { number = number.next }
            return Status(number: number, arrival: arrival)
        }

        private mutating func end() -> Status? {
            left = 0
            return nil
        }

        private mutating func nextSymbol() -> UInt8? {
            while runLeft == 0, symbolsLeft == 0 {
                guard let chunk = chunks.readUInt16() else { return nil }
                if chunk & 0x8000 == 0 {
                    runSymbol = UInt8(chunk >> 13 & 3)
                    runLeft = Int(chunk & 0x1fff)
                } else if chunk & 0x4000 == 0 {
                    symbolsLeft = 14
                    symbols = 0
                    for bit in 0..<14 where chunk & (1 << UInt16(13 - bit)) != 0 {
                        symbols |= 1 << UInt32(2 * (13 - bit))
                    }
                } else {
                    symbolsLeft = 7
                    symbols = UInt32(chunk & 0x3fff)
                }
            }
            if runLeft > 0 {
                runLeft -= 1
                return runSymbol
            }
            symbolsLeft -= 1
            return UInt8(symbols >> UInt32(2 * symbolsLeft) & 3)
        }
    }
}

/// Gathers arrivals of packets with transport-wide numbers and writes the feedback on them.
package struct TransportFeedbackBuilder {
    /// How many statuses one message has at most: what fits a datagram whatever the pattern.
    static let mostStatuses = 512

    /// By number, from `begin` on: nanoseconds, or nil for what has not come.
    private var arrivals: [Int64?] = []
    private var begin: UInt64?
    private var extender = SequenceExtender()
    private var messages: UInt8 = 0

    package init() {}

    /// Nothing is to be told.
    package var isEmpty: Bool { arrivals.isEmpty }

    package mutating func note(_ number: SequenceNumber16, at nanoseconds: Int64) {
        let extended = extender.extend(number)
        guard let begin else {
            self.begin = extended
            arrivals = [nanoseconds]
            return
        }
        // Told as missing before: whoever estimates corrects that only if it is told again, which no sender counts on.
        guard extended >= begin else { return }
        let place = extended - begin
        // A leap further than this is a sender that began anew.
        guard place < 16_384 else {
            self.begin = extended
            arrivals = [nanoseconds]
            return
        }
        while arrivals.count <= Int(place) { arrivals.append(nil) }
        if arrivals[Int(place)] == nil { arrivals[Int(place)] = nanoseconds }
    }

    /// Writes one message on the oldest arrivals; false if there is nothing to tell, or it does not fit.
    package mutating func write(sender: SSRC, media: SSRC, into writer: inout RTCPWriter) -> Bool {
        guard let begin, let start = arrivals.lazy.compactMap({ $0 }).first else { return false }
        let reference = start.dividedDown(by: TransportFeedback.referenceNanoseconds)
        var time = reference * TransportFeedback.referenceNanoseconds
        var symbols: [UInt8] = []
        var deltas: [Int16] = []
        for arrival in arrivals.prefix(Self.mostStatuses) {
            guard let arrival else {
                symbols.append(0)
                continue
            }
            let steps = (arrival - time + TransportFeedback.deltaNanoseconds / 2).dividedDown(
                by: TransportFeedback.deltaNanoseconds)
            guard let delta = Int16(exactly: steps) else { break }
            time += steps * TransportFeedback.deltaNanoseconds
            symbols.append((0...255).contains(delta) ? 1 : 2)
            deltas.append(delta)
        }
        // What has not come at the end may still come, unless the message is full.
        while symbols.count < Self.mostStatuses, symbols.last == 0 { symbols.removeLast() }
        let isWritten = writer.writeTransportFeedback(
            sender: sender, media: media, base: SequenceNumber16(UInt16(truncatingIfNeeded: begin)),
            reference: Int32(truncatingIfNeeded: reference), number: messages, symbols: symbols, deltas: deltas)
        guard isWritten else { return false }
        messages &+= 1
        arrivals.removeFirst(symbols.count)
        self.begin = begin + UInt64(symbols.count)
        return true
    }
}

extension Int64 {
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
