package import RoomModel
package import RoomPorts

extension RoomError {
    /// Why the media plane refused an offer, as clients are told.
    package init(_ refusal: MediaRefusal) {
        switch refusal {
        case .badOffer(let what):
            self.init(.mediaRefused, "the offer cannot be answered: \(what)", reason: "bad_offer")
        case .staleOffer: self.init(.mediaRefused, "a newer offer has been answered", reason: "stale")
        case .notAdmitted: self.init(.mediaRefused, "the room has closed this media path", reason: "closed")
        case .unknownStage: self.init(.mediaRefused, "the room has no media path now", reason: "no_stage")
        case .overloaded:
            self.init(.mediaRefused, "the media plane is full", retryAfterMs: 5000, reason: "overloaded")
        case .stopped: self.init(.mediaRefused, "the media plane is stopping", retryAfterMs: 2000, reason: "stopped")
        }
    }
}
