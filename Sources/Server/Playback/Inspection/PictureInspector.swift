package import RoomPorts

/// Reads strangers' pictures and writes them anew, each in a process of its own that can do nothing else.
package final class PictureInspector: Sendable {
    /// In milliseconds, for what reads nothing.
    private static let checkPatience: Int32 = 10_000

    private let executable: String
    /// Somebody waits for each of them, a song's length or not.
    private let lines: [PictureOrder.Kind: InspectionLine]
    /// Strangers ask for cards, of rooms by the hundred: hosts' stills wait for none of them.
    private let cards = InspectionLine("pictures.cards", atOnce: 1, mostWaiting: 16)

    /// - Parameter executable: the program whose `inspect` is started.
    package init(executable: String = "/proc/self/exe") {
        self.executable = executable
        lines = Dictionary(uniqueKeysWithValues: PictureOrder.Kind.allCases.map { ($0, $0.limits.line($0.rawValue)) })
    }

    package func rewrite(_ bytes: [UInt8], to order: PictureOrder) async -> PictureFinding {
        await line(order).run(busy: .busy) { [self] in inspect(bytes, order) }
    }

    /// What keeps pictures from being read on this machine; `nil`: nothing.
    package func obstacle() async -> String? {
        await line(of: .still).run(busy: nil) { [self] in
            guard let process = try? InspectorProcess(executable: executable, ["check"], bytes: []) else {
                return "the process that reads them cannot be started"
            }
            guard process.waits(atMost: Self.checkPatience) else {
                process.end()
                return "the process that reads them does not answer"
            }
            let said = Self.read(process, atMost: 4 << 10)
            switch process.result(within: Self.checkPatience) {
            case .ended(.done): return nil
            case .ended(.noLibrary): return String(decoding: said, as: UTF8.self)
            case .ended(.unconfined): return "the process that reads them cannot be confined"
            case .ended(.usage), .ended(.unreadable), .ended(.tooLarge), .broken, .outOfTime:
                return "the process that reads them does not work"
            }
        }
    }

    private func line(_ order: PictureOrder) -> InspectionLine { order.crop == .card ? cards : line(of: order.kind) }

    private func line(of kind: PictureOrder.Kind) -> InspectionLine {
        guard let line = lines[kind] else { preconditionFailure("every kind has its line") }
        return line
    }

    private func inspect(_ bytes: [UInt8], _ order: PictureOrder) -> PictureFinding {
        let patience = order.kind.limits.patience
        guard
            let process = try? InspectorProcess(
                executable: executable, ["picture"] + order.arguments, bytes: bytes, niceness: Inspector.niceness)
        else { return .unavailable }
        guard process.waits(atMost: patience) else {
            process.end()
            return .busy
        }
        // No more than was ordered, whatever became of its maker.
        let said = Self.read(process, atMost: order.sizes.reduce(4 << 10) { $0 + 4 + $1.bytes })
        switch process.result(within: patience) {
        case .ended(.done):
            guard let pictures = Self.split(said), pictures.count == order.sizes.count,
                zip(pictures, order.sizes).allSatisfy({ $0.count <= $1.bytes })
            else { return .unreadable }
            return .pictures(pictures)
        case .ended(.noLibrary): return .noLibrary(String(decoding: said, as: UTF8.self))
        case .ended(.unconfined), .ended(.usage): return .unavailable
        case .ended(.tooLarge): return .tooLarge
        case .ended(.unreadable), .broken: return .unreadable
        case .outOfTime: return .busy
        }
    }

    private static func read(_ process: InspectorProcess, atMost limit: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes { process.read(into: $0) }
        bytes.removeLast(limit - count)
        return bytes
    }

    /// - Returns: `nil` for what breaks off.
    private static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
        var rest = bytes[...]
        var pictures: [[UInt8]] = []
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= length else { return nil }
            pictures.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pictures
    }
}
