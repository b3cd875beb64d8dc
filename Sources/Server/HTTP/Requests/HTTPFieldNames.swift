package import HTTPTypes

extension HTTPField.Name {
    static let forwarded = HTTPField.Name.known("Forwarded")
    static let via = HTTPField.Name.known("Via")
    package static let xForwardedFor = HTTPField.Name.known("X-Forwarded-For")
    package static let refusedUpgrade = HTTPField.Name.known(RequestText.refusalHeader)
    package static let xForwardedProto = HTTPField.Name.known("X-Forwarded-Proto")

    /// For names that are tokens beyond doubt.
    package static func known(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("not a header name: \(name)") }
        return field
    }
}
