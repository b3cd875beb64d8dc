import RoomModel
import SignalProtocol
import Texts

/// Takes `multipart/form-data` (RFC 7578) apart as it comes in. Strict: what no browser writes is refused.
struct MultipartParser {
    enum Event: Equatable {
        /// A part begins. Browsers write a file's own name too; nobody needs it here.
        case part(name: String)
        case data(ArraySlice<UInt8>)
        /// The part is whole.
        case partEnd
    }

    struct Malformed: Error, Equatable {
        var what: String
    }

    /// RFC 2046 §5.1.1.
    private static let boundaryLimit = 70
    /// Two header lines with a name each.
    private static let headerLimit = 4 << 10

    private enum Place { case before, afterDelimiter, headers, body, after }

    private let delimiter: [UInt8]
    private var place = Place.before
    /// What is not told yet. Begins as if a line had ended, so that the first delimiter is like the others.
    private var waiting: [UInt8] = [13, 10]

    /// - Parameter contentType: the request's; `nil` is returned if it is not of this kind or has no good boundary.
    init?(contentType: String) {
        let parts = contentType.split(separator: ";").map { $0.drop { $0 == " " } }
        guard parts.first?.lowercased() == "multipart/form-data",
            let field = parts.dropFirst().first(where: { $0.lowercased().hasPrefix("boundary=") })
        else { return nil }
        var boundary = field.dropFirst("boundary=".count)
        if boundary.count >= 2, boundary.first == "\"", boundary.last == "\"" {
            boundary = boundary.dropFirst().dropLast()
        }
        let bytes = Array(boundary.utf8)
        guard (1...Self.boundaryLimit).contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x22 })
        else { return nil }
        delimiter = [13, 10, 45, 45] + bytes
    }

    /// Whether the last delimiter was read.
    var isWhole: Bool { place == .after }

    /// Takes the next bytes, cut anywhere, and tells what they complete.
    mutating func feed(_ bytes: some Sequence<UInt8>, _ tell: (Event) throws -> Void) throws {
        waiting += bytes
        while try step(tell) {}
    }

    /// - Returns: whether there may be more to tell.
    private mutating func step(_ tell: (Event) throws -> Void) throws -> Bool {
        switch place {
        case .before, .body:
            let (found, at) = findDelimiter()
            if place == .body, at > 0 { try tell(.data(waiting[..<at])) }
            waiting.removeFirst(found ? at + delimiter.count : at)
            guard found else { return false }
            if place == .body { try tell(.partEnd) }
            place = .afterDelimiter
            return true
        case .afterDelimiter:
            guard waiting.count >= 2 else { return false }
            switch (waiting[0], waiting[1]) {
            case (45, 45): place = .after
            case (13, 10): place = .headers
            default: throw Malformed(what: "something follows a boundary")
            }
            waiting.removeFirst(2)
            return true
        case .headers:
            let end = waiting.indices.first { waiting[$0...].starts(with: [13, 10, 13, 10]) }
            guard (end ?? waiting.count) <= Self.headerLimit else { throw Malformed(what: "the headers are too long") }
            guard let end else { return false }
            guard StreamSafeText.holds(waiting[..<end]) else {
                throw Malformed(what: RequestText.refusal.error.message)
            }
            let name = try Self.name(in: String(decoding: waiting[..<end], as: UTF8.self))
            waiting.removeFirst(end + 4)
            try tell(.part(name: name))
            place = .body
            return true
        case .after:
            // RFC 2046 lets anything follow; nobody reads it.
            waiting.removeAll()
            return false
        }
    }

    /// Where the delimiter is, or up to where the bytes are certainly none of it.
    private func findDelimiter() -> (found: Bool, at: Int) {
        waiting.withUnsafeBufferPointer { bytes in
            var at = 0
            while at < bytes.count {
                guard bytes[at] == 13 else {
                    at += 1
                    continue
                }
                var length = 1
                while length < delimiter.count, at + length < bytes.count, bytes[at + length] == delimiter[length] {
                    length += 1
                }
                if length == delimiter.count { return (true, at) }
                if at + length == bytes.count { return (false, at) }
                at += 1
            }
            return (false, at)
        }
    }

    /// The `name` of a `Content-Disposition`.
    private static func name(in headers: String) throws -> String {
        // "\r\n" is one character of Swift's.
        for line in headers.split(separator: "\r\n") {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2, halves[0].lowercased() == "content-disposition" else { continue }
            let value = halves[1].drop { $0 == " " }
            guard value.lowercased().hasPrefix("form-data;"), let start = value.firstRange(of: " name=\"") else {
                break
            }
            return String(value[start.upperBound...].prefix { $0 != "\"" })
        }
        throw Malformed(what: "a part has no name")
    }
}
