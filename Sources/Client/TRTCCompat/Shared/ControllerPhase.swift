/// Where a component's user is: who is signed in, and in which room. Each change is decided here, without asking anybody;
/// `RoomController` does what follows from it.
///
/// Generic only for tests: `Share` is a `Connection.Share`, `Room` a `RoomSession`.
enum ControllerPhase<Share: Sendable, Room: AnyObject & Sendable>: Sendable {
    enum Place: Sendable {
        case outside
        case entering(EntryNumber)
        case inside(Room)
    }

    case signedOut
    case signingIn
    case signedIn(Share, Place)
    /// For good, by `destroyShared`.
    case destroyed

    var share: Share? { if case .signedIn(let share, _) = self { share } else { nil } }

    var room: Room? { if case .signedIn(_, .inside(let room)) = self { room } else { nil } }

    var isDestroyed: Bool { if case .destroyed = self { true } else { false } }

    // MARK: - Signing in

    enum SignInAnswer {
        /// Signed in as the same user already: the newer ticket takes the old one's place.
        case same(Share)
        /// - Parameter former: whose part ends.
        case began(former: Share?)
        case isSigningIn
        case isInRoom
        case isDestroyed
    }

    /// - Parameter isSame: whether that share is of the user who signs in.
    mutating func beginSignIn(isSame: (Share) -> Bool) -> SignInAnswer {
        switch self {
        case .destroyed: return .isDestroyed
        case .signingIn: return .isSigningIn
        case .signedIn(let share, _) where isSame(share): return .same(share)
        case .signedIn(_, .entering), .signedIn(_, .inside): return .isInRoom
        case .signedOut, .signedIn(_, .outside):
            let former = share
            self = .signingIn
            return .began(former: former)
        }
    }

    /// - Parameter share: `nil` if the sign-in failed.
    /// - Returns: whether the sign-in is still wanted.
    mutating func endSignIn(_ share: Share?) -> Bool {
        guard case .signingIn = self else { return false }
        self = share.map { .signedIn($0, .outside) } ?? .signedOut
        return true
    }

    enum SignOutAnswer {
        case nobody
        case isInRoom
        case ended(Share)
    }

    mutating func signOut() -> SignOutAnswer {
        switch self {
        case .signedOut, .signingIn, .destroyed: return .nobody
        case .signedIn(_, .entering), .signedIn(_, .inside): return .isInRoom
        case .signedIn(let share, .outside):
            self = .signedOut
            return .ended(share)
        }
    }

    /// The server has ended the session.
    /// - Returns: whose part ends; `nil` if nobody was signed in.
    mutating func lose() -> Share? {
        guard case .signedIn(let share, _) = self else { return nil }
        self = .signedOut
        return share
    }

    /// - Returns: who is to sign out, and leaves the room with it.
    mutating func destroy() -> Share? {
        defer { self = .destroyed }
        return share
    }

    // MARK: - Rooms

    enum EntryAnswer {
        case began(Share, EntryNumber)
        case isInRoom
        case nobody
    }

    mutating func beginEntry(_ number: EntryNumber) -> EntryAnswer {
        switch self {
        case .signedOut, .signingIn, .destroyed: return .nobody
        case .signedIn(_, .entering), .signedIn(_, .inside): return .isInRoom
        case .signedIn(let share, .outside):
            self = .signedIn(share, .entering(number))
            return .began(share, number)
        }
    }

    /// - Parameter room: `nil` if it was refused.
    /// - Returns: whether the entry is still wanted.
    mutating func endEntry(_ number: EntryNumber, _ room: Room?) -> Bool {
        guard case .signedIn(let share, .entering(number)) = self else { return false }
        self = .signedIn(share, room.map { .inside($0) } ?? .outside)
        return true
    }

    /// - Returns: whether one was inside.
    mutating func leave(_ room: Room) -> Bool {
        guard case .signedIn(let share, .inside(let present)) = self, present === room else { return false }
        self = .signedIn(share, .outside)
        return true
    }

    /// The connection has been lost for too long.
    /// - Returns: the room to leave.
    mutating func abandon() -> (share: Share, room: Room)? {
        guard case .signedIn(let share, let place) = self else { return nil }
        self = .signedIn(share, .outside)
        return if case .inside(let room) = place { (share, room) } else { nil }
    }
}

/// Which of a component's entries into rooms: an answer to an earlier one that was given up means nothing to a later one.
struct EntryNumber: Hashable, Sendable {
    private(set) var rawValue = 0

    mutating func next() -> EntryNumber {
        rawValue += 1
        return self
    }
}
