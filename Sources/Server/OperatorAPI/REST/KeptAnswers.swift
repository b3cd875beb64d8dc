import HTTPTypes
import Hummingbird
import NIOCore
import RoomModel
import RoomPorts
import SignalProtocol
import Synchronization
import Timing

/// Answers that programs have got to requests under an `Idempotency-Key`, of what neither a room nor the ledger remembers. In memory: a
/// secret that is told once is kept nowhere else.
actor KeptAnswers {
    /// As long as rooms remember theirs, and as many for each program.
    private static let lifetime = Interval.seconds(600)
    private static let perProgram = 64

    struct Program: Hashable {
        var application: ApplicationID
        var name: UserID
    }

    /// What is asked for: the same key with another request is an error.
    struct Asked: Hashable {
        var method: String
        var path: String
        var query: String
        var body: [UInt8]
    }

    struct Answer: Sendable {
        var status: HTTPResponse.Status
        var headers: HTTPFields
        var body: ByteBuffer

        var response: Response { Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body)) }
        /// Refusals are not remembered.
        var isDone: Bool { status.kind == .successful }

        init(_ response: Response) async {
            let gathered = GatheredBody()
            // What is in memory is written without fail.
            try? await response.body.write(gathered)
            (status, headers, body) = (response.status, response.headers, gathered.bytes)
        }
    }

    private struct Line {
        var key: IdempotencyKey
        var asked: Asked
        var since: Instant
        /// Whoever repeats it meanwhile waits for it.
        var work: Task<Answer, Never>
    }

    private let clock: any TimeSource
    private var lines: [Program: [Line]] = [:]

    init(clock: any TimeSource) { self.clock = clock }

    /// The answer of the first one, or of `work`, which is carried out once.
    func answer(
        to asked: Asked, under key: IdempotencyKey, of program: Program, _ work: @escaping @Sendable () async -> Answer
    ) async throws(Refusal) -> Response {
        forgetOld(of: program)
        while let known = lines[program]?.first(where: { $0.key == key }) {
            guard known.asked == asked else { throw Refusal(RoomError(.keyReused)) }
            let answer = await known.work.value
            if answer.isDone { return answer.response }
            forget(known.work, of: program)
        }
        let task = Task { await work() }
        lines[program, default: []].append(Line(key: key, asked: asked, since: clock.now, work: task))
        let answer = await task.value
        if !answer.isDone { forget(task, of: program) }
        return answer.response
    }

    private func forget(_ work: Task<Answer, Never>, of program: Program) {
        lines[program]?.removeAll { $0.work == work }
    }

    private func forgetOld(of program: Program) {
        let now = clock.now
        lines = lines.mapValues { $0.filter { now - $0.since < Self.lifetime } }.filter { !$0.value.isEmpty }
        guard let mine = lines[program], mine.count >= Self.perProgram else { return }
        lines[program] = Array(mine.suffix(Self.perProgram - 1))
    }
}

/// Takes a response's bytes.
private final class GatheredBody: ResponseBodyWriter, Sendable {
    private let gathered = Mutex(ByteBuffer())

    var bytes: ByteBuffer { gathered.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        gathered.withLock { gathered in
            var buffer = buffer
            gathered.writeBuffer(&buffer)
        }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
