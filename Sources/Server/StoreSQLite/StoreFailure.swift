import GRDB
import RoomPorts

/// Why the store could not be opened, migrated or copied; `description` is the sentence for the operator.
package enum StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another server holds the data directory; `process` is its id, where it could be read.
    case inUse(directory: String, process: Int32?)
    /// The file was written by a later release. It has not been touched.
    case newerFile(path: String, schema: Int, supported: Int)
    /// The file is an SQLite database of some other program, or no database at all. It has not been touched.
    case foreignFile(path: String)
    case full(path: String)
    case failed(path: String, reason: String)

    package var description: String {
        switch self {
        case .inUse(let directory, let process):
            "another server\(process.map { " (process \($0))" } ?? "") is using the data directory \(directory)"
        case .newerFile(let path, let schema, let supported):
            """
            \(path) was written by a newer release (schema \(schema); this one knows up to \(supported)): \
            start that release, or restore the copy that it made before upgrading
            """
        case .foreignFile(let path):
            "\(path) is not a database of this server"
        case .full(let path):
            "no space left for \(path)"
        case .failed(let path, let reason):
            "\(path): \(reason)"
        }
    }

    init(_ error: any Error, path: String) {
        switch error {
        case let failure as StoreFailure: self = failure
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .full(path: path)
        case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB: self = .foreignFile(path: path)
        case let error as DatabaseError: self = .failed(path: path, reason: error.sentence)
        default: self = .failed(path: path, reason: "\(error)")
        }
    }
}

extension JournalFailure {
    /// What a failed transaction means to those whose entries were in it.
    init(_ error: any Error) {
        switch error {
        case let failure as JournalFailure: self = failure
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .full
        case let error as DatabaseError: self = .failed(error.sentence)
        default: self = .failed("\(error)")
        }
    }
}

extension DatabaseError {
    /// Code and message, without the statement: its arguments are users' words.
    fileprivate var sentence: String { "\(extendedResultCode.rawValue) \(message ?? "no message")" }
}
