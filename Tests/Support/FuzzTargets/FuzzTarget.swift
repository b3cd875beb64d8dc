/// What `scripts/fuzz` runs under libFuzzer, and the tests with the seeds of `Fuzz/corpus` and some thousand changes of them.
package enum FuzzTarget {
    /// libFuzzer's form of a target: the input, and 0. A property that does not hold ends the process.
    package typealias Function = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

    /// By the names of the folders in `Fuzz/corpus`.
    package static let all: [String: Function] = [
        "RTP": fuzzRTP, "RTCP": fuzzRTCP, "SRTP": fuzzSRTP, "SDP": fuzzSDP, "STUN": fuzzSTUN, "DTLS": fuzzDTLS,
        "Picture": fuzzPicture, "Peer": fuzzPeer, "Stage": fuzzStage, "Signal": fuzzSignal, "Still": fuzzStill,
        "Ticket": fuzzTicket, "Form": fuzzForm, "Photograph": fuzzPhotograph,
    ]
}
