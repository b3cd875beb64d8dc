internal import SignalProtocol

/// The calls that have no answer yet: which wait for the connection, which the present socket has, and what becomes of them when
/// it is lost. Pure.
struct CallLedger {
    /// More than this and the caller does not wait for answers at all: at the server's pace it is some six seconds' worth.
    static let limit = 256
    /// Together with the number this bounds the memory; a media offer has up to 256 KiB.
    static let byteLimit = 4 << 20

    typealias Completion = (Result<CallAnswer, OvationError>) -> Void

    struct Entry {
        let number: Int64
        let method: Method
        let text: [UInt8]
        /// Part of signing in and resuming: goes first, and is never repeated, since the next socket asks anew.
        let isHandshake: Bool
        let isRepeatable: Bool
        fileprivate(set) var isOnSocket = false
        /// Some socket had it: the server may have done it.
        fileprivate(set) var wasSent = false
        let completion: Completion
    }

    func isOnSocket(_ number: Int64) -> Bool { entries[number]?.isOnSocket ?? false }

    private var entries: [Int64: Entry] = [:]
    /// Numbers of those that wait, in the order in which they are to go.
    private var handshake: [Int64] = []
    private var waiting: [Int64] = []
    private var last: Int64 = 0
    private var bytes = 0

    /// The methods of the calls that the present socket has, by number.
    private(set) var expected: [Int64: Method] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// What would go next: part of the handshake, another call, or nothing.
    func hasNext(isReady: Bool) -> (handshake: Bool, call: Bool) {
        (!handshake.isEmpty, isReady && !waiting.isEmpty)
    }

    /// Takes a call on; `nil` if there are too many.
    mutating func add(_ body: Call.Body, isHandshake: Bool = false, completion: @escaping Completion) -> Int64? {
        let number = last + 1
        let call = Call(number: number, body)
        let text = call.text
        guard isHandshake || (entries.count < Self.limit && bytes + text.count <= Self.byteLimit) else { return nil }
        last = number
        bytes += text.count
        entries[number] = Entry(
            number: number, method: call.method, text: text, isHandshake: isHandshake,
            isRepeatable: body.isRepeatable && !isHandshake, completion: completion)
        if isHandshake { handshake.append(number) } else { waiting.append(number) }
        return number
    }

    /// The text that goes next, and is on the socket from now on.
    /// - Parameter isReady: signed in; before that only the handshake goes.
    mutating func next(isReady: Bool) -> [UInt8]? {
        let number: Int64
        if !handshake.isEmpty {
            number = handshake.removeFirst()
        } else if isReady, !waiting.isEmpty {
            number = waiting.removeFirst()
        } else {
            return nil
        }
        guard var entry = entries[number] else { return next(isReady: isReady) }
        entry.isOnSocket = true
        entry.wasSent = true
        entries[number] = entry
        expected[number] = entry.method
        return entry.text
    }

    /// The call is over: answered, timed out or cancelled. `nil` if it was before.
    mutating func remove(_ number: Int64) -> Entry? {
        expected[number] = nil
        guard let entry = entries.removeValue(forKey: number) else { return nil }
        bytes -= entry.text.count
        if !entry.isOnSocket {
            handshake.removeAll { $0 == number }
            waiting.removeAll { $0 == number }
        }
        return entry
    }

    /// Nobody waits for the answer any more, but it must not go unheard: `completion` takes it. Calls that have not been sent are
    /// simply taken back.
    mutating func abandon(_ number: Int64, completion: @escaping Completion) -> Entry? {
        guard let entry = remove(number), entry.isOnSocket else { return nil }
        var heir = Entry(
            number: number, method: entry.method, text: [], isHandshake: false, isRepeatable: false,
            completion: completion)
        heir.isOnSocket = true
        heir.wasSent = true
        entries[number] = heir
        expected[number] = entry.method
        return entry
    }

    /// The socket is gone. What can be repeated goes first on the next one, in the old order.
    /// - Returns: the calls that cannot.
    mutating func socketLost() -> [Entry] {
        expected = [:]
        let had = entries.values.filter { $0.isOnSocket || $0.isHandshake }.sorted { $0.number < $1.number }
        let lost = had.filter { !$0.isRepeatable }
        for entry in lost { _ = remove(entry.number) }
        let again = had.filter(\.isRepeatable)
        for entry in again { entries[entry.number]?.isOnSocket = false }
        waiting = again.map(\.number) + waiting
        return lost
    }

    /// Everything ends.
    mutating func removeAll() -> [Entry] {
        defer { self = CallLedger(after: last) }
        return entries.values.sorted { $0.number < $1.number }
    }

    init() {}

    private init(after last: Int64) { self.last = last }
}
