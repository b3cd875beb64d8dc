/// Ends an upload that takes too long, that hardly goes on, or that gives way to others.
struct UploadWatch: Sendable {
    struct TooSlow: Error {}

    let limits: UploadLimits
    /// Lets time pass between two looks at an upload.
    let pause: @Sendable (Duration) async throws -> Void

    /// - Parameter givesWay: asked at each look.
    /// - Throws: `TooSlow`, or what the work throws.
    func run<Answer: Sendable>(
        _ received: UploadProgress, givesWay: @escaping @Sendable () -> Bool,
        _ work: @escaping @Sendable (_ received: UploadProgress) async throws -> Answer
    ) async throws -> Answer {
        return try await withThrowingTaskGroup { group in
            group.addTask { try await work(received) }
            group.addTask { [limits, pause] in
                var passed = Duration.zero
                var looks = UploadProgress.Looks()
                while !received.isTooSlow(after: passed, &looks), !givesWay() {
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
