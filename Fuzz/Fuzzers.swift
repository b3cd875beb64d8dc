/// `Fuzzers <name> <libFuzzer's arguments>`: one of our parsers under libFuzzer, for example
/// `Fuzzers RTP -max_total_time=30 /tmp/findings Fuzz/corpus/RTP`.
///
/// libFuzzer's own `main` gives way to this one, since the package builds one executable for all parsers.
@main
enum Fuzzers {
    typealias Target = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

    static let targets: [String: Target] = [
        "RTP": fuzzRTP, "RTCP": fuzzRTCP, "SRTP": fuzzSRTP, "SDP": fuzzSDP, "STUN": fuzzSTUN, "DTLS": fuzzDTLS,
        "Picture": fuzzPicture, "Peer": fuzzPeer, "Stage": fuzzStage, "Signal": fuzzSignal, "Still": fuzzStill,
        "Ticket": fuzzTicket,
    ]

    static func main() {
        guard CommandLine.argc > 1, let name = CommandLine.unsafeArgv[1], let target = targets[String(cString: name)]
        else {
            print("usage: Fuzzers \(targets.keys.sorted().joined(separator: "|")) <arguments of libFuzzer>")
            return
        }
        // The name takes the program's place in the list of arguments.
        var count = CommandLine.argc - 1
        var arguments = CommandLine.unsafeArgv + 1
        _ = runDriver(&count, &arguments, target)
    }
}

/// libFuzzer's entry for programs with a `main` of their own. It ends the process when it finds something.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ target: Fuzzers.Target
) -> CInt
