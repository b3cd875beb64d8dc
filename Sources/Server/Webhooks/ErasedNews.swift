import Foundation
package import RoomModel

/// What a webhook waits for, without a person's names and words. The receiver learns by it what happened, and to whom by id.
package enum ErasedNews {
    /// - Parameter isOver: they are of a room that has ended. What it was called may be theirs, whoever wrote it last.
    /// - Returns: the same bytes where there is nothing to erase.
    package static func without(_ user: UserID, in payload: [UInt8], isOver: Bool) -> [UInt8] {
        guard isOver || payload.firstRange(of: Array("\"\(user.rawValue)\"".utf8)) != nil,
            let value = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any],
            let known = text(of: value),
            let left = text(of: erased(value, user.rawValue, isTheirs: false, isOver: isOver)), left != known
        else { return payload }
        return Array(left)
    }

    private static func text(of news: Any) -> Data? {
        try? JSONSerialization.data(withJSONObject: news, options: [.withoutEscapingSlashes, .sortedKeys])
    }

    /// Who says or does something stands under one of these.
    private static let authors = ["from", "by", "From_Account", "Owner_Account"]
    /// What somebody can write, in the standard format and in the compatible one.
    private static let texts: Set = [
        "text", "command", "message", "content", "words", "Text", "Data", "Name", "title", "artist",
    ]
    /// What of the compatible format is written by whoever stands above it.
    private static let bodies: Set = ["MsgBody", "MsgContent"]

    /// - Parameters:
    ///   - isTheirs: they have written what is in it.
    ///   - isOver: the room has ended.
    private static func erased(_ value: Any, _ user: String, isTheirs: Bool, isOver: Bool) -> Any {
        switch value {
        case let list as [Any]: return list.map { erased($0, user, isTheirs: isTheirs, isOver: isOver) }
        case var fields as [String: Any]:
            func names(_ name: String) -> Bool {
                fields[name] as? String == user || (fields[name] as? [String: Any])?["id"] as? String == user
            }
            let (isPerson, isOwned) = (
                fields["id"] as? String == user, names("owner") || isOver && fields["owner"] != nil
            )
            let isTheirs = isTheirs || authors.contains(where: names)
            let isRestriction = fields["kind"] is String && fields["user"] is String && (names("user") || isTheirs)
            let isInvitation = fields["command"] is String && fields["to"] is String
            for (name, field) in fields {
                switch name {
                case "name" where isPerson || isOwned || isRestriction && names("user"), "avatar" where isPerson,
                    "cover" where isOwned, "reason" where isRestriction || isInvitation, "forfeit":
                    fields[name] = ""
                case "tags" where isOwned: fields[name] = [String]()
                // The sender's own id of a message, and a song as they named it.
                case "id" where isTheirs && fields["chat"] != nil: fields[name] = ""
                case "song" where isTheirs: fields[name] = ["id": "", "title": ""]
                case "set" where isTheirs || isOver && field is [String: String]: fields[name] = [String: String]()
                case "removed" where isOver: fields[name] = [String]()
                case "Name" where isOver: fields[name] = ""
                case _ where isTheirs && texts.contains(name) && field is String: fields[name] = ""
                default: fields[name] = erased(field, user, isTheirs: isTheirs && bodies.contains(name), isOver: isOver)
                }
            }
            return fields
        default: return value
        }
    }
}
