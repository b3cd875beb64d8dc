internal import RoomModel

extension IdempotencyKey {
    /// One that no call has had.
    static func fresh() -> IdempotencyKey? { IdempotencyKey(freshID()) }

    static func freshID() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
