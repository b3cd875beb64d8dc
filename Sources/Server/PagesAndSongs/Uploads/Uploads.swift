import HTTP
import Hummingbird
import NIOCore
import RoomModel
import RoomPorts

/// Uploads of one kind: whose turn it is, how long they may take, and how much of them is read.
struct Uploads: Sendable {
    /// There is no place for one more.
    struct NoSlot: Error {}

    let limits: UploadLimits
    private let clock: any TimeSource
    private let slots: UploadSlots
    private let watch: UploadWatch

    /// - Parameter pause: lets time pass between two looks at an upload.
    init(
        _ limits: UploadLimits, clock: any TimeSource, pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.limits = limits
        self.clock = clock
        slots = UploadSlots(limits.places)
        watch = UploadWatch(limits: limits, pause: pause)
    }

    /// - Parameter length: of the body, as stated.
    /// - Throws: `NoSlot`, `UploadWatch.TooSlow`, or what the work throws.
    func take<Answer: Sendable>(
        of user: UserID, in application: ApplicationID, from address: ClientAddress, length: Int?,
        _ work: @escaping @Sendable (_ received: UploadProgress) async throws -> Answer
    ) async throws -> Answer {
        let received = UploadProgress(limits, length: length)
        guard let slot = slots.take(for: user, of: application, from: address, received, now: clock.now) else {
            throw NoSlot()
        }
        defer { slots.giveBack(slot) }
        return try await watch.run(
            received, givesWay: { [slots, clock] in slots.givesWay(slot, now: clock.now) }, work)
    }

    /// Reads a body to its end. Who is still sending hears of a refusal only if we read on: closing early resets the connection under the
    /// answer.
    /// - Parameters:
    ///   - tooLarge: what is thrown for a body that is longer than it may be, whatever length was stated.
    ///   - take: gets the pieces, until it throws.
    func read(
        _ body: RequestBody, _ received: UploadProgress, tooLarge: any Error, _ take: (ByteBuffer) throws -> Void
    ) async throws {
        var failure: (any Error)?
        var readOn = 0
        for try await piece in body {
            let fits = received.add(piece.readableBytes)
            if failure == nil {
                if fits {
                    do { try take(piece) } catch { failure = error }
                    continue
                }
                failure = tooLarge
            }
            readOn += piece.readableBytes
            if readOn > limits.readOn { break }
        }
        if let failure { throw failure }
        received.end()
    }
}
