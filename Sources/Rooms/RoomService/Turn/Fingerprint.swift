import Foundation
import RoomModel

extension RoomCommand {
    /// Tells bodies that come with the same idempotency key apart, also after a restart: the sum over the name and the parameters as they
    /// stand on the wire, in the order of their names. Nobody gains by a collision: one would only get one's own earlier answer.
    var fingerprint: UInt64 {
        // A gift is paid for once, however much later it is asked for again: the ledger keeps its sum for ever.
        if case .sendGift(let draft) = self { return draft.fingerprint }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var sum = Fingerprint(name.rawValue)
        // Numbers, texts and names: nothing in it can fail to be encoded.
        sum.add((try? encoder.encode(payload)) ?? Data())
        return sum.value
    }
}

extension GiftDraft {
    fileprivate var fingerprint: UInt64 {
        var sum = Fingerprint("sendGift")
        sum.add(gift)
        sum.add(count)
        sum.add(to?.rawValue)
        return sum.value
    }
}

extension RoomCreation {
    /// The server's own choice of a room id is no part of the body.
    var fingerprint: UInt64 { fingerprint(for: nil) }

    /// - Parameter owner: for whom an operator creates it.
    func fingerprint(for owner: UserID?) -> UInt64 {
        var sum = Fingerprint("createRoom")
        if let owner { sum.add(owner.rawValue) }
        sum.add(room?.description)
        sum.add(kind.rawValue)
        sum.add(settings.name)
        sum.add(settings.cover)
        for tag in settings.tags { sum.add(tag) }
        sum.add(settings.needsRequest)
        if settings.isAdvisory { sum.add(true) }
        for seat in seats {
            sum.add(seat.muted)
            sum.add(seat.closed)
        }
        return sum.value
    }
}

/// FNV-1a (64 bit); each field with its length, so that neighbours cannot run together.
private struct Fingerprint {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    init(_ name: String) { add(name) }

    mutating func add(_ text: String?) {
        guard let text else { return add(-1) }
        add(text.utf8)
    }

    mutating func add(_ bytes: some Collection<UInt8>) {
        add(bytes.count)
        for byte in bytes { mix(byte) }
    }

    mutating func add(_ number: Int?) {
        for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: (number ?? .min) >> shift)) }
    }

    mutating func add(_ flag: Bool?) { mix(flag.map { $0 ? 1 : 0 } ?? 2) }

    private mutating func mix(_ byte: UInt8) {
        value ^= UInt64(byte)
        value = value &* 0x0000_0100_0000_01b3
    }
}
