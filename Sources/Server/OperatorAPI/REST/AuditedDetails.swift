import RoomEvents
package import RoomModel
package import RoomPorts

extension RoomPorts.Application {
    /// As the audit trail has it once something is changed.
    package var audited: [String: String] {
        [
            "name": name, "keys": "\(keys.count)", "consent": settings.consent.rawValue,
            "secondSession": settings.secondSession.rawValue, "roomKeys": settings.roomKeys.rawValue,
            "admins": settings.admins.map(\.rawValue).joined(separator: " "),
        ]
    }
}

extension OperatorKey {
    /// As the audit trail has it once it is made or dropped.
    package var audited: [String: String] {
        [
            "key": id, "name": name.rawValue, "scopes": scopes.map(\.rawValue).sorted().joined(separator: " "),
        ]
    }
}

extension Gift {
    /// As the audit trail has it once it is set.
    package var audited: [String: String] {
        let others = names.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return ["gift": id, "name": name, "names": others, "price": "\(price)"].filter { !$0.value.isEmpty }
    }
}
