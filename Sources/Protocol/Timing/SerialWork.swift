/// Runs one piece of work after the other, in the order in which they come, though each waits for the disk.
package actor SerialWork {
    private var last: Task<Void, Never>?

    package init() {}

    package func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let former = last
        let task = Task { () -> Result<Value, Failure> in
            await former?.value
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }
}
