import UserSig

/// Tickets: none that the fuzzer makes is good, and none takes more memory than the limits say.
package func fuzzTicket(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let verifier = TicketVerifier(application: 1_400_000_000, keys: ["a key that nobody knows"])
    do throws(TicketFailure) {
        _ = try verifier.verify(text, user: "xiaojun", now: 1_700_000_001)
        preconditionFailure("forged")
    } catch { return 0 }
}
