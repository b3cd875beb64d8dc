import Foundation

/// Copies of the pictures that people keep, beside copies of the database: `ovation backup` and `ovation restore` take them along. A picture
/// is a folder that appears whole and never changes, so it is copied while the server runs.
struct FaceCopies {
    /// Behind the name of the database's copy. `StoreCopies` looks for it, and for folders called `faces.…`, when a person is erased.
    static let tail = ".faces"

    private let folder: String
    private let data: String

    init(data: String) {
        self.data = data
        folder = data + "/faces"
    }

    /// - Parameter backup: the copy of the database.
    func make(beside backup: String) throws(ConfigurationFailure) {
        let target = backup + Self.tail
        guard !FileManager.default.fileExists(atPath: target) else {
            throw ConfigurationFailure("\(target): there is a folder of that name already")
        }
        guard FileManager.default.fileExists(atPath: folder) else { return }
        do { try copy(folder, to: target) } catch {
            throw ConfigurationFailure("\(target): \(error.localizedDescription)")
        }
    }

    /// Puts a copy in the place of what is there, which is kept beside it. A backup without pictures changes nothing.
    /// - Returns: where the former folder is.
    func restore(from backup: String) throws(ConfigurationFailure) -> String? {
        let source = backup + Self.tail
        guard FileManager.default.fileExists(atPath: source) else { return nil }
        let fresh = folder + ".restoring"
        do {
            try? FileManager.default.removeItem(atPath: fresh)
            try copy(source, to: fresh)
            giveToOwner(fresh)
            var former: String?
            if FileManager.default.fileExists(atPath: folder) {
                let kept = freeName(folder + ".before-restore")
                try FileManager.default.moveItem(atPath: folder, toPath: kept)
                former = kept
            }
            try FileManager.default.moveItem(atPath: fresh, toPath: folder)
            return former
        } catch { throw ConfigurationFailure("\(source): \(error.localizedDescription)") }
    }

    /// Picture by picture: one that goes meanwhile is left out.
    private func copy(_ source: String, to target: String) throws {
        let files = FileManager.default
        try makeFolder(target)
        for application in try files.contentsOfDirectory(atPath: source) where UInt32(application) != nil {
            try makeFolder("\(target)/\(application)")
            for picture in try files.contentsOfDirectory(atPath: "\(source)/\(application)") {
                let (from, to) = ("\(source)/\(application)/\(picture)", "\(target)/\(application)/\(picture)")
                do { try files.copyItem(atPath: from, toPath: to) } catch {
                    guard !files.fileExists(atPath: from) else { throw error }
                    try? files.removeItem(atPath: to)
                }
            }
        }
    }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func freeName(_ name: String) -> String {
        var (candidate, number) = (name, 2)
        while FileManager.default.fileExists(atPath: candidate) {
            candidate = "\(name)-\(number)"
            number += 1
        }
        return candidate
    }

    /// A command that root runs on the folder of a service leaves files that the service can open and remove.
    private func giveToOwner(_ path: String) {
        guard geteuid() == 0, let owner = try? FileManager.default.attributesOfItem(atPath: data),
            let user = owner[.ownerAccountID] as? NSNumber, let group = owner[.groupOwnerAccountID] as? NSNumber
        else { return }
        let below = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        for name in [path] + below.map({ "\(path)/\($0)" }) {
            _ = lchown(name, uid_t(truncating: user), gid_t(truncating: group))
        }
    }
}
