import Foundation
import SDP

/// Offers of real browsers (Chromium 156, Firefox 153): a microphone and four slots; the same with video and data lines
/// added; then with a line stopped; with the bundle policy "balanced" and a microphone that is sendrecv; and with repeats
/// asked for. Two more have a microphone, two slots, a camera (with three layers, or one), a screen and two pictures to get.
let fixtures = ["audio", "video", "stopped", "balanced", "nack", "simulcast", "camera"].flatMap {
    ["chromium-\($0)", "firefox-\($0)"]
}

func fixture(_ name: String) throws -> String {
    guard let url = Bundle.module.url(forResource: name, withExtension: "sdp", subdirectory: "Fixtures") else {
        throw CocoaError(.fileNoSuchFile)
    }
    return String(decoding: try Data(contentsOf: url), as: UTF8.self)
}

func fingerprint(_ byte: String) -> String {
    "sha-256 " + [String](repeating: byte, count: 32).joined(separator: ":")
}

func answerer(slots: Int = 3) -> OfferAnswerer {
    OfferAnswerer(
        ufrag: "serverufrag", password: "serverpasswordserverpassword", fingerprint: fingerprint("AB"),
        candidates: [
            .host(address: "192.0.2.1", port: 7882, rank: 0), .host(address: "2001:db8::1", port: 7882, rank: 1),
        ],
        sessionID: 1, version: 2,
        slots: (0..<slots).map {
            SlotSource(
                ssrc: 1_000 + UInt32($0), cname: "cname-\($0)",
                stream: StreamIdentification(stream: "slot-\($0)", track: "audio-\($0)"))
        })
}

/// One that also has pictures.
func pictureAnswerer(slots: Int = 3, pictures: Int = 3) -> OfferAnswerer {
    var answerer = answerer(slots: slots)
    answerer.views = (0..<pictures).map {
        ViewSource(
            ssrc: 2_000 + UInt32($0), repeatSSRC: 3_000 + UInt32($0), cname: "cname-\($0)",
            stream: StreamIdentification(stream: "slot-\($0)", track: "picture-\($0)"))
    }
    return answerer
}
