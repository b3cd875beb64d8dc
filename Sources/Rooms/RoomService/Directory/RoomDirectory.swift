package import RoomEvents
package import RoomModel
package import RoomPorts
import RoomRules
import Synchronization
import Timing

/// Every open room of this server: creates them, finds them, loads them at the start and after a failure of the
/// journal.
package actor RoomDirectory {
    /// Rooms that are loaded at the same time: the journal gathers what they write.
    static let loadingWidth = 32
    /// Before a room whose journal failed is tried again.
    static let retryInterval = Interval.seconds(1)

    private let ports: DirectoryPorts
    package nonisolated let counters = RoomCounters()
    private nonisolated let index = RoomIndex()
    private nonisolated let stages = Mutex<[StageID: Room]>([:])
    private let stageNumbers = Serial()
    private let peerNumbers = Serial()
    private let allowances = PersonalAllowances()
    private var rooms: [RoomKey: Room] = [:]
    /// Ids that are being opened: whoever wants one of them waits until that has been decided.
    private var opening: [RoomKey: Task<Void, Never>] = [:]
    /// Rooms whose journal cannot be read: they are neither entered nor overwritten.
    private var damaged: Set<RoomKey> = []
    private var creations = KeyedCreations()
    private var owners = RoomOwners()
    private var listening: Task<Void, Never>?
    private var carrying: Task<Void, Never>?
    private var isDown = false

    package init(_ ports: DirectoryPorts) { self.ports = ports }

    // MARK: Start and end

    /// Loads the open rooms; their clocks start now. Then the media plane is listened to. A damaged room is reported
    /// and left out; a journal that fails is no place to start from.
    package func start() async throws(JournalFailure) {
        let keys = try await ports.journal.openRooms()
        for start in stride(from: 0, to: keys.count, by: Self.loadingWidth) {
            let failure = await withTaskGroup { group -> JournalFailure? in
                for key in keys[start..<min(start + Self.loadingWidth, keys.count)] {
                    group.addTask { await self.open(key, toCreate: false) }
                }
                var first: JournalFailure?
                for await failure in group { first = first ?? failure }
                return first
            }
            if let failure { throw failure }
        }
        let facts = ports.media.facts
        listening = Task { [weak self] in
            for await fact in facts { await self?.room(on: fact.stage)?.hear(fact) }
        }
        // Not before all rooms are loaded: who is still missing then is gone.
        let parcels = ports.bus.parcels
        carrying = Task { [weak self] in
            for await parcel in parcels { await self?.deliver(parcel) }
        }
    }

    /// Takes no more commands, waits until all that was accepted is stored and answered.
    package func shutdown() async {
        isDown = true
        await withTaskGroup { group in
            for room in rooms.values {
                group.addTask {
                    await withCheckedContinuation { done in
                        Task { await room.drain { done.resume() } }
                    }
                }
            }
        }
        listening?.cancel()
        carrying?.cancel()
    }

    // MARK: Finding

    package func room(_ key: RoomKey) async throws(RoomError) -> Room {
        await opening[key]?.value
        if let room = await roomAtWork(key) { return room }
        if damaged.contains(key) { throw RoomError(.internalError, "the room's journal cannot be read") }
        let existed: Bool
        do throws(JournalFailure) {
            existed = try await ports.journal.exists(key)
        } catch {
            throw RoomCore.unavailable
        }
        throw RoomError(existed ? .roomClosed : .roomNotFound)
    }

    /// The operator ends a room. Those who are in it hear of it.
    package func dismiss(_ key: RoomKey) async throws(RoomError) { await (try await room(key)).dismiss() }

    package nonisolated func list(
        _ query: RoomQuery, of application: ApplicationID
    ) throws(RoomError) -> RoomPage {
        try query.texts.checkSizes()
        return try index.list(query, of: application, at: ports.clock.now)
    }

    /// Of all applications, for metrics.
    package nonisolated var totals: [RoomKind: RoomTotals] { index.totals }

    /// Whether that person runs the room, as far as it has been stored.
    package nonisolated func isRun(_ room: RoomKey, by user: UserID) -> Bool { index.isRun(room, by: user) }

    package nonisolated func infos(_ ids: [RoomID], of application: ApplicationID) -> [RoomInfo] {
        index.infos(ids, of: application)
    }

    /// The newest still of a room, under its number.
    package nonisolated func still(_ number: Int64, of room: RoomID) -> StillPicture? { index.still(number, of: room) }

    /// A stage and a path that belong to no room.
    package nonisolated func placeApart() -> MediaPlace {
        MediaPlace(stage: StageID(rawValue: stageNumbers.next()), peer: PeerID(rawValue: peerNumbers.next()))
    }

    /// A room that is being opened, or read anew, gets what is said to it once more; so does one that this server opens when it starts
    /// again.
    func deliver(_ parcel: RoomParcel) async {
        guard !isDown else { return }
        if let room = rooms[parcel.to] { return await room.hear(parcel) }
        if opening[parcel.to] == nil, let answer = parcel.refusal { ports.bus.send(answer) }
    }

    private nonisolated func room(on stage: StageID) -> Room? { stages.withLock { $0[stage] } }

    // MARK: Creating

    /// V01. Answers like `Room.attach`, in the room's turn; only what goes wrong before there is a room is answered
    /// from here.
    package func create(
        _ creation: RoomCreation, in application: ApplicationID, by user: UserProfile, key: IdempotencyKey?,
        as attendee: @Sendable (Room) -> Attendee,
        reply: @escaping Reply<(room: Room, entry: RoomEntry)>
    ) async {
        do throws(RoomError) {
            let room = try await roomToCreate(
                creation, in: application, by: user, keyedBy: user.id, key: key,
                fingerprint: creation.fingerprint, isMutable: true)
            await room.create(creation, by: attendee(room), key: key) { result in reply(result.map { (room, $0) }) }
        } catch {
            reply(.failure(error))
        }
    }

    /// An operator creates a room for somebody who is not there yet. It lasts until it is ended.
    package func found(
        _ creation: RoomCreation, in application: ApplicationID, for owner: UserProfile, by caller: Operator,
        key: IdempotencyKey?, reply: @escaping Reply<RoomOverview>
    ) async {
        do throws(RoomError) {
            let room = try await roomToCreate(
                creation, in: application, by: owner, keyedBy: Caller.operator(caller).keeper, key: key,
                fingerprint: creation.fingerprint(for: owner.id))
            await room.found(creation, for: owner, by: caller, key: key, reply: reply)
        } catch {
            reply(.failure(error))
        }
    }

    /// - Parameters:
    ///   - poster: whose keys count.
    ///   - isMutable: whether the operator's mute of the owner stops what the room is called.
    private func roomToCreate(
        _ creation: RoomCreation, in application: ApplicationID, by user: UserProfile, keyedBy poster: UserID,
        key: IdempotencyKey?, fingerprint: UInt64, isMutable: Bool = false
    ) async throws(RoomError) -> Room {
        if isDown { throw RoomCore.unavailable }
        let now = ports.clock.wallTime.millisecondsSince1970
        let name = key.map { KeyedCreations.Name(application: application, user: poster, key: $0.rawValue) }
        if let first = await firstCreation(name, at: now) { return try await room(of: first, fingerprint) }
        // What the rules refuse must not leave a trace in the journal.
        _ = try creation.decide(by: user, epoch: 0)
        if isMutable,
            let mute = ports.moderation.restrictions.holding(.chatMute, of: user.id, in: application, at: now)
        {
            throw RoomError(muted: mute, at: now)
        }
        try creation.texts.check(against: ports.filter(application))
        let id = try await vacantKey(creation.room, in: application)
        // Asked for again meanwhile.
        if let name, let first = creations.creation(name, now: now) { return try await room(of: first, fingerprint) }
        guard
            id.room != nil || owners.count(of: user.id, in: application) < ports.policy(application).maxRoomsPerOwner
        else { throw RoomError(.roomsLimited) }
        if id.room == nil { owners.note(id.key, of: user.id) }
        // Whoever named a room that is there finds it by that name again, and may be refused as often as they ask.
        if let room = id.room { return room }
        if let name { creations.note(name, of: id.key, fingerprint, at: now) }
        let task = Task {
            await open(id.key, toCreate: true)
            opening[id.key] = nil
        }
        opening[id.key] = task
        await task.value
        guard let room = rooms[id.key] else {
            owners.forget(id.key)
            creations.forget(id.key)
            throw damaged.contains(id.key) ? RoomError(.roomIDTaken) : RoomCore.unavailable
        }
        return room
    }

    /// What was created under that key; not if it turned out that it was never stored: then another attempt is a new one.
    private func firstCreation(_ name: KeyedCreations.Name?, at now: Int64) async -> KeyedCreations.Creation? {
        guard let name, let first = creations.creation(name, now: now) else { return nil }
        await opening[first.room]?.value
        _ = await roomAtWork(first.room)
        return creations.creation(name, now: now)
    }

    private func room(
        of first: KeyedCreations.Creation, _ fingerprint: UInt64
    ) async throws(RoomError) -> Room {
        guard first.fingerprint == fingerprint else { throw RoomError(.keyReused) }
        return try await room(first.room)
    }

    /// The id that was asked for, with the room that has it if it is open, or one that nobody has had.
    private func vacantKey(
        _ wanted: RoomID?, in application: ApplicationID
    ) async throws(RoomError) -> (key: RoomKey, room: Room?) {
        if let wanted {
            let key = RoomKey(application: application, room: wanted)
            // Whoever has waited looks again: others may have opened it meanwhile.
            while true {
                while let task = opening[key] { await task.value }
                if damaged.contains(key) { throw RoomError(.roomIDTaken) }
                guard rooms[key] != nil else { return (key, nil) }
                if let room = await roomAtWork(key) { return (key, room) }
            }
        }
        // Five digits are easy to say; more are tried as rooms become many.
        for digits in [5, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7] {
            let low = (0..<(digits - 1)).reduce(UInt32(1)) { power, _ in power * 10 }
            guard let id = RoomID(number: UInt32.random(in: low..<(low * 10))) else { continue }
            let key = RoomKey(application: application, room: id)
            guard rooms[key] == nil, opening[key] == nil, !damaged.contains(key) else { continue }
            do throws(JournalFailure) {
                // Links to a room that has ended must not lead to strangers.
                if try await ports.journal.exists(key) { continue }
            } catch {
                throw RoomCore.unavailable
            }
            guard rooms[key] == nil, opening[key] == nil else { continue }
            return (key, nil)
        }
        throw RoomError(.unavailable, "no free room id was found", retryAfterMs: 500)
    }

    // MARK: Opening

    /// Reads a room's journal and puts the room to work; without `toCreate` only if it is an open one.
    @discardableResult
    private func open(_ key: RoomKey, toCreate: Bool) async -> JournalFailure? {
        do {
            var rebuilt = try await read(key)
            if rebuilt.state.progress.phase == .ended || (rebuilt.state.progress.phase == .unborn && !toCreate) {
                // Its end did not get through to the journal before the server stopped; or its beginning did not.
                ports.journal.close(key)
                guard toCreate else { return nil }
                rebuilt = try await read(key)
            }
            let room = Room(key: key, stage: StageID(rawValue: stageNumbers.next()), dependencies: dependencies(key))
            await room.install(rebuilt)
            rooms[key] = room
            stages.withLock { $0[room.stage] = room }
            if rebuilt.state.progress.phase == .open {
                owners.note(key, of: rebuilt.state.owner.id)
                if let first = rebuilt.state.beginning.creation {
                    creations.note(
                        KeyedCreations.Name(application: key.application, user: first.user, key: first.key), of: key,
                        first.fingerprint, at: rebuilt.state.beginning.createdAt)
                }
            }
        } catch let failure as JournalFailure {
            ports.report(.journalFailed(key, failure))
            return failure
        } catch {
            damaged.insert(key)
            ports.report(.damaged(key, "\(error)"))
        }
        return nil
    }

    /// Replays a room's journal, beside the directory's own work and that of other rooms.
    @concurrent
    private nonisolated func read(_ key: RoomKey) async throws -> RebuiltRoom {
        try await RebuiltRoom.read(
            key, from: ports.journal, ports.ledger, chatLimit: ports.policy(key.application).messages.onEntry)
    }

    private func dependencies(_ key: RoomKey) -> RoomDependencies {
        RoomDependencies(
            journal: ports.journal, ledger: ports.ledger, moderation: ports.moderation,
            catalogue: { [ports] in ports.catalogue(key.application) },
            reach: ports.reach,
            expelElsewhere: { [weak self] ban, host in
                Task { await self?.expel(ban, from: host, but: key) }
            },
            filter: { [ports] in ports.filter(key.application) }, webhooks: ports.webhooks, review: ports.review,
            counters: counters, allowances: allowances,
            media: ports.media, bus: ports.bus,
            clock: ports.clock, audience: ports.audience,
            policy: { [ports] in ports.policy(key.application) }, peerNumbers: peerNumbers,
            find: { [index] in index.infos([$0], of: key.application).first },
            publish: { [index] in if let listing = $0 { index.set(listing, of: key) } else { index.remove(key) } },
            reload: { [weak self] in Task { await self?.reload(key) } },
            ended: { [weak self, index] in
                index.remove(key)
                Task { await self?.roomAtWork(key) }
            },
            report: ports.report,
            // Unstructured: it ends with the snapshot that it encodes, and a journal that is closed by then takes none.
            aside: { work in Task(priority: .utility) { work() } })
    }

    /// Somebody whom a host has banned everywhere is put out of that host's other rooms.
    private func expel(_ ban: Restriction, from host: UserID, but banning: RoomKey) async {
        for id in index.rooms(of: host, in: banning.application) where id != banning.room {
            await rooms[RoomKey(application: banning.application, room: id)]?.expel(ban)
        }
    }

    /// The journal failed under a room: what is on the disk is what is true.
    private func reload(_ key: RoomKey) async {
        guard let room = rooms[key] else { return }
        do {
            await room.install(try await read(key))
        } catch let failure as JournalFailure {
            ports.report(.journalFailed(key, failure))
            guard !isDown else { return }
            ports.clock.schedule(at: ports.clock.now + Self.retryInterval) { [weak self] in
                Task { await self?.reload(key) }
            }
        } catch {
            damaged.insert(key)
            ports.report(.damaged(key, "\(error)"))
            await room.abandon()
            forget(key, room)
        }
    }

    /// The room, unless it is over: then it is forgotten.
    @discardableResult
    private func roomAtWork(_ key: RoomKey) async -> Room? {
        guard let room = rooms[key] else { return nil }
        guard await room.isOver else { return room }
        let isUnborn = await room.isUnborn
        forget(key, room, isUnborn: isUnborn)
        return nil
    }

    /// - Parameter isUnborn: its creation was not stored.
    private func forget(_ key: RoomKey, _ room: Room, isUnborn: Bool = false) {
        guard rooms[key] === room else { return }
        if isUnborn { creations.forget(key) }
        rooms[key] = nil
        owners.forget(key)
        stages.withLock { $0[room.stage] = nil }
    }
}

extension MediaFact {
    fileprivate var stage: StageID {
        switch self {
        case .connected(let stage, _), .lost(let stage, _), .recovered(let stage, _), .closed(let stage, _),
            .levels(let stage, _), .network(let stage, _), .pictures(let stage, _, _), .cameraWanted(let stage, _, _):
            stage
        }
    }
}
