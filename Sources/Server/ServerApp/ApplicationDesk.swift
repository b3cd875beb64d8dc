package import RoomModel
package import RoomPorts
import Gateway
import StoreSQLite

/// Applications of a server that is not running: what `ovation app` does.
package struct ApplicationDesk: Sendable {
    private let data: String

    package init(data: String) { self.data = data }

    /// - Parameter id: `nil` for the next free one.
    package func create(name: String, id: UInt32?) async throws -> Application {
        try await withAccounts { accounts in
            let taken = Set(try await accounts.applications().map(\.id.rawValue))
            if let id, taken.contains(id) { throw ConfigurationFailure("there is an application \(id) already") }
            if id == 0 { throw ConfigurationFailure("an application's number is not 0") }
            // From the range that the reference systems use, beside the demo application.
            let next = id ?? (OvationServer.demoApplication.rawValue + 1...).first { !taken.contains($0) } ?? 0
            let application = Application(id: ApplicationID(next), name: name, keys: [ApplicationKey.make()])
            try await accounts.save(application)
            return application
        }
    }

    package func list() async throws -> [Application] {
        try await withAccounts { try await $0.applications().sorted { $0.id.rawValue < $1.id.rawValue } }
    }

    private func withAccounts<Value: Sendable>(
        _ body: (any AccountStore) async throws -> Value
    ) async throws -> Value {
        let store: SQLiteStore
        do throws(StoreFailure) {
            store = try SQLiteStore(directory: data, now: { SystemClock().wallTime })
        } catch {
            throw ConfigurationFailure("\(error). --data chooses another directory")
        }
        do {
            let value = try await body(store.accounts)
            await store.shutDown()
            return value
        } catch {
            await store.shutDown()
            throw error
        }
    }
}

/// A QR code for a terminal.
package enum QRCodeText {
    package static func terminal(_ text: String) -> String? { QRCode(text)?.terminal }
}
