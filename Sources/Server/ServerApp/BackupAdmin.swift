import StoreSQLite

/// Copies of a server's file: what `ovation backup` and `ovation restore` do.
package struct BackupAdmin: Sendable {
    private let data: String

    package init(data: String) { self.data = data }

    /// While the server may run.
    package func make(_ path: String) throws {
        do throws(StoreFailure) { try StoreBackup.make(of: data, to: path) } catch {
            throw ConfigurationFailure("\(error)")
        }
    }

    /// While it does not.
    /// - Returns: where the former file is.
    package func restore(_ path: String) throws -> String? {
        do throws(StoreFailure) { return try StoreBackup.restore(path, to: data) } catch {
            throw ConfigurationFailure("\(error)")
        }
    }
}
