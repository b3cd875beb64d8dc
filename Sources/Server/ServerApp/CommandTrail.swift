import Foundation
import RoomModel
import RoomPorts
import SignalProtocol
import StoreSQLite
import Timing

/// What commands change in the data of a stopped server stands in the audit trail like what programs change over HTTP, under the name of
/// the account that ran the command.
struct CommandTrail {
    private static let nameLength = 32

    let store: SQLiteStore
    let application: ApplicationID

    func note(_ action: String, target: UserID? = nil, detail: [String: String] = [:], reason: String? = nil) {
        store.audit.note(
            AuditLine(
                application: application, room: nil, actor: Self.account, role: .operator, way: .command,
                action: action,
                target: target, detail: String(decoding: SignalText.encode(detail), as: UTF8.self), reason: reason,
                time: ServerClock().wallTime.millisecondsSince1970))
    }

    /// Without a name, as in a container that knows no accounts, nobody is named.
    private static var account: UserID? {
        let name = NSUserName().prefix(nameLength).map { letter -> Character in
            letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-") ? letter : "_"
        }
        return UserID(String(name))
    }
}
