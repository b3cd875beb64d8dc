import DatagramIO
import Wire

/// Whether people outside find the way to the media port: judged by the addresses that clients are told.
struct AddressCheck {
    var bound: [IPAddress]
    var stated: [IPAddress]
    /// Of this machine, loopback included.
    var interfaces: [IPAddress]

    var findings: [Finding] {
        let own = interfaces.filter { !$0.isLoopback }
        let listed = stated + (bound.isEmpty || bound.contains(where: \.isUnspecified) ? own : bound)
        let text = listed.map(\.text).joined(separator: ", ")
        if let odd = bound.first(where: { !$0.isUnspecified && !interfaces.contains($0) }) {
            return [
                .problem(
                    "addresses", "media.bind names \(odd.text), which this machine does not have.",
                    "Name one of \(interfaces.map(\.text).joined(separator: ", ")), or leave media.bind empty.")
            ]
        }
        if let odd = stated.first(where: { $0.isLoopback || $0.isUnspecified || $0.isLinkLocal }) {
            return [
                .problem(
                    "addresses", "public_address names \(odd.text), which leads nobody here.",
                    "Name the address under which this server is reached from outside.")
            ]
        }
        guard !listed.allSatisfy({ $0.isLoopback || $0.isPrivate }) else {
            let advice =
                "If people come from the internet, set public_address to the address under which they reach this machine, "
                + "and forward the media port to it."
            guard let first = listed.first(where: { !$0.isLoopback }) else {
                return [
                    .warning(
                        "addresses", "Clients are told no address but loopback: only this machine can connect.", advice)
                ]
            }
            return [
                .warning(
                    "addresses",
                    "Clients are told \(text): only people in the same network as \(first.text) reach them.", advice)
            ]
        }
        return [.fine("addresses", "Clients are told \(text).")]
    }
}

extension IPAddress {
    /// Not routed in the internet: RFC 1918, RFC 6598, RFC 4193, link-local.
    var isPrivate: Bool {
        guard isIPv4 else { return high >> 57 == 0x7e || isLinkLocal }
        let value = UInt32(truncatingIfNeeded: low)
        return value >> 24 == 10 || value >> 20 == 0xac1 || value >> 16 == 0xc0a8 || value >> 22 == 0x191
            || value >> 16 == 0xa9fe
    }
}
