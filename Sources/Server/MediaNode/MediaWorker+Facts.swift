internal import Forwarding
internal import RoomPorts
internal import Timing

// What is told again and again: how loud everybody is, and how the singers' ways do.
extension MediaWorker {
    func meter(_ stage: Stage) {
        guard stage.audio.nextLevels != nil, stages[stage.id] === stage else { return }
        stage.isMetered = true
        meteredStages.append(stage)
        if nextLevels == .distantFuture { nextLevels = now }
    }

    func tellLevels() {
        guard nextLevels <= now else { return }
        for stage in meteredStages {
            guard let levels = stage.audio.levels(at: now) else { continue }
            let named = levels.map { (PeerID(rawValue: $0.key.rawValue), $0.value) }
            facts.publish(.levels(stage.id, Dictionary(uniqueKeysWithValues: named)))
        }
        meteredStages.removeAll { stage in
            stage.isMetered = stage.audio.nextLevels != nil
            return !stage.isMetered
        }
        nextLevels = meteredStages.isEmpty ? .distantFuture : now + AudioStage.levelPeriod
    }

    /// From now on the ways of those on its seats are told.
    func watch(_ stage: Stage) {
        watchedStages.append(stage)
        if nextPaths == .distantFuture { nextPaths = now + PathWatch.period }
    }

    func tellPaths() {
        guard nextPaths <= now else { return }
        for stage in watchedStages {
            var readings: [PeerID: PathReading] = [:]
            for producer in stage.audio.producers {
                let id = PeerID(rawValue: producer.rawValue)
                guard let peer = table[id], peer.isConnected else { continue }
                readings[id] = peer.readPath()
            }
            guard !readings.isEmpty || stage.hasToldPaths else { continue }
            stage.hasToldPaths = !readings.isEmpty
            facts.publish(.network(stage.id, readings))
        }
        nextPaths = watchedStages.isEmpty ? .distantFuture : now + PathWatch.period
    }
}
