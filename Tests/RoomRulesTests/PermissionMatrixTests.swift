import Foundation
import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

/// Drives every command as every role against the people it can be aimed at, and compares with the file that was
/// reviewed by hand. Whoever changes the table changes the file too, and shows in the review what it does to people.
@Suite struct PermissionMatrixTests {
    private typealias Case = PermissionCase

    private func stage(of test: Case, caller: UserID) -> Stage {
        var stage = Stage(kind: test.kind, needsRequest: true)
        stage.enter(.admin, .otherAdmin, .member, .other)
        stage.target = Stage(kind: .live).state.info(memberCount: 1, speaking: false)
        for step in test.steps(caller) { #expect(stage.refusal(step.command, by: step.user) == nil, "\(test.title)") }
        return stage
    }

    private let cases = PermissionCase.all

    /// An operator with all scopes, who is not in the room and asks for what a member there would.
    private static let console = Caller.operator(
        Operator(UserID(literal: "console"), scopes: Set(OperatorScope.allCases)))

    /// - Parameter asking: who asks, if not that person.
    private func outcome(_ test: Case, as caller: UserID, asking: Caller? = nil) -> String {
        var stage = stage(of: test, caller: caller)
        let before = stage.state
        let refusal = stage.refusal(test.command(caller), by: asking ?? .person(.named(caller)))
        if refusal != nil { #expect(stage.state == before, "a refusal has changed the room") }
        return refusal?.name ?? "ok"
    }

    private var matrix: String {
        var lines = ["| command | member | admin | owner | operator |", "|---|---|---|---|---|"]
        for test in cases {
            let row =
                [UserID.member, .admin, .owner].map { outcome(test, as: $0) }
                + [outcome(test, as: .member, asking: Self.console)]
            lines.append("| " + ([test.title] + row).joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test("every role × command gives what the reviewed table says") func matchesTheReviewedTable() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("permissions.md")
        let reviewed = try String(contentsOf: file, encoding: .utf8)
        let table = reviewed.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("| command") }.joined(separator: "\n")
        let matrix = matrix
        for (expected, found) in zip(table.split(separator: "\n"), matrix.split(separator: "\n")) {
            #expect(expected == found)
        }
        #expect(table == matrix)
    }

    @Test("the table of permissions is the reviewed one, line by line") func permissionsAreReviewed() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("permissions.md")
        let reviewed = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("| `")
        }
        let present = RoomCommand.Name.allCases.map { name in
            let row = [Role.member, .admin, .owner].map { "\(name.access.roles.permission(for: $0))" }
            let scope = name.access.scope?.rawValue ?? "refused"
            let cells = ["`\(name)`"] + row + [scope, needed(by: name), audit(of: name)]
            return cells.reduce("|") { $0 + ($1.isEmpty ? " |" : " \($1) |") }
        }
        #expect(reviewed.map(String.init) == present)
    }

    private func needed(by name: RoomCommand.Name) -> String {
        let words: [(RoomRights, String)] = [(.sendAudio, "audio"), (.sendVideo, "video"), (.sendScreen, "screen")]
        let needed = name.access.rights
        return words.filter { needed.contains($0.0) }.map(\.1).joined(separator: " or ")
    }

    private func audit(of name: RoomCommand.Name) -> String {
        guard let rule = name.access.audit else { return "" }
        #expect(rule.action == "\(name)", "what is kept is read by that word")
        return rule.isModeration ? "moderation" : "change"
    }

    @Test(
        "a key's rights reach to each command that needs none of those which it lacks",
        arguments: RoomCommand.Name.allCases)
    func rights(_ name: RoomCommand.Name) {
        for test in cases where test.command(.member).name == name {
            let command = test.command(.member)
            let needed = name.access.rights
            let isSilencing = [.setMicrophone(SetMicrophone(muted: true)), .setCamera(SetCamera(on: false))].contains(
                command)
            #expect(RoomRights.all.reach(to: command))
            #expect(RoomRights.all.subtracting(needed).reach(to: command) == (needed.isEmpty || isSilencing))
        }
        #expect(RoomRights([]).reach(to: .setMicrophone(SetMicrophone(muted: true))))
        #expect(RoomRights([]).reach(to: .setCamera(SetCamera(on: false))))
    }

    @Test("every command stands in the reviewed table") func tableIsComplete() {
        let titles = cases.map(\.title)
        for name in RoomCommand.Name.allCases {
            #expect(titles.contains { $0.hasPrefix("\(name)") }, "\(name) is not reviewed")
        }
    }

    @Test("R01 an operator's key does what its scopes say, and nothing else", arguments: RoomCommand.Name.allCases)
    func scopes(_ name: RoomCommand.Name) {
        let needed = name.access.scope
        for test in cases where test.command(.member).name == name {
            let all = outcome(test, as: .member, asking: Self.console)
            for scope in OperatorScope.allCases {
                let narrow = Caller.operator(Operator(UserID(literal: "console"), scopes: [scope]))
                #expect(
                    outcome(test, as: .member, asking: narrow) == (scope == needed ? all : "permission_denied"),
                    "\(test.title) by \(scope.rawValue)")
            }
        }
    }

    @Test("R01 an operator writes where only hosts do, whatever is muted")
    func operatorsWrite() throws {
        var stage = stage(of: cases[0], caller: .member)
        try stage.run(.updateRoom(RoomUpdate(hostsOnly: true, noLinks: true)), by: .owner)
        try stage.run(.setRestriction(RestrictionDraft(.chatMute, of: .member)), by: .owner)
        let shop = Operator(UserID(literal: "shop"), scopes: [.writeMessages])
        let decision = try stage.run(
            .sendMessage(MessageDraft(.text("https://example.com"))), by: .operator(shop, as: .named(.member)))
        guard case .messageSent(let message) = decision.events.last else { Issue.record("nothing said"); return }
        #expect(message.from == .named(.member))
    }

    @Test("R01 a room that an operator ends says so")
    func operatorsEnd() throws {
        var stage = stage(of: cases[0], caller: .member)
        let decision = try stage.run(.destroyRoom, by: Self.console)
        guard case .ended(let end) = decision.events.last, end.reason == .operator else {
            Issue.record("\(decision)"); return
        }
        #expect(stage.refusal(.updateRoom(RoomUpdate(name: "Other")), by: Self.console) == .roomClosed)
    }

    /// What everybody in the room is told when the command is carried out; nothing if it is refused.
    private func told(_ command: RoomCommand, by user: UserID, on stage: inout Stage) throws -> [RoomNewsEvent] {
        let before = stage.state
        let steps = stage.record.count
        guard stage.refusal(command, by: user) == nil else { return [] }
        if command == .exitRoom { stage.people[user] = nil }
        var state = before
        var told: [RoomNewsEvent] = []
        for accepted in stage.record.dropFirst(steps) {
            try state.apply(accepted) { event, before, after in
                let context = NewsContext(accepted, people: stage.people, memberCount: 1)
                let announcement = after.announcement(of: event, before: before, context)
                if let announcement, announcement.audience == .everyone { told.append(announcement.news) }
            }
        }
        return told
    }

    @Test(
        "G04-S whatever one person can have everybody told takes of that person's changes, or cannot be done twice in a row",
        arguments: RoomCommand.Name.allCases)
    func changesAreCounted(_ name: RoomCommand.Name) throws {
        var isTold = false
        for test in cases where test.command(.member).name == name {
            for caller in [UserID.member, .admin, .owner] {
                let command = test.command(caller)
                var stage = stage(of: test, caller: caller)
                let news = try told(command, by: caller, on: &stage)
                isTold = isTold || !news.isEmpty
                let takesOne =
                    switch name.type.allowance {
                    case .needed: true
                    case .neededToBegin: command.payload.usesRights
                    case .notNeeded: false
                    // Their measures have tests of their own: messages, likes and gifts alone have one.
                    case .measuredByRoom: [.sendMessage, .sendLikes, .sendGift].contains(name)
                    }
                if takesOne { continue }
                #expect(try told(command, by: caller, on: &stage) == [], "\(test.title) as \(caller)")
            }
        }
        if name.type.allowance == .notNeeded { #expect(isTold, "what tells nobody anything is not tested by this") }
    }

    @Test("whoever is not in the room may do nothing", arguments: RoomCommand.Name.allCases)
    func outsiders(_ name: RoomCommand.Name) {
        for test in cases where test.command(.member).name == name {
            var stage = stage(of: test, caller: .member)
            #expect(stage.refusal(test.command(.member), by: UserID(literal: "stranger")) == .notInRoom)
        }
    }
}
