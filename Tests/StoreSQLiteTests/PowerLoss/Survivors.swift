import SeededRandom

/// What of a recorded disk is still there after the power fails at a given record: everything that an fsync covered, and of the rest
/// whatever the drive happened to have written, in any order.
struct Survivors {
    /// How the drive treats what no fsync has covered.
    enum Mood: CaseIterable {
        /// Nothing of it has reached the disk.
        case forgetful
        /// All of it has.
        case quick
        /// Some sectors have and some have not, whatever their order.
        case scattered
        /// A part from the beginning has, and the last write is torn.
        case torn
    }

    /// Drives write whole sectors; SQLite relies on nothing smaller (and, with powersafe overwrite, on neighbours staying as they are).
    private static let sector = 512

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    private final class File {
        var durable: [UInt8]
        var pending: [Change] = []
        /// Whether the directory's entry for it is durable.
        var entryIsDurable: Bool

        init(durable: [UInt8], entryIsDurable: Bool) {
            self.durable = durable
            self.entryIsDurable = entryIsDurable
        }
    }

    private var files: [String: File] = [:]
    /// Deleted, but the directory has not been flushed since.
    private var ghosts: [String: File] = [:]

    /// The contents of each surviving file after the power has failed before `records[cut]`.
    static func files(
        of records: [FaultDisk.Record], cut: Int, mood: Mood, using generator: inout SeededGenerator
    ) -> [String: [UInt8]] {
        var disk = Survivors()
        for record in records[..<cut] { disk.apply(record) }
        return disk.afterLoss(mood, using: &generator)
    }

    private mutating func apply(_ record: FaultDisk.Record) {
        switch record {
        case .open(let name, let held, let entryIsDurable):
            files[name] = File(durable: held, entryIsDurable: entryIsDurable)
        case .write(let name, let offset, let bytes):
            files[name]?.pending.append(.write(offset: offset, bytes: bytes))
        case .truncate(let name, let size):
            files[name]?.pending.append(.truncate(size))
        case .sync(let name, let directory):
            guard let file = files[name] else { return }
            for change in file.pending { Self.apply(change, to: &file.durable) }
            file.pending = []
            if directory { flushDirectory() }
        case .delete(let name, let directory):
            if let file = files.removeValue(forKey: name), file.entryIsDurable { ghosts[name] = file }
            if directory { flushDirectory() }
        case .mark:
            break
        }
    }

    private mutating func flushDirectory() {
        ghosts = [:]
        for file in files.values { file.entryIsDurable = true }
    }

    private func afterLoss(_ mood: Mood, using generator: inout SeededGenerator) -> [String: [UInt8]] {
        var survivors: [String: [UInt8]] = [:]
        // Sorted: the same seed gives the same loss.
        for (name, file) in ghosts.sorted(by: { $0.key < $1.key }) where Bool.random(using: &generator) {
            survivors[name] = Self.contents(of: file, mood, using: &generator)
        }
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            let isThere =
                file.entryIsDurable
                || (mood == .quick ? true : mood == .forgetful ? false : Bool.random(using: &generator))
            if isThere { survivors[name] = Self.contents(of: file, mood, using: &generator) }
        }
        return survivors
    }

    private static func contents(of file: File, _ mood: Mood, using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = file.durable
        switch mood {
        case .forgetful:
            break
        case .quick:
            for change in file.pending { apply(change, to: &bytes) }
        case .scattered:
            let share = Double.random(in: 0...1, using: &generator)
            for change in file.pending {
                for part in parts(of: change) where Double.random(in: 0..<1, using: &generator) < share {
                    apply(part, to: &bytes)
                }
            }
        case .torn:
            guard !file.pending.isEmpty else { break }
            let whole = Int.random(in: 0..<file.pending.count, using: &generator)
            for change in file.pending[..<whole] { apply(change, to: &bytes) }
            if case .write(let offset, let torn) = file.pending[whole], !torn.isEmpty {
                let length = Int.random(in: 0..<torn.count, using: &generator)
                apply(.write(offset: offset, bytes: Array(torn[..<length])), to: &bytes)
            }
        }
        return bytes
    }

    /// A write cut at the sectors of the file.
    private static func parts(of change: Change) -> [Change] {
        guard case .write(let offset, let bytes) = change else { return [change] }
        var parts: [Change] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + sector - (offset + start) % sector)
            parts.append(.write(offset: offset + start, bytes: Array(bytes[start..<end])))
            start = end
        }
        return parts
    }

    private static func apply(_ change: Change, to contents: inout [UInt8]) {
        switch change {
        case .truncate(let size):
            if contents.count > size {
                contents.removeLast(contents.count - size)
            } else {
                contents += [UInt8](repeating: 0, count: size - contents.count)
            }
        case .write(let offset, let bytes):
            let end = offset + bytes.count
            if contents.count < end { contents += [UInt8](repeating: 0, count: end - contents.count) }
            contents.withUnsafeMutableBytes { contents in
                bytes.withUnsafeBytes { bytes in
                    guard let from = bytes.baseAddress, let to = contents.baseAddress else { return }
                    (to + offset).copyMemory(from: from, byteCount: bytes.count)
                }
            }
        }
    }
}
