import Foundation
import GRDB

/// Copies of the store's file, and back.
package enum StoreBackup {
    /// A consistent copy while the server may run: reads alone, and takes no lock of the directory. The copy has secret keys, as the file
    /// has, and can be read by its owner alone.
    /// - Parameter path: where nothing may be yet.
    package static func make(of directory: String, to path: String) throws(StoreFailure) {
        let file = directory + "/" + SQLiteStore.fileName
        guard try Schema.current.inspect(file) > 0 else {
            throw .failed(path: file, reason: "there is no such file")
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw .failed(path: path, reason: "there is a file of that name already")
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let queue: DatabaseQueue
        do { queue = try DatabaseQueue(path: file, configuration: configuration) } catch {
            throw StoreFailure(error, path: file)
        }
        try copyDatabase(queue, to: path)
        try check(path)
        StoreCopies(of: file).note(path)
    }

    /// Puts a copy in the place of the directory's file, which is kept beside it. The server must not run.
    /// - Returns: where the former file is; `nil`: there was none.
    package static func restore(_ backup: String, to directory: String) throws(StoreFailure) -> String? {
        guard try Schema.current.inspect(backup) > 0 else {
            throw .failed(path: backup, reason: "there is no such file, or nothing in it")
        }
        try check(backup)
        if !FileManager.default.fileExists(atPath: directory) {
            do {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch { throw .failed(path: directory, reason: error.localizedDescription) }
        }
        let lock = try DirectoryLock(directory: directory)
        defer { lock.release() }
        let file = directory + "/" + SQLiteStore.fileName
        // Whole beside the file before anything is moved.
        let fresh = file + ".restoring"
        do {
            let queue = try DatabaseQueue(path: backup)
            defer { try? queue.close() }
            try? FileManager.default.removeItem(atPath: fresh)
            try copyDatabase(queue, to: fresh, asIn: directory)
        } catch { throw StoreFailure(error, path: backup) }
        var former: String?
        if FileManager.default.fileExists(atPath: file) {
            let kept = freeName(file + ".before-restore")
            // The WAL and its index belong to the file: they go with it.
            for tail in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: file + tail) {
                guard rename(file + tail, kept + tail) == 0 else {
                    throw .failed(path: file + tail, reason: systemReason())
                }
            }
            former = kept
        }
        guard rename(fresh, file) == 0 else { throw .failed(path: file, reason: systemReason()) }
        try flushFolder(of: file)
        return former
    }

    /// Whether SQLite finds the file in order.
    private static func check(_ path: String) throws(StoreFailure) {
        let problem: String?
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            problem = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        } catch { throw StoreFailure(error, path: path) }
        if let problem, problem != "ok" { throw .failed(path: path, reason: "the file is damaged: \(problem)") }
    }
}
