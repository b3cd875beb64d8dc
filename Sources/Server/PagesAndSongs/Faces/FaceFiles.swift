import Foundation
import RoomModel

/// The files of people's pictures: a folder for each, `<folder>/<application>/<id>.<kind>.<milliseconds>.<user>`, with a JPEG for each size.
///
/// Whose a picture is stands in the folder's name, and nowhere else: the picture and its owner are there together or not at all, after a
/// crash, after either of data folder and database was restored alone, and for whoever erases a person. A folder appears whole, by being
/// renamed, and goes the same way.
struct FaceFiles: Sendable {
    /// A picture that is kept.
    struct Face: Hashable, Sendable {
        let id: String
        let kind: FaceKind
        /// Milliseconds since 1970.
        let madeAt: Int64
        let user: UserID

        fileprivate var name: String { "\(id).\(kind.name).\(madeAt).\(user)" }
    }

    private static let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let idLength = 26

    private let folder: String

    init(folder: String) { self.folder = folder }

    /// 130 bits that nobody guesses: whoever has the address may see the picture.
    static func freshID() -> String {
        String(decoding: (0..<idLength).map { _ in letters[Int.random(in: letters.indices)] }, as: UTF8.self)
    }

    static func isID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == idLength && text.utf8.allSatisfy { letters.contains($0) }
    }

    static func file(_ size: FaceKind.Size) -> String { "\(size.name).jpg" }

    /// All that are there. What has another name is nobody's.
    func all() -> [ApplicationID: [Face]] {
        let names = Self.names(in: folder).compactMap { UInt32($0) }
        return Dictionary(
            uniqueKeysWithValues: Set(names).map { application in
                (
                    ApplicationID(application),
                    Self.names(in: "\(folder)/\(application)").compactMap { Self.face(named: $0) }
                )
            })
    }

    func path(of face: Face, in application: ApplicationID) -> String { "\(folder)/\(application)/\(face.name)" }

    /// - Parameter pictures: one for each size of the kind, in its order.
    /// - Throws: what the system says; then nothing is there.
    func write(_ face: Face, _ pictures: [[UInt8]], in application: ApplicationID) throws {
        let place = place(of: application)
        let work = "\(incoming)/\(face.id)"
        try makeFolder(work)
        do {
            for (size, picture) in zip(face.kind.sizes, pictures) {
                try Self.write(picture, to: "\(work)/\(Self.file(size))")
            }
            try Self.flush(work)
            try makeFolder(place)
            try Self.move(work, to: path(of: face, in: application))
            try Self.flush(place)
        } catch {
            try? FileManager.default.removeItem(atPath: work)
            throw error
        }
    }

    func remove(_ face: Face, from application: ApplicationID) throws {
        let gone = "\(incoming)/\(face.id).gone"
        try makeFolder(incoming)
        do { try Self.move(path(of: face, in: application), to: gone) } catch POSIXError.ENOENT {
            // An operator was faster.
            return
        }
        try Self.flush(place(of: application))
        try FileManager.default.removeItem(atPath: gone)
    }

    /// What a crash left half written, or half removed.
    func sweep() { try? FileManager.default.removeItem(atPath: incoming) }

    private var incoming: String { folder + "/.incoming" }

    private func place(of application: ApplicationID) -> String { "\(folder)/\(application)" }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private static func face(named name: String) -> Face? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, isID(parts[0]), let kind = FaceKind.named(parts[1]), let madeAt = Int64(parts[2]),
            let user = UserID(String(parts[3]))
        else { return nil }
        return Face(id: String(parts[0]), kind: kind, madeAt: madeAt, user: user)
    }

    // MARK: What holds through a loss of power

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw lastError() }
        defer { close(file) }
        try bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count, let base = bytes.baseAddress {
                let count = Foundation.write(file, base + written, bytes.count - written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw lastError() }
                written += count
            }
        }
        guard fsync(file) == 0 else { throw lastError() }
    }

    /// Names of files hold only once their folder is written.
    private static func flush(_ folder: String) throws {
        let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw lastError() }
        defer { close(file) }
        guard fsync(file) == 0 else { throw lastError() }
    }

    private static func move(_ path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw lastError() }
    }

    private static func lastError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
