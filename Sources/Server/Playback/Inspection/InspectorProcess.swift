internal import CConfine
internal import Glibc
internal import Synchronization

/// One `ovation inspect` at work: a child process with the file, a way back, and nothing else.
///
/// Sendable by this rule: `pid` changes under the lock alone; `output` belongs to who reads.
final class InspectorProcess: @unchecked Sendable {
    enum Failure: Error, Hashable { case cannotOpen, cannotStart }

    /// Where the child writes.
    private let output: Int32
    /// Nil once it has ended and been waited for.
    private let pid: Mutex<pid_t?>

    /// - Parameters:
    ///   - executable: ours; `/proc/self/exe` in the server itself.
    ///   - file: opened here, read there.
    ///   - niceness: 0 to 19: how much it gives way to the server.
    convenience init(
        executable: String, _ arguments: [String], file: String, niceness: Int32 = 0
    ) throws(Failure) {
        let input = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard input >= 0 else { throw .cannotOpen }
        defer { close(input) }
        try self.init(executable: executable, arguments, input: input, niceness: niceness)
    }

    /// - Parameter bytes: read there as a file would be.
    convenience init(
        executable: String, _ arguments: [String], bytes: [UInt8], niceness: Int32 = 0
    ) throws(Failure) {
        let input = confine_memory_file(bytes, bytes.count)
        guard input >= 0 else { throw .cannotStart }
        defer { close(input) }
        try self.init(executable: executable, arguments, input: input, niceness: niceness)
    }

    private init(executable: String, _ arguments: [String], input: Int32, niceness: Int32) throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard confine_pipe(&ends) == 0 else { throw .cannotStart }
        defer { close(ends[1]) }
        var words: [UnsafeMutablePointer<CChar>?] = (["ovation", "inspect"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: Int32 = 0
        guard confine_spawn(executable, &words, input, ends[1], niceness, &child) == 0 else {
            close(ends[0])
            throw .cannotStart
        }
        output = ends[0]
        pid = Mutex(child)
    }

    deinit {
        end()
        close(output)
    }

    /// How much it gives way; nil once it has ended and been waited for.
    var niceness: Int32? {
        pid.withLock { pid in pid.map { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t($0)) } }
    }

    /// Fills the buffer as far as the child writes; less only at its end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let count = Glibc.read(output, base + filled, buffer.count - filled)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// Whether something can be read, or the child has ended, before so many milliseconds have passed.
    func waits(atMost milliseconds: Int32) -> Bool {
        var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, milliseconds) > 0
    }

    /// Ends the child, if it has not ended by itself.
    func cancel() { pid.withLock { if let pid = $0 { kill(pid, SIGKILL) } } }

    /// Ends the child and waits for it.
    func end() {
        cancel()
        pid.withLock { pid in
            var status: Int32 = 0
            if let child = pid, waitpid(child, &status, 0) == child { pid = nil }
        }
    }

    /// How a child has ended.
    enum Outcome: Equatable {
        case ended(Inspection.Ending)
        /// By a signal, or with a number that nobody knows: the file broke its reader.
        case broken
        /// It had not ended in the time that it was given, and was ended.
        case outOfTime
    }

    /// How a child ended that has been read to its end: it has nothing left to do but to end.
    /// - Parameter milliseconds: on a busy machine it waits for its turn.
    func result(within milliseconds: Int32) -> Outcome {
        var left = milliseconds
        while true {
            if let outcome = collect() { return outcome }
            guard left > 0 else {
                end()
                return .outOfTime
            }
            poll(nil, 0, Self.turnMilliseconds)
            left -= Self.turnMilliseconds
        }
    }

    private static let turnMilliseconds: Int32 = 5

    /// Nil while it runs.
    private func collect() -> Outcome? {
        pid.withLock { pid in
            var status: Int32 = 0
            guard let child = pid else { return .broken }
            guard waitpid(child, &status, WNOHANG) == child else { return nil }
            pid = nil
            guard status & 0x7f == 0, let ending = Inspection.Ending(rawValue: status >> 8 & 0xff) else {
                return .broken
            }
            return .ended(ending)
        }
    }
}
