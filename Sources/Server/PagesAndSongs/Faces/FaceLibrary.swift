package import RoomModel
import RoomPorts
import SignalProtocol
import Synchronization

/// The pictures that people have sent of themselves and for their rooms: whose they are, and how many each may have. What is on the disk is
/// read once, at the start.
///
/// Its functions block their thread as long as the disk does.
package final class FaceLibrary: Sendable {
    /// One person's: a choice of faces, and covers for their rooms. At most 4 MiB.
    package static let perPerson = 12
    /// One application's: at most 6.6 GiB, in practice a third of it. Names alone are held in memory.
    package static let perApplication = 20_000

    struct Owner: Hashable, Sendable {
        let application: ApplicationID
        let user: UserID
    }

    /// Room for a picture that is on its way.
    struct Place: Hashable, Sendable { fileprivate let number: Int }

    private struct State {
        var faces: [ApplicationID: [String: FaceFiles.Face]]
        var ids: [Owner: Set<String>] = [:]
        /// Those on their way. Whoever is erased meanwhile loses theirs.
        var places: [Place: Owner] = [:]
        var placesSoFar = 0

        mutating func add(_ face: FaceFiles.Face, of owner: Owner) {
            faces[owner.application, default: [:]][face.id] = face
            ids[owner, default: []].insert(face.id)
        }

        mutating func drop(_ id: String, of owner: Owner) {
            faces[owner.application]?[id] = nil
            ids[owner]?.remove(id)
            if ids[owner]?.isEmpty == true { ids[owner] = nil }
        }
    }

    private let files: FaceFiles
    private let state: Mutex<State>
    private let mostPerApplication: Int

    /// - Parameter folder: where they are kept; need not exist.
    package convenience init(folder: String) { self.init(folder: folder, mostPerApplication: Self.perApplication) }

    init(folder: String, mostPerApplication: Int) {
        files = FaceFiles(folder: folder)
        self.mostPerApplication = mostPerApplication
        var state = State(faces: [:])
        for (application, faces) in files.all() {
            for face in faces { state.add(face, of: Owner(application: application, user: face.user)) }
        }
        self.state = Mutex(state)
    }

    /// What a crash left half written.
    package func sweep() { files.sweep() }

    // MARK: Coming

    /// Keeps room for one more.
    /// - Throws: `face_library_full`.
    func reserve(for owner: Owner) throws(Refusal) -> Place {
        let place = state.withLock { state -> Place? in
            let own = (state.ids[owner]?.count ?? 0) + state.places.values.count { $0 == owner }
            let all =
                (state.faces[owner.application]?.count ?? 0)
                + state.places.values.count { $0.application == owner.application }
            guard own < Self.perPerson, all < mostPerApplication else { return nil }
            state.placesSoFar += 1
            let place = Place(number: state.placesSoFar)
            state.places[place] = owner
            return place
        }
        guard let place else { throw Refusal(RoomError(.faceLibraryFull)) }
        return place
    }

    /// The picture did not come, or is kept.
    func release(_ place: Place) { state.withLock { $0.places[place] = nil } }

    /// Keeps what has come.
    /// - Parameter pictures: one for each size of the kind, in its order.
    /// - Throws: `unavailable`: the disk is full, say, or its owner has been erased meanwhile.
    func keep(
        _ pictures: [[UInt8]], as kind: FaceKind, in place: Place, at time: Int64
    ) throws(Refusal) -> KeptFace {
        guard let owner = state.withLock({ $0.places[place] }) else { throw Self.notStored }
        let face = FaceFiles.Face(id: FaceFiles.freshID(), kind: kind, madeAt: time, user: owner.user)
        do { try files.write(face, pictures, in: owner.application) } catch { throw Self.notStored }
        let isWanted = state.withLock { state in
            guard state.places.removeValue(forKey: place) != nil else { return false }
            state.add(face, of: owner)
            return true
        }
        guard isWanted else {
            try? files.remove(face, from: owner.application)
            throw Self.notStored
        }
        return Self.kept(face, of: owner)
    }

    // MARK: Being there

    /// Somebody's, the newest first.
    func all(of owner: Owner) -> [KeptFace] {
        let faces = state.withLock { state in
            (state.ids[owner] ?? []).compactMap { state.faces[owner.application]?[$0] }
        }
        return faces.sorted { ($0.madeAt, $0.id) > ($1.madeAt, $1.id) }.map { Self.kept($0, of: owner) }
    }

    /// The file of a picture's size.
    /// - Parameter path: `<application>/<id>/<size>.jpg`.
    func file(_ path: some StringProtocol) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let application = UInt32(parts[0]), parts[0] == String(application),
            let face = state.withLock({ $0.faces[ApplicationID(application)]?[String(parts[1])] }),
            let size = face.kind.sizes.first(where: { parts[2] == FaceFiles.file($0) })
        else { return nil }
        return files.path(of: face, in: ApplicationID(application)) + "/" + FaceFiles.file(size)
    }

    // MARK: Going

    /// - Returns: whether they had it.
    /// - Throws: what the system says; then it may be there still.
    func remove(_ id: String, of owner: Owner) throws -> Bool {
        let face = state.withLock { state in
            state.ids[owner]?.contains(id) == true ? state.faces[owner.application]?[id] : nil
        }
        guard let face else { return false }
        try files.remove(face, from: owner.application)
        state.withLock { $0.drop(id, of: owner) }
        return true
    }

    /// All that somebody has, and what is on its way from them.
    /// - Returns: how many there were.
    package func removeAll(of user: UserID, from application: ApplicationID) throws -> Int {
        let owner = Owner(application: application, user: user)
        let ids = state.withLock { state in
            state.places = state.places.filter { $0.value != owner }
            return state.ids[owner] ?? []
        }
        for id in ids { _ = try remove(id, of: owner) }
        return ids.count
    }

    private static func kept(_ face: FaceFiles.Face, of owner: Owner) -> KeptFace {
        face.kind.kept(face.id, under: "/faces/\(owner.application)/\(face.id)")
    }

    private static let notStored = Refusal(RoomError(.unavailable, "the picture could not be stored"))
}
