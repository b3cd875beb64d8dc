/// Runs one piece of work after the other, in the order in which they come, though each waits for the disk.
actor SerialWork {
    private var last: Task<Void, Never>?

    func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let former = last
        let task = Task {
            await former?.value
            return await body()
        }
        last = Task { _ = await task.value }
        return await task.value
    }
}
