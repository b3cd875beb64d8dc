import GRDB
import RoomModel

extension RoomID {
    /// A number for a number, a text for a text: such a column has no affinity, so that SQLite keeps them apart.
    var column: DatabaseValue {
        switch self {
        case .number(let number): number.databaseValue
        case .string(let string): string.databaseValue
        }
    }

    init?(column value: DatabaseValue) {
        switch value.storage {
        case .int64(let number):
            guard let number = UInt32(exactly: number) else { return nil }
            self.init(number: number)
        case .string(let string): self.init(stored: string)
        default: return nil
        }
    }
}
