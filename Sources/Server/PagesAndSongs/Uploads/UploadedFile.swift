import HTTP
import HTTPGrammar
import HTTPTypes
import Hummingbird

/// A file that somebody uploaded, as it is shown. It never changes under its address, so it may be kept for ever; who knows the address has
/// been shown it.
struct UploadedFile {
    /// Quoted, as `ETag` wants it.
    let tag: String
    var headers: HTTPFields

    /// - Parameter name: of the file under its kind's address, which stands for what is in it.
    init(_ name: some StringProtocol, type: String) {
        tag = "\"\(name)\""
        headers = [
            .cacheControl: "public, max-age=31536000, immutable", .eTag: tag, .contentType: type,
            .xContentTypeOptions: "nosniff",
            // Opened as a page, somebody's file is still no page of ours.
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
    }

    /// - Returns: `nil` unless the client has it.
    func known(to request: Request) -> Response? {
        EntityTags(request, .ifNoneMatch)?.matchesWeakly(tag) == true
            ? Response(status: .notModified, headers: headers) : nil
    }
}
