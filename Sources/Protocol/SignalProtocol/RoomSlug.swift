import Foundation
package import RoomModel

/// A room in a link: `/r/123` is the number, `/r/~123` the string "123"; other strings stand percent-encoded as they are.
package enum RoomSlug {
    /// - Parameter slug: the path component, still percent-encoded.
    package static func room(_ slug: some StringProtocol) -> RoomID? {
        String(slug).removingPercentEncoding.flatMap(id)
    }

    /// The id that a person writes: digits are the number, `~` stands before a text of digits.
    package static func id(_ text: String) -> RoomID? {
        if text.isEmpty { return nil }
        if text.hasPrefix("~") { return RoomID(string: String(text.dropFirst())) }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return UInt32(text).flatMap(RoomID.init(number:))
        }
        return RoomID(string: text)
    }

    package static func slug(_ room: RoomID) -> String {
        let text = text(room)
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }

    /// The same without percents, as a person writes it.
    package static func text(_ room: RoomID) -> String {
        switch room {
        case .number(let number): return String(number)
        case .string(let string):
            let isNumber = string.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return isNumber || string.hasPrefix("~") ? "~" + string : string
        }
    }

    /// RFC 3986 §2.3
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
