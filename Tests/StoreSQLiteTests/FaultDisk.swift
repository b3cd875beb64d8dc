import CFaultVFS
import Foundation

/// A directory of its own for one test, removed with it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("ovation-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// What `CFaultVFS` sees of a directory. Attach before the store opens, let go after it has shut down.
///
/// `@unchecked Sendable`: `disk` never changes, and every function here and every call of SQLite takes the disk's own mutex
/// in C (`fault_disk.lock`) around what it reads or changes. Records are only added, and the bytes they point to are freed
/// by the last holder's `deinit` alone, so a record may be read outside the lock.
final class FaultDisk: @unchecked Sendable {
    struct Unavailable: Error {}

    private let disk: OpaquePointer

    init(_ scratch: Scratch, recording: Bool = false) throws {
        guard fault_vfs_install() == 0, let disk = fault_disk_attach(scratch.path, recording) else {
            throw Unavailable()
        }
        self.disk = disk
    }

    deinit { fault_disk_detach(disk) }

    var syncs: Int { Int(fault_disk_syncs(disk)) }
    func mark(_ value: Int) { fault_disk_mark(disk, Int64(value)) }
    func failSyncs(_ failing: Bool) { fault_disk_fail_syncs(disk, failing) }
    /// `nil` gives all space back.
    func limitGrowth(_ bytes: Int?) { fault_disk_limit_growth(disk, Int64(bytes ?? -1)) }

    /// One thing that happened to the disk, in order.
    enum Record {
        case open(name: String, held: [UInt8], entryIsDurable: Bool)
        case write(name: String, offset: Int, bytes: [UInt8])
        case truncate(name: String, size: Int)
        case sync(name: String, directory: Bool)
        case delete(name: String, directory: Bool)
        case mark(Int)
    }

    var records: [Record] {
        (0..<fault_disk_count(disk)).compactMap { index in
            var record = fault_record()
            guard fault_disk_record(disk, index, &record), let name = record.name.map({ String(cString: $0) }) else {
                return nil
            }
            let bytes = Array(UnsafeBufferPointer(start: record.data, count: record.length))
            switch record.kind {
            case FAULT_OPEN: return .open(name: name, held: bytes, entryIsDurable: record.directory)
            case FAULT_WRITE: return .write(name: name, offset: Int(record.offset), bytes: bytes)
            case FAULT_TRUNCATE: return .truncate(name: name, size: Int(record.offset))
            case FAULT_SYNC: return .sync(name: name, directory: record.directory)
            case FAULT_DELETE: return .delete(name: name, directory: record.directory)
            case FAULT_MARK: return .mark(Int(record.offset))
            default: return nil
            }
        }
    }
}
