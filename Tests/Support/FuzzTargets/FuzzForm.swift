import HTTPGrammar

/// A form: the first line is its Content-Type, the rest its body. However the body is cut, the parts are the same, and none is told
/// twice or left open in a whole form.
package func fuzzForm(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let line = bytes.prefix { $0 != 10 }
    let text = String(decoding: line, as: UTF8.self)
    _ = EntityTags(text)
    if let seconds = RetryAfter.seconds(text, now: 784_111_777) { precondition(seconds >= 0) }
    guard let parser = FormParser(contentType: text) else { return 0 }
    let body = Array(bytes.dropFirst(line.count + 1))
    let whole = outcome(parser, [body[...]])
    let pieces = stride(from: 0, to: body.count, by: 7).map { body[$0..<min($0 + 7, body.count)] }
    precondition(outcome(parser, pieces) == whole)
    return 0
}

private struct Outcome: Equatable {
    var parts: [FormParser.Part] = []
    var bodies: [[UInt8]] = []
    var isOpen = false
    var isWhole = false
    var isRefused = false
}

private func outcome(_ parser: FormParser, _ pieces: [ArraySlice<UInt8>]) -> Outcome {
    var parser = parser
    var outcome = Outcome()
    for piece in pieces where !outcome.isRefused {
        do {
            try parser.feed(piece) { event in
                switch event {
                case .part(let part):
                    precondition(!outcome.isOpen)
                    outcome.isOpen = true
                    outcome.parts.append(part)
                    outcome.bodies.append([])
                case .data(let data):
                    precondition(outcome.isOpen)
                    outcome.bodies[outcome.bodies.count - 1] += data
                case .partEnd:
                    precondition(outcome.isOpen)
                    outcome.isOpen = false
                }
            }
        } catch {
            outcome.isRefused = true
        }
    }
    outcome.isWhole = parser.isWhole
    precondition(!outcome.isWhole || !outcome.isOpen)
    // What a broken form told before it broke depends on how it was cut.
    return outcome.isRefused ? Outcome(isRefused: true) : outcome
}
