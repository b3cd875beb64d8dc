import Texts

/// Takes `multipart/form-data` (RFC 7578) apart as it comes in.
package struct FormParser: Sendable {
    /// What the headers of a part say.
    package struct Part: Hashable, Sendable {
        package var name: String
        /// What the file is called where it comes from. A browser gives an empty one for a field without a file.
        package var filename: String?
        /// The character set of its text, in lower case, if it is stated.
        package var charset: String?

        package init(name: String, filename: String? = nil, charset: String? = nil) {
            self.name = name
            self.filename = filename
            self.charset = charset
        }
    }

    package enum Event: Equatable, Sendable {
        /// A part begins.
        case part(Part)
        case data(ArraySlice<UInt8>)
        /// The part is whole.
        case partEnd
    }

    package struct Malformed: Error, Equatable {
        package var what: String
    }

    /// RFC 2046 §5.1.1.
    private static let boundaryLimit = 70
    /// Some header lines with a name each.
    private static let headerLimit = 4 << 10
    /// More than any field of ours has.
    private static let nameLimit = 64
    /// Spaces that a gateway may have put behind a boundary.
    private static let paddingLimit = 256

    private enum Place { case before, afterDelimiter, headers, body, after }

    private let delimiter: [UInt8]
    private var place = Place.before
    /// What is not told yet. Begins as if a line had ended, so that the first delimiter is like the others.
    private var waiting: [UInt8] = [13, 10]

    /// - Parameter contentType: the request's; `nil` is returned if it is not of this kind or has no good boundary.
    package init?(contentType: String) {
        guard let type = HeaderParameters(contentType.utf8), type.value == "multipart/form-data",
            let boundary = type["boundary"]
        else { return nil }
        let bytes = Array(boundary.utf8)
        guard (1...Self.boundaryLimit).contains(bytes.count), bytes.allSatisfy(Self.isOfBoundary), bytes.last != 0x20
        else { return nil }
        delimiter = [13, 10, 45, 45] + bytes
    }

    /// `bchars` of RFC 2046 §5.1.1.
    private static func isOfBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }

    /// Whether the last delimiter was read.
    package var isWhole: Bool { place == .after }

    /// Takes the next bytes, cut anywhere, and tells what they complete.
    package mutating func feed(_ bytes: some Sequence<UInt8>, _ tell: (Event) throws -> Void) throws {
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
        case .afterDelimiter: return try passDelimiter()
        case .headers:
            guard let end = try headerEnd() else { return false }
            guard StreamSafeText.holds(waiting[..<end.lowerBound]) else {
                throw Malformed(what: "a part's headers have more marks on one letter than any language needs")
            }
            let part = try Self.part(Array(waiting[..<end.lowerBound]))
            waiting.removeFirst(end.upperBound)
            try tell(.part(part))
            place = .body
            return true
        case .after:
            // RFC 2046 lets anything follow; nobody reads it.
            waiting.removeAll()
            return false
        }
    }

    /// What stands behind the boundary on its line.
    private mutating func passDelimiter() throws -> Bool {
        let padding = waiting.prefix { $0 == 0x20 || $0 == 0x09 }.count
        guard padding <= Self.paddingLimit else { throw Malformed(what: "something follows a boundary") }
        guard waiting.count >= padding + 2 else { return false }
        switch (waiting[padding], waiting[padding + 1]) {
        case (45, 45) where padding == 0: place = .after
        case (13, 10): place = .headers
        default: throw Malformed(what: "something follows a boundary")
        }
        waiting.removeFirst(padding + 2)
        return true
    }

    /// Where the headers and the empty line behind them end.
    private func headerEnd() throws -> Range<Int>? {
        if waiting.starts(with: [13, 10]) { return 0..<2 }
        let searched = waiting.prefix(Self.headerLimit + 4)
        let end = searched.indices.first { searched[$0...].starts(with: [13, 10, 13, 10]) }
        if let end { return end..<end + 4 }
        // The empty line itself may still be on its way.
        guard waiting.count < Self.headerLimit + 4 else { throw Malformed(what: "the headers are too long") }
        return nil
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

    // MARK: The headers of a part

    private static func part(_ headers: [UInt8]) throws -> Part {
        var found: Part?
        var charset: String?
        for (name, value) in lines(of: headers) {
            switch name {
            case "content-disposition":
                guard found == nil, let disposition = HeaderParameters(value), disposition.value == "form-data",
                    let name = disposition["name"]
                else { throw Malformed(what: "a part has no name, or its Content-Disposition cannot be read") }
                guard name.utf8.count <= Self.nameLimit, name.utf8.allSatisfy({ $0 < 0x80 }) else {
                    throw Malformed(what: "a part has a name that nobody asked for")
                }
                found = Part(name: name, filename: disposition.extended("filename"))
            case "content-type":
                charset = HeaderParameters(value)?["charset"].map {
                    String(decoding: $0.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
                }
            case "content-transfer-encoding":
                // RFC 7578 §4.7: nobody writes it, and the bytes would be others.
                guard ["7bit", "8bit", "binary"].contains(HeaderParameters(value)?.value) else {
                    throw Malformed(what: "a part has a Content-Transfer-Encoding")
                }
            default: break
            }
        }
        guard var found else { throw Malformed(what: "a part has no name") }
        found.charset = charset
        return found
    }

    /// Names in lower case, and what stands behind the colon. A line that begins with a space goes on with the one before.
    private static func lines(of headers: [UInt8]) -> [(name: String, value: [UInt8])] {
        var lines: [[UInt8]] = []
        var rest = headers[...]
        while !rest.isEmpty {
            let end = rest.indices.first { rest[$0...].starts(with: [13, 10]) } ?? rest.endIndex
            let line = rest[rest.startIndex..<end]
            if let first = line.first, first == 0x20 || first == 0x09, !lines.isEmpty {
                lines[lines.count - 1] += line
            } else {
                lines.append(Array(line))
            }
            rest = rest[min(end + 2, rest.endIndex)...]
        }
        return lines.compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = line[..<colon].map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
            return (String(decoding: name, as: UTF8.self), Array(line[(colon + 1)...]))
        }
    }
}
