import Foundation
import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import ServerApp
import ServerTestSupport
import SignalProtocol
import Testing

@testable import OperatorAPI

extension WholeServerTests {
    /// The reviewed table of who may do what, driven through a whole server: people over WebSockets, operators by REST.
    @Suite struct PermissionsOnTheWireTests {
        /// What owner and admins do about others, and operators.
        private static let audited: Set<RoomCommand.Name> = [
            .kickSeat, .muteSeat, .closeSeat, .allowCamera, .deleteMessage, .setRestriction, .liftRestriction,
            .updateRoom, .setAttributes, .setRole, .setOwner, .destroyRoom,
        ]
        private static let callers = [PermissionCase.member, PermissionCase.admin, PermissionCase.owner]

        /// A server, the people of the table, and keys that lack a scope each.
        private struct House {
            let rest: RESTHouse
            let people: [UserID: SignalClient]
            /// By the scope that it lacks.
            let lacking: [OperatorScope: RESTHouse]

            func client(_ user: UserID) throws -> SignalClient { try #require(people[user]) }

            /// The call as a client writes it.
            func wire(_ command: RoomCommand, in room: RoomID) throws -> (method: String, params: JSON) {
                let key = IdempotencyKey(UUID().uuidString)
                let call = try JSON(parsing: Call(number: 1, .rooms(.command(room, command, key: key))).text)
                return (try #require(call["method"].string), call["params"])
            }

            /// `ok`, or the refusal's name.
            func outcome(_ command: RoomCommand, in room: RoomID, by user: UserID) async throws -> String {
                let (method, params) = try wire(command, in: room)
                let answer = try await client(user).refusal(method, params)
                return answer.hasPrefix("accepted") ? "ok" : answer
            }

            func overview(_ room: RoomID) async throws -> JSON { try await rest.send("GET", "rooms/\(room)").json }

            /// The same by REST; what is no operator's has no operation there.
            func outcome(_ command: RoomCommand, in room: RoomID, by house: RESTHouse) async throws -> String {
                let (_, params) = try wire(command, in: room)
                let route = RESTRoute.all.first {
                    if case .command(let name) = $0.work { name == command.name } else { false }
                }
                guard let route else { return "permission_denied" }
                guard case .object(var fields) = params else { return "no parameters" }
                let once = fields.removeValue(forKey: "key")?.string ?? ""
                let path = route.path.split(separator: "/").map { part -> String in
                    guard part.hasPrefix("{") else { return String(part) }
                    let value = fields.removeValue(forKey: String(part.dropFirst().dropLast()))
                    return value.map { $0.string ?? "\($0.int ?? -1)" } ?? "?"
                }.joined(separator: "/")
                let response = try await house.send(
                    String(route.title.prefix { $0 != " " }), path, route.hasBody ? .object(fields) : nil,
                    headers: ["Idempotency-Key: \(once)"])
                return response.status == 200 ? "ok" : response.json["error"]["name"].string ?? "\(response.status)"
            }

            /// Waits until that refusal stands in the trail.
            func isNoted(_ action: RoomCommand.Name, by actor: String, in room: RoomID) async throws -> Bool {
                for _ in 0..<1_000 {
                    let lines = try await rest.send("GET", "audit?limit=3").json["lines"].array
                    if lines.contains(where: {
                        $0["action"].string == "\(action)" && $0["outcome"] == "permission_denied"
                            && $0["actor"].string == actor && $0["room"].int.map { RoomID.number(UInt32($0)) } == room
                    }) {
                        return true
                    }
                }
                return false
            }
        }

        private func with(_ body: (House) async throws -> Void) async throws {
            try await RESTHouse.with(configure: {
                $0.limitsCallsPerSecond = 1_000_000
                $0.limitsChangesPerSecond = 1_000_000
                $0.limitsMessagesPerAddress = 1_000_000
                $0.roomsActionsPerPerson = 1_000_000
            }) { rest in
                var lacking: [OperatorScope: RESTHouse] = [:]
                for scope in OperatorScope.allCases {
                    let others = OperatorScope.allCases.filter { $0 != scope }.map { JSON.string($0.rawValue) }
                    let made = try await rest.send(
                        "POST", "keys",
                        ["name": .string("no-" + scope.rawValue.replacing(":", with: "-")), "scopes": .array(others)])
                    lacking[scope] = RESTHouse(
                        server: rest.server, keys: ["console": try #require(made.json["key"].string)])
                }
                var people: [UserID: SignalClient] = [:]
                for user in PermissionCase.cast {
                    people[user] = try await rest.server.signedIn(user.rawValue)
                    let topped = try await rest.send(
                        "POST", "users/\(user.rawValue)/top-ups", ["coins": 100_000],
                        headers: ["Idempotency-Key: start-\(user.rawValue)"])
                    #expect(topped.status == 200)
                }
                let host = try await rest.server.signedIn("host")
                try await host.call("room.create", ["room": 2, "kind": "live", "name": "Other"])
                #expect(try await rest.send("PUT", "gifts/rose", ["name": "Rose", "price": 10]).status == 200)
                try await body(House(rest: rest, people: people, lacking: lacking))
            }
        }

        /// A room as the table wants it.
        private func prepare(
            _ test: PermissionCase, _ number: Int, for caller: UserID, in house: House
        ) async throws -> RoomID {
            let room = RoomID.number(UInt32(number))
            let id = JSON.number(Double(number))
            try await house.client(PermissionCase.owner).call(
                "room.create",
                [
                    "room": id, "kind": .string(test.kind.rawValue), "name": "Salon", "needsRequest": true, "seats": 8,
                ])
            for user in PermissionCase.cast.dropFirst() {
                try await house.client(user).call("room.enter", ["room": id])
            }
            for step in test.steps(caller) {
                let (method, params) = try house.wire(step.command, in: room)
                try await house.client(step.user).call(method, params)
            }
            return room
        }

        private func reviewed() throws -> [String: [String]] {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("RoomRulesTests/permissions.md")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").drop {
                !$0.hasPrefix("| command")
            }
            var table: [String: [String]] = [:]
            for line in lines.dropFirst(2) {
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                table[cells[0]] = Array(cells.dropFirst())
            }
            return table
        }

        @Test("R01-R G06-S V20-S every command × every role, over WebSockets and by REST, comes to what was reviewed")
        func everyRole() async throws {
            let table = try reviewed()
            try await with { house in
                var number = 1_000
                // Of the refusals of one person or program the trail takes twenty at once, in all rooms together.
                var refused: [String: Int] = [:]
                for test in PermissionCase.all {
                    let expected = try #require(table[test.title])
                    for (column, caller) in (Self.callers + [PermissionCase.member]).enumerated() {
                        number += 1
                        let room = try await prepare(test, number, for: caller, in: house)
                        let command = test.command(caller)
                        let before = try await house.overview(room)
                        let isOperator = column == Self.callers.count
                        if isOperator, let scope = command.name.access.scope,
                            let lacking = house.lacking[scope]
                        {
                            #expect(
                                try await house.outcome(command, in: room, by: lacking) == "permission_denied",
                                "\(test.title) without \(scope.rawValue)")
                            #expect(try await house.overview(room) == before)
                            if Self.audited.contains(command.name) {
                                let name = "@no-" + scope.rawValue.replacing(":", with: "-")
                                refused[name, default: 0] += 1
                                if refused[name, default: 0] <= 20 {
                                    #expect(try await house.isNoted(command.name, by: name, in: room), "\(test.title)")
                                }
                            }
                        }
                        let outcome =
                            isOperator
                            ? try await house.outcome(command, in: room, by: house.rest)
                            : try await house.outcome(command, in: room, by: caller)
                        #expect(outcome == expected[column], "\(test.title), column \(column)")
                        if outcome != "ok" { #expect(try await house.overview(room) == before, "\(test.title)") }
                        if outcome != "ok", !isOperator, Self.audited.contains(command.name) {
                            refused[caller.rawValue, default: 0] += 1
                        }
                        if outcome == "permission_denied", !isOperator, Self.audited.contains(command.name),
                            refused[caller.rawValue, default: 0] <= 20
                        {
                            #expect(
                                try await house.isNoted(command.name, by: caller.rawValue, in: room), "\(test.title)")
                        }
                        if command.name != .destroyRoom || outcome != "ok" {
                            #expect(try await house.rest.send("DELETE", "rooms/\(room)").status == 200)
                        }
                    }
                }
            }
        }

        @Test("R01 G06-S A01-S outsiders, the banned, strangers without a ticket and other applications change nothing")
        func outsiders() async throws {
            try await with { house in
                let live = try #require(PermissionCase.all.first { $0.kind == .live })
                let room = try await prepare(live, 1_000, for: PermissionCase.member, in: house)
                let owner = try house.client(PermissionCase.owner)
                let server = house.rest.server
                let outsider = try await server.signedIn("stranger")
                let banned = try await server.signedIn("banned")
                try await owner.call("restriction.set", ["room": 1_000, "user": "banned", "kind": "ban"])
                #expect(try await banned.refusal("room.enter", ["room": 1_000]) == "banned_for_good")
                let expired = try await server.client()
                let opening: JSON = .object([
                    "version": 1, "app": .number(Double(TestServer.application)), "user": "olga",
                    "ticket": .string(
                        try server.ticket(
                            "olga", lifetime: 60, issuedAt: Int64(Date().timeIntervalSince1970) - 3_600)),
                ])
                #expect(try await expired.refusal("session.open", opening) == "ticket_expired")
                // The owner's namesake in another application.
                let key = try #require(
                    try await house.rest.send("POST", "applications/5/keys", key: "owner").json["key"].string)
                let namesake = try await server.client()
                try await namesake.call(
                    "session.open",
                    [
                        "version": 1, "app": 5, "user": "olga",
                        "ticket": .string(try server.ticket("olga", key: key, application: 5)),
                    ])
                let before = try await house.overview(room)
                for name in RoomCommand.Name.allCases {
                    let test = try #require(PermissionCase.all.first { $0.command(PermissionCase.member).name == name })
                    let command = test.command(PermissionCase.member)
                    let (method, params) = try house.wire(command, in: room)
                    // Invitations are declined from outside too; there is none.
                    let away = name == .rejectInvitation ? "invitation_not_found" : "not_in_room"
                    #expect(try await outsider.refusal(method, params) == away, "\(name)")
                    #expect(try await banned.refusal(method, params) == away, "\(name)")
                    #expect(try await expired.refusal(method, params) == "not_signed_in", "\(name)")
                    #expect(try await namesake.refusal(method, params) == "room_not_found", "\(name)")
                    let foreign = RESTHouse(server: server, keys: ["console": house.rest.keys["other"] ?? ""])
                    let answer = try await house.outcome(command, in: room, by: foreign)
                    #expect(
                        answer == (name.access.scope == nil ? "permission_denied" : "room_not_found"),
                        "\(name)")
                }
                #expect(try await house.overview(room) == before)
            }
        }
    }
}
