/// How long things are on the wire, after escaping: limits and budgets count what is sent, not what was typed. Close to what is really
/// sent, and never less.
package enum WireSize {
    /// A string in JSON (RFC 8259 §7), quotes included. Control characters take six bytes, which is what a flood is made of.
    package static func of(_ text: String) -> Int {
        var size = 2
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5c, 0x2f, 0x08, 0x09, 0x0a, 0x0c, 0x0d: size += 2
            case 0..<0x20: size += 6
            default: size += 1
            }
        }
        return size
    }

    package static func of(_ text: String?) -> Int { text.map { of($0) } ?? 0 }

    /// Names of fields, numbers and punctuation of an object with a handful of fields.
    package static let object = 128
}

extension UserProfile {
    package var wireSize: Int { WireSize.object + WireSize.of(name) + WireSize.of(avatar) + WireSize.of(bio) }
}

extension Message {
    package var wireSize: Int {
        let body =
            switch body {
            case .text(let text): WireSize.of(text)
            case .custom(let command, let message): WireSize.of(command) + WireSize.of(message)
            }
        return 2 * WireSize.object + from.wireSize + body + WireSize.of(id)
    }
}

extension Invitation {
    package var wireSize: Int {
        3 * WireSize.object + WireSize.of(id) + WireSize.of(command) + WireSize.of(content) + WireSize.of(reason)
    }
}

extension RoomChange {
    package var wireSize: Int {
        switch what {
        case .updated(let info):
            4 * WireSize.object + info.owner.wireSize + WireSize.of(info.name) + WireSize.of(info.cover)
                + info.tags.reduce(0) { $0 + WireSize.of($1) }
        case .songChanged(let play, _, _):
            4 * WireSize.object + WireSize.of(play?.song.title) + WireSize.of(play?.song.artist)
                + WireSize.of(play?.song.accompaniment) + WireSize.of(play?.song.original)
                + WireSize.of(play?.song.lyrics)
        case .seatTaken(_, let user, _), .seatLeft(_, let user, _, _): 4 * WireSize.object + user.wireSize
        case .destroyed, .seatMuted, .seatClosed, .microphoneMuted, .roleChanged, .ownerChanged, .duetChanged:
            4 * WireSize.object
        }
    }
}

extension RoomNewsEvent {
    package var wireSize: Int {
        switch self {
        case .change(let change): change.wireSize
        case .message(let message): message.wireSize
        case .invitation(let news): WireSize.object + news.invitation.wireSize
        case .passing(.audienceEntered(let member)): 2 * WireSize.object + member.profile.wireSize
        case .passing(.levels(let levels)): WireSize.object + 40 * levels.count
        case .passing(.network(let report)): WireSize.object * (2 + report.singers.count)
        case .passing: 2 * WireSize.object
        }
    }
}
