import Foundation
import Synchronization

/// The exclusive lock on a data directory: one server per directory. The kernel drops it when the process ends, however it ends,
/// so that a lock file left behind means nothing.
final class DirectoryLock: Sendable {
    static let fileName = "ovation.lock"

    /// −1 once released.
    private let descriptor: Mutex<Int32>

    /// Throws `StoreFailure.inUse` if another process, or another store of this process, holds the lock.
    init(directory: String) throws(StoreFailure) {
        let path = directory + "/" + Self.fileName
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failed(path: path, reason: systemReason()) }
        giveToOwner(of: directory, descriptor)
        // flock and not fcntl: an fcntl lock falls as soon as anything in the process closes the file.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let held = errno == EWOULDBLOCK
            let failure: StoreFailure =
                held
                ? .inUse(directory: directory, process: Self.readProcess(descriptor))
                : .failed(path: path, reason: systemReason())
            close(descriptor)
            throw failure
        }
        self.descriptor = Mutex(descriptor)
        Self.writeProcess(descriptor)
    }

    deinit { release() }

    func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // Closing alone leaves the lock to a child process that was forked a moment ago and has not begun its program yet.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }

    /// Only for the sentence that a second server prints, so a failure is of no consequence.
    private static func writeProcess(_ descriptor: Int32) {
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func readProcess(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = text.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        return Int32(String(decoding: text[..<count].prefix { $0 != 0x0a }, as: UTF8.self))
    }
}

/// `errno` in words.
func systemReason() -> String { String(cString: strerror(errno)) }

/// Flushes a file, or a directory, which makes the names in it durable.
func flush(_ path: String) throws(StoreFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .failed(path: path, reason: systemReason()) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .failed(path: path, reason: systemReason()) }
}

/// Flushes the directory that a name stands in; a bare name stands in the working directory.
func flushFolder(of path: String) throws(StoreFailure) {
    // Not by `NSString`, which traps where the path is a single letter.
    try flush(URL(fileURLWithPath: path).deletingLastPathComponent().path)
}

/// Creates an empty file that only its owner reads: it will hold secret keys. SQLite gives the files beside it the same mode and owner.
/// - Parameter folder: whoever owns it gets the file.
func createPrivateFile(_ path: String, asIn folder: String? = nil) throws(StoreFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .failed(path: path, reason: systemReason()) }
    if let folder { giveToOwner(of: folder, descriptor) }
    close(descriptor)
}

/// A command that root runs on the folder of a service leaves files that the service can open.
private func giveToOwner(of folder: String, _ descriptor: Int32) {
    var owner = stat()
    guard geteuid() == 0, stat(folder, &owner) == 0, owner.st_uid != 0 else { return }
    _ = fchown(descriptor, owner.st_uid, owner.st_gid)
}
