import RoomModel
package import RoomPorts
import Timing

/// Stills on their way in: each is read and written anew, by a process that can do nothing else, before anybody sees it.
package struct SentStills: Sendable {
    let rewrite: @Sendable (_ jpeg: [UInt8], PictureOrder) async -> PictureFinding

    package init(
        rewrite: @escaping @Sendable (_ jpeg: [UInt8], PictureOrder) async -> PictureFinding
    ) {
        self.rewrite = rewrite
    }

    /// - Parameters:
    ///   - field: where it stands in the call; a refusal names it.
    ///   - byteLimit: of what comes out.
    /// - Returns: the picture and nothing else that was sent with it.
    func rewritten(
        _ still: StillPicture, within byteLimit: Int, field: String
    ) async throws(RoomError) -> StillPicture {
        let size = PictureOrder.Size(side: StillPicture.sideLimit, bytes: byteLimit)
        switch await rewrite(still.jpeg, PictureOrder(.still, sizes: [size])) {
        case .pictures(let made):
            guard let jpeg = made.first else { throw RoomError(.internalError) }
            return try StillPicture(jpeg: jpeg, byteLimit: byteLimit, field: field)
        case .unreadable, .tooLarge: throw .invalid(field, "this JPEG cannot be read")
        case .noLibrary(let what):
            throw RoomError(.uploadsUnavailable, "pictures cannot be read: \(what)", field: field)
        case .unavailable: throw RoomError(.uploadsUnavailable, field: field)
        case .busy: throw RoomError(.unavailable, "many pictures wait to be read: try again", retryAfterMs: 2_000)
        }
    }
}

/// The stills that one session sends: one is read at a time, and the newest wish counts.
struct StillTurns: Sendable {
    /// Who sends what cannot be read sends it no faster.
    static let interval = Interval.seconds(1)

    private var number = 0
    private var isReading = false
    private var next = Instant.distantPast

    /// - Returns: the number of this one.
    /// - Throws: `rate_limited`.
    mutating func begin(at now: Instant) throws(RoomError) -> Int {
        guard !isReading, now >= next else { throw RoomError(.rateLimited, retryAfterMs: 1_000) }
        isReading = true
        next = now + Self.interval
        number += 1
        return number
    }

    mutating func end() { isReading = false }

    /// What is being read is not wanted any more.
    mutating func cancel() { number += 1 }

    func isNewest(_ number: Int) -> Bool { number == self.number }
}
