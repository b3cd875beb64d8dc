package import HTTPGrammar
package import HTTPTypes
package import Hummingbird

extension EntityTags {
    /// What a request names, on one line or several; `nil` if nothing, or what is no list of tags.
    package init?(_ request: Request, _ name: HTTPField.Name) {
        let lines = request.headers[values: name]
        guard !lines.isEmpty else { return nil }
        self.init(lines.joined(separator: ","))
    }
}

extension Request {
    /// Whether its range is meant of what has this tag (RFC 9110 §13.1.5). We give no dates that a client could name.
    package func isFresh(_ tag: String) -> Bool {
        guard let stated = headers[.ifRange] else { return true }
        guard case .some(let tags)? = EntityTags(stated), tags.count == 1 else { return false }
        return EntityTags.some(tags).matchesStrongly(tag)
    }
}
