/// Ends an upload that takes too long, or that hardly goes on.
struct UploadWatch: Sendable {
    struct TooSlow: Error {}

    let limits: UploadLimits
    /// Lets time pass between two looks at an upload.
    let pause: @Sendable (Duration) async throws -> Void

    /// - Throws: `TooSlow`, or what the work throws.
    func run<Answer: Sendable>(
        _ work: @escaping @Sendable (_ received: UploadProgress) async throws -> Answer
    ) async throws -> Answer {
        let received = UploadProgress(limits)
        return try await withThrowingTaskGroup { group in
            group.addTask { try await work(received) }
            group.addTask { [limits, pause] in
                var passed = Duration.zero
                var looks = UploadProgress.Looks()
                while !received.isTooSlow(after: passed, &looks) {
                    try await pause(limits.lookInterval)
                    passed += limits.lookInterval
                }
                throw TooSlow()
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }
}
