/// Whether what a person last said of the microphone is newer than their seat, and so holds against it.
///
/// Sitting down starts the microphone and getting up stops it, whatever was said before. What is said afterwards holds. The answer to
/// one's own call comes before the event, so somebody who stops the microphone in between has sat down already.
struct MicrophoneOrder {
    /// As the last answer or event had it; nil: neither has come in this room.
    private var isSeated: Bool?
    private var isSaidSince = false

    /// The person starts or stops the microphone.
    mutating func say() { isSaidSince = true }

    /// The server has carried out the person's own call.
    mutating func answer(isSeated: Bool) {
        self.isSeated = isSeated
        isSaidSince = false
    }

    /// The event has come; it may be that of a call that was answered.
    /// - Returns: whether the microphone follows the seat.
    mutating func tell(isSeated: Bool) -> Bool {
        if self.isSeated == isSeated, isSaidSince { return false }
        answer(isSeated: isSeated)
        return true
    }
}
