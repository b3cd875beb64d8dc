import StoreSQLite

/// The store of a server that is not running.
enum StoppedStore {
    /// Opens it, and lets go of it whatever happens.
    static func with<Value: Sendable>(
        _ data: String, _ body: (SQLiteStore) async throws -> Value
    ) async throws -> Value {
        let store: SQLiteStore
        do throws(StoreFailure) {
            store = try SQLiteStore(directory: data, payloads: ErasedPayloads(), now: { ServerClock().wallTime })
        } catch {
            if case .inUse(let directory, let process) = error {
                throw ConfigurationFailure(
                    "a server\(process.map { " (process \($0))" } ?? "") is using the data folder \(directory): stop it first, or use the REST API or the console"
                )
            }
            throw ConfigurationFailure("\(error). --data chooses another directory")
        }
        do {
            let value = try await body(store)
            await store.shutDown()
            return value
        } catch {
            await store.shutDown()
            throw error
        }
    }
}
