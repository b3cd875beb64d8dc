import Foundation

/// Copies of the store's file that were made earlier, as far as anybody can know here: those beside it (before an upgrade, before a restore),
/// and those that `ovation backup` has made and that are still there; and the copies of people's pictures that were made with them.
struct StoreCopies {
    /// A line for each backup.
    private static let list = "ovation.backups"
    private static let magic = Data("SQLite format 3\0".utf8)
    /// Behind the name of a backup, the pictures that were copied with it; before the ending of a copy beside the file, those of a restore.
    private static let faces = (tail: ".faces", beside: "faces.")

    private let folder: String
    private let name: String

    init(of path: String) {
        let url = URL(fileURLWithPath: path)
        (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
    }

    var found: [String] {
        let beside = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // The log and its index belong to the file itself.
        let own: Set = [name, name + "-wal", name + "-shm"]
        let here = beside.filter { !own.contains($0) && (isDatabase(folder + "/" + $0) || isLog($0)) }
        let noted = noted.flatMap { [$0, $0 + Self.faces.tail] }.filter { FileManager.default.fileExists(atPath: $0) }
        return Set((here + beside.filter { $0.hasPrefix(Self.faces.beside) }).map { folder + "/" + $0 } + noted)
            .sorted()
    }

    /// Notes where a backup was put. Who may read the folder and not write there goes without.
    func note(_ path: String) {
        let paths = Set(noted + [URL(fileURLWithPath: path).standardizedFileURL.path])
            .filter { FileManager.default.fileExists(atPath: $0) }
        try? Data(paths.sorted().map { $0 + "\n" }.joined().utf8).write(
            to: URL(fileURLWithPath: folder + "/" + Self.list), options: .atomic)
    }

    private var noted: [String] {
        let text = (try? String(contentsOfFile: folder + "/" + Self.list, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private func isDatabase(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: Self.magic.count)) == Self.magic
    }

    /// Of a copy that was in use.
    private func isLog(_ other: String) -> Bool { other.hasPrefix(name + ".") && other.hasSuffix("-wal") }
}
