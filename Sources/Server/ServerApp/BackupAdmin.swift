import StoreSQLite

/// Copies of a server's file and of the pictures that people keep: what `ovation backup` and `ovation restore` do.
package struct BackupAdmin: Sendable {
    private let data: String

    package init(data: String) { self.data = data }

    /// While the server may run.
    package func make(_ path: String) throws {
        do throws(StoreFailure) { try StoreBackup.make(of: data, to: path) } catch {
            throw ConfigurationFailure("\(error)")
        }
        try FaceCopies(data: data).make(beside: path)
    }

    /// While it does not.
    /// - Returns: where the former file and the former pictures are.
    package func restore(_ path: String) throws -> [String] {
        let file: String?
        do throws(StoreFailure) { file = try StoreBackup.restore(path, to: data) } catch {
            throw ConfigurationFailure("\(error)")
        }
        return [file, try FaceCopies(data: data).restore(from: path)].compactMap { $0 }
    }
}
