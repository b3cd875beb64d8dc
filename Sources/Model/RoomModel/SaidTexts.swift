extension Array where Element == String {
    /// As tags.
    package func said() -> [SaidText] { map { SaidText(.roomTag, $0, "tags") } }
}

extension Optional where Wrapped == String {
    /// As the sender's own id.
    package func said() -> SaidText? { map { SaidText(.clientID, $0, "id") } }
}
