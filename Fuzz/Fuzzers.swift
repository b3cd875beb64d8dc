import FuzzTargets

/// `Fuzzers <name> <libFuzzer's arguments>`: one of our parsers under libFuzzer, for example
/// `Fuzzers RTP -max_total_time=30 /tmp/findings Fuzz/corpus/RTP`.
///
/// libFuzzer's own `main` gives way to this one, since the package builds one executable for all parsers.
@main
enum Fuzzers {
    static func main() {
        guard CommandLine.argc > 1, let name = CommandLine.unsafeArgv[1],
            let target = FuzzTarget.all[String(cString: name)]
        else {
            print("usage: Fuzzers \(FuzzTarget.all.keys.sorted().joined(separator: "|")) <arguments of libFuzzer>")
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
    _ target: FuzzTarget.Function
) -> CInt
