import SDP

/// Session descriptions: what is read can be printed and read again, and is answered or refused.
package func fuzzSDP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do throws(SDPError) {
        let offer = try SessionDescription(parsing: text)
        let again = try SessionDescription(parsing: offer.text)
        precondition(again.media.count == offer.media.count)
        let answer = try answerer.answer(offer).answer
        precondition(answer.media.count == offer.media.count)
        _ = try SessionDescription(parsing: answer.text)
        _ = try AcceptedOffer(answer: answer)
    } catch {
        precondition(!error.message.isEmpty)
    }
    return 0
}

private let answerer = OfferAnswerer(
    ufrag: "serverufrag", password: "serverpasswordserverpassword", fingerprint: "sha-256 AB",
    candidates: [.host(address: "192.0.2.1", port: 7882, rank: 0)], sessionID: 1, version: 1,
    slots: (0..<4).map {
        SlotSource(ssrc: $0, cname: "c", stream: StreamIdentification(stream: "s\($0)", track: "t"))
    })
