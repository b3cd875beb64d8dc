import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// The published chat REST API (R01, E07; references.md), on a whole server.
    @Suite struct ChatRESTTests {
        private static let service = "group_open_http_svc"

        private func post(
            _ command: String, _ body: String, _ server: TestServer, query: String
        ) async throws -> JSON {
            let path = command.contains("/") ? command : "\(Self.service)/\(command)"
            let response = try await PlainHTTP.send(
                "POST /v4/\(path)?\(query) HTTP/1.1", port: server.port,
                headers: ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"], body: body)
            #expect(response.status == 200 && response.headers["content-type"]?.hasPrefix("application/json") == true)
            return response.json
        }

        private func query(_ server: TestServer, _ admin: String = "administrator") throws -> String {
            "sdkappid=\(TestServer.application)&identifier=\(admin)&usersig=\(try server.ticket(admin))"
                + "&random=99999999&contenttype=json"
        }

        private func call(_ command: String, _ body: JSON, _ server: TestServer) async throws -> JSON {
            try await post(command, body.text, server, query: try query(server))
        }

        private func code(_ command: String, _ body: JSON, _ server: TestServer) async throws -> Int {
            let answer = try await call(command, body, server)
            let code = try #require(answer["ErrorCode"].int)
            #expect(answer["ActionStatus"].string == (code == 0 ? "OK" : "FAIL"))
            #expect((answer["ErrorInfo"].string ?? "").isEmpty == (code == 0))
            return code
        }

        private func text(_ text: String, _ more: [String: JSON] = [:]) -> JSON {
            let element: JSON = ["MsgType": "TIMTextElem", "MsgContent": ["Text": .string(text)]]
            return .object(
                ["GroupId": "48213", "MsgBody": .array([element])].merging(more) { _, wanted in wanted })
        }

        @Test(
            "R01-R A02-R who calls is told what is wrong with the address, the ticket and the body, each by its number")
        func callers() async throws {
            try await TestServer.with { server in
                let ticket = try server.ticket("administrator")
                let app = TestServer.application
                let good = try query(server)
                let count = "get_online_member_num"
                let queries: [(String, Int)] = [
                    ("identifier=administrator&usersig=\(ticket)", 60_012),
                    ("sdkappid=x&identifier=administrator&usersig=\(ticket)", 60_006),
                    ("sdkappid=6&identifier=administrator&usersig=\(ticket)", 60_006),
                    ("sdkappid=\(app)&usersig=\(ticket)", 60_004),
                    ("sdkappid=\(app)&identifier=no/name&usersig=\(ticket)", 60_004),
                    ("sdkappid=\(app)&identifier=administrator", 60_005),
                    ("sdkappid=\(app)&identifier=administrator&usersig=x", 70_003),
                    ("sdkappid=\(app)&identifier=guest&usersig=\(ticket)", 70_013),
                    ("sdkappid=\(app)&identifier=guest&usersig=\(try server.ticket("guest"))", 60_010),
                    (
                        "sdkappid=\(app)&identifier=administrator&usersig="
                            + (try server.ticket("administrator", key: String(repeating: "0", count: 64))), 70_009
                    ),
                    (
                        "sdkappid=\(app)&identifier=administrator&usersig="
                            + (try server.ticket("administrator", issuedAt: 1_000)), 70_001
                    ),
                ]
                for (query, wanted) in queries {
                    let answer = try await post(count, "{}", server, query: query)
                    #expect(answer["ErrorCode"].int == wanted && answer["ActionStatus"].string == "FAIL", "\(query)")
                }
                for body in ["", "[]", "{,", "null", "\"x\""] {
                    #expect(try await post(count, body, server, query: good)["ErrorCode"] == 60_003, "\(body)")
                }
                let long = "{\"GroupId\":\"\(String(repeating: "x", count: 93_000))\"}"
                #expect(try await post(count, long, server, query: good)["ErrorCode"] == 60_003)
                #expect(try await post("no_such_call", "{}", server, query: good)["ErrorCode"] == 60_002)
                #expect(try await post("other_svc/\(count)", "{}", server, query: good)["ErrorCode"] == 60_002)
                #expect(try await post("a/b/c/d", "{}", server, query: good)["ErrorCode"] == 60_002)
                #expect(try await code(count, [:], server) == 10_004)
                #expect(try await code(count, ["GroupId": 5], server) == 10_004)
                #expect(try await code(count, ["GroupId": "a/b"], server) == 10_015)
                #expect(try await code(count, ["GroupId": "48213"], server) == 10_010)
            }
        }

        @Test("R01-R E07-R the published body, sent as printed by the admin that it names, reaches the room")
        func published() async throws {
            let folder = NSTemporaryDirectory() + "ovation-chat-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let applications = ApplicationAdmin(data: folder)
            _ = try await applications.create(name: "Tests", id: TestServer.application)
            _ = try await applications.configure(
                TestServer.application, consent: nil, secondSession: nil, roomKeys: nil, admins: ["admin"])
            let server = try await TestServer.start(directory: folder)
            do {
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["name": "Shop", "room": "@TGS#12DEVUDHQ"])
                // The e-commerce guide's, without its comments.
                let body = #"""
                    {
                    "GroupId": "@TGS#12DEVUDHQ",
                    "Random": 2784275388,
                    "MsgPriority": "High",
                    "MsgBody": [
                    {
                    "MsgType": "TIMCustomElem",
                    "MsgContent": {
                    "Data": "{\"cmd\": \"item_popup_msg\", \"msg\": {\"itemNumber\": 1, \"itemPrice\": 199.0, \"itemTitle\": \"xxx\", \"itemUrl\": \"xxx\"}}"
                    }
                    }
                    ]
                    }
                    """#
                let answer = try await post("send_group_msg", body, server, query: try query(server, "admin"))
                #expect(answer["ActionStatus"] == "OK" && answer["ErrorInfo"] == "" && answer["ErrorCode"] == 0)
                #expect(answer["MsgSeq"] == 1 && (answer["MsgTime"].int ?? 0) > 1_700_000_000)
                let message = try await owner.event("message")
                #expect(message["command"] == "TIMCustomElem;High" && message["from"]["id"] == "admin")
                #expect(message["message"].string?.hasPrefix(#"{"cmd": "item_popup_msg""#) == true)
                // Who is no longer an admin has no say.
                let old = try await post("send_group_msg", body, server, query: try query(server))
                #expect(old["ErrorCode"] == 60_010)
                try await server.stop()
            } catch {
                try? await server.stop()
                throw error
            }
        }

        @Test("R01-R a message comes once for each Random, in somebody's name, in parts; what is wrong in it is told")
        func messages() async throws {
            let words = NSTemporaryDirectory() + "ovation-words-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: words) }
            try "casino\n".write(toFile: words, atomically: true, encoding: .utf8)
            try await TestServer.with(configure: { $0.moderationWords = words }) { server in
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                let first = try await call("send_group_msg", text("hello", ["Random": 7]), server)
                #expect(try await call("send_group_msg", text("hello", ["Random": 7]), server) == first)
                #expect(first["MsgSeq"] == 1)
                let named = text("from me", ["Random": 8, "From_Account": "owner"])
                #expect(try await call("send_group_msg", named, server)["MsgSeq"] == 2)
                let parts: JSON = [
                    "GroupId": "48213", "Random": 9,
                    "MsgBody": [
                        ["MsgType": "TIMTextElem", "MsgContent": ["Text": "look"]],
                        ["MsgType": "TIMFaceElem", "MsgContent": ["Index": 6, "Data": "smile"]],
                    ],
                ]
                #expect(try await call("send_group_msg", parts, server)["MsgSeq"] == 4)
                let told = try await owner.events(4) { $0["type"] == "message" }.map { message in
                    [message["from"]["id"], message["from"]["name"], message["text"], message["message"]]
                        .compactMap(\.string).joined(separator: " ")
                }
                #expect(
                    told == [
                        "administrator  hello", "owner Owner from me", "administrator  look",
                        #"administrator  {"Data":"smile","Index":6}"#,
                    ], "\(told)")

                #expect(try await code("send_group_msg", text("the CASINO"), server) == 80_001)
                #expect(
                    try await code("send_group_msg", text(String(repeating: "x", count: 20_000)), server) == 80_002)
                for wrong: [String: JSON] in [
                    ["MsgPriority": "high"], ["Random": -1], ["Random": "7"], ["MsgBody": []], ["MsgBody": [5]],
                    ["MsgBody": [["MsgType": "TIMSoundElem", "MsgContent": [:]]]],
                    ["MsgBody": [["MsgType": "TIMTextElem"]]],
                    ["To_Account": ["guest"]], ["From_Account": "no one"],
                ] {
                    #expect(try await code("send_group_msg", text("x", wrong), server) == 10_004, "\(wrong)")
                }
                for number in ["1.5", "1e400", "18446744073709551616", "-9223372036854775809", "true", "{}"] {
                    let said = #"[{"MsgType":"TIMTextElem","MsgContent":{"Text":"x"}}]"#
                    let body = #"{"GroupId":"48213","Random":\#(number),"MsgBody":\#(said)}"#
                    let code = try await post("send_group_msg", body, server, query: try query(server))["ErrorCode"]
                    #expect([10_004, 60_003].contains(code), "\(number)")
                }
                let recall: JSON = ["GroupId": "48213", "MsgSeqList": [["MsgSeq": 1], ["MsgSeq": 99]]]
                let recalled = try await call("group_msg_recall", recall, server)
                #expect(recalled["RecallRetList"][0]["RetCode"] == 0)
                #expect(recalled["RecallRetList"][1]["RetCode"] != 0)
                #expect(try await owner.event("message.deleted")["chat"] == 1)
                #expect(
                    try await code(
                        "send_group_system_notification", ["GroupId": "48213", "Content": "closing soon"], server) == 0)
                try await owner.event("message") { $0["message"] == "closing soon" }
                let broadcast: JSON = ["MsgBody": [["MsgType": "TIMTextElem", "MsgContent": ["Text": "to all"]]]]
                #expect(try await code("send_broadcast_msg", broadcast, server) == 0)
                try await owner.event("message") { $0["text"] == "to all" }
            }
        }

        @Test("R01-R what a room has no budget for answers OK and says so")
        func dropped() async throws {
            // So few that a slow machine spends them too.
            try await TestServer.with(configure: { $0.roomsMessagesPerSecond = 4 }) { server async throws in
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                let first = try await call("send_group_msg", text("first", ["MsgPriority": "Low"]), server)
                #expect(first["MsgDropReason"] == .null)
                var dropped: [JSON] = []
                for number in 0..<120 where dropped.isEmpty {
                    let answer = try await call("send_group_msg", text("n \(number)", ["MsgPriority": "Low"]), server)
                    #expect(answer["ErrorCode"] == 0)
                    if answer["MsgDropReason"] != .null { dropped.append(answer["MsgDropReason"]) }
                }
                #expect(dropped == ["MsgFreqCtrl"])
            }
        }

        @Test("R01-R E07-S groups are made, read, changed and ended; ids that are taken or not allowed are told")
        func groups() async throws {
            try await TestServer.with { server in
                let wanted: JSON = [
                    "Type": "AVChatRoom", "Name": "Show", "Owner_Account": "host", "GroupId": "show-1",
                ]
                let made = try await call("create_group", wanted, server)
                #expect(made["ErrorCode"] == 0 && made["GroupId"] == "show-1")
                #expect(try await code("create_group", wanted, server) == 10_025)
                let other: JSON = ["Type": "AVChatRoom", "Name": "Show", "Owner_Account": "guest", "GroupId": "show-1"]
                #expect(try await code("create_group", other, server) == 10_021)
                let unnamed = try await call("create_group", ["Type": "AVChatRoom", "Name": "Any"], server)
                let id = try #require(unnamed["GroupId"].string)
                #expect(id.hasPrefix("@TGS#"))
                for (wrong, code) in [
                    (["Type": "AVChatRoom"], 10_004), (["Name": "Any"], 10_004),
                    (["Type": "Club", "Name": "Any"], 10_004),
                    (["Type": "AVChatRoom", "Name": "Any", "GroupId": "@TGS#MINE"], 10_015),
                    (["Type": "AVChatRoom", "Name": "Any", "MemberList": [["Member_Account": "a"]]], 10_004),
                ] as [(JSON, Int)] {
                    #expect(try await self.code("create_group", wrong, server) == code, "\(wrong)")
                }
                let host = try await server.signedIn("host")
                let entered = try await host.call("room.enter", ["room": "show-1"])
                #expect(entered["snapshot"]["me"]["role"] == "owner")
                #expect(try await call("get_online_member_num", ["GroupId": "show-1"], server)["OnlineMemberNum"] == 1)
                let change: JSON = ["GroupId": "show-1", "Name": "Late show", "MuteAllMember": "On"]
                #expect(try await code("modify_group_base_info", change, server) == 0)
                let asked: JSON = ["GroupIdList": ["show-1", .string(id), "gone", "a/b"]]
                let infos = try await call("get_group_info", asked, server)["GroupInfo"]
                #expect(infos[0]["Name"] == "Late show" && infos[0]["MuteAllMember"] == "On")
                #expect(infos[0]["Owner_Account"] == "host" && infos[0]["MemberNum"] == 1)
                #expect(infos[0]["ErrorCode"] == 0 && infos[0]["Type"] == "AVChatRoom")
                #expect(infos[1]["Owner_Account"] == "administrator" && infos[1]["MuteAllMember"] == "Off")
                #expect(infos[2]["ErrorCode"] == 10_010 && infos[3]["ErrorCode"] == 10_015)
                #expect(try await code("destroy_group", ["GroupId": "show-1"], server) == 0)
                try await host.event("room.destroyed")
                #expect(try await code("destroy_group", ["GroupId": "show-1"], server) == 10_010)
            }
        }

        @Test(
            "R01-R attributes of a group are set, changed, deleted and read, each limit by its number; people hear of it"
        )
        func attributes() async throws {
            try await TestServer.with { server in
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                func given(_ attributes: (String, String)...) -> JSON {
                    let lines = attributes.map { JSON.object(["key": .string($0.0), "value": .string($0.1)]) }
                    return ["GroupId": "48213", "GroupAttr": .array(lines)]
                }
                func read() async throws -> [String] {
                    let answer = try await call("group_open_attr_http_svc/get_group_attr", ["GroupId": "48213"], server)
                    #expect(answer["ErrorCode"] == 0)
                    return answer["GroupAttrAry"].array.map {
                        "\($0["key"].string ?? "")=\($0["value"].string ?? "")"
                    }
                }
                #expect(try await read() == [])
                #expect(try await code("set_group_attr", given(("b", "2"), ("a", "1")), server) == 0)
                let heard = try await owner.event("attributes.changed")
                #expect(heard["set"]["a"] == "1" && heard["by"] == "administrator")
                #expect(try await code("modify_group_attr", given(("a", "3"), ("c", "4")), server) == 0)
                #expect(try await read() == ["a=3", "b=2", "c=4"])
                #expect(
                    try await code(
                        "delete_group_attr", ["GroupId": "48213", "GroupAttr": ["a", ["key": "b"]]], server)
                        == 0)
                #expect(try await read() == ["c=4"])
                #expect(try await code("clear_group_attr", ["GroupId": "48213"], server) == 0)
                #expect(try await read() == [])
                let many = (0..<17).map { JSON.object(["key": .string("n\($0)"), "value": "1"]) }
                let key = String(repeating: "k", count: 33)
                for (wrong, code) in [
                    (given((key, "1")), 10_045), (given(("a", String(repeating: "v", count: 4_001))), 10_046),
                    (["GroupId": "48213", "GroupAttr": .array(many)], 10_047),
                    (given(("a", "1"), ("a", "2")), 10_004), (given(("", "2")), 10_004),
                    (["GroupId": "48213", "GroupAttr": []], 10_004), (["GroupId": "48213"], 10_004),
                    (["GroupId": "48213", "GroupAttr": [["key": "a", "value": 1]]], 10_004),
                    (["GroupId": "no-such", "GroupAttr": [["key": "a", "value": "1"]]], 10_010),
                ] as [(JSON, Int)] {
                    #expect(try await self.code("set_group_attr", wrong, server) == code, "\(wrong)")
                }
                let word = String(repeating: "v", count: 4_000)
                let large = given(("a", word), ("b", word), ("c", word), ("d", word))
                #expect(try await code("set_group_attr", large, server) == 10_048)
                var codes: Set<Int> = []
                for number in 0..<8 where !codes.contains(10_049) {
                    codes.insert(try await code("modify_group_attr", given(("n", "\(number)")), server))
                }
                #expect(codes.contains(10_049))
            }
        }

        @Test(
            "R01-R a message to one person reaches all their clients, in somebody's name, in parts; who is away is told"
        )
        func toOne() async throws {
            let words = NSTemporaryDirectory() + "ovation-words-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: words) }
            try "casino\n".write(toFile: words, atomically: true, encoding: .utf8)
            try await TestServer.with(configure: { $0.moderationWords = words }) { server in
                let guest = try await server.signedIn("guest")
                func given(_ more: [String: JSON] = [:]) -> JSON {
                    .object(
                        [
                            "To_Account": "guest", "MsgRandom": 7, "MsgSeq": 93_847_636,
                            "MsgBody": [
                                ["MsgType": "TIMTextElem", "MsgContent": ["Text": "hello"]],
                                ["MsgType": "TIMCustomElem", "MsgContent": ["Data": "{}"]],
                            ],
                        ].merging(more) { $1 })
                }
                let sent = try await call("openim/sendmsg", given(), server)
                let time = try #require(sent["MsgTime"].int)
                #expect(sent["ErrorCode"] == 0 && sent["MsgKey"].string == "93847636_7_\(time)")
                for (field, value) in [("text", "hello"), ("command", "TIMCustomElem")] {
                    let heard = try await guest.first(field) {
                        $0["method"] == "signal" && $0["params"][field].string == value
                    }["params"]
                    #expect(heard["id"] == sent["MsgKey"] && heard["from"]["id"] == "administrator")
                }
                let named = try await call("openim/sendmsg", given(["From_Account": "guest", "MsgSeq": .null]), server)
                #expect(named["ErrorCode"] == 0 && named["MsgKey"].string?.hasPrefix("0_7_") == true)
                try await guest.first("the named") {
                    $0["method"] == "signal" && $0["params"]["from"]["name"] == "Guest"
                }
                #expect(try await code("openim/sendmsg", given(["To_Account": "nobody"]), server) == 20_518)
                let passing = given(["To_Account": "nobody", "MsgLifeTime": 0])
                #expect(try await code("openim/sendmsg", passing, server) == 0)
                let word: JSON = [["MsgType": "TIMTextElem", "MsgContent": ["Text": "the Casino"]]]
                #expect(try await code("openim/sendmsg", given(["MsgBody": word]), server) == 80_001)
                for wrong: [String: JSON] in [
                    ["To_Account": .null], ["To_Account": "no one"], ["MsgRandom": .null], ["MsgRandom": -1],
                    ["MsgBody": []], ["MsgSeq": "1"], ["MsgLifeTime": -1], ["From_Account": "no one"],
                ] { #expect(try await code("openim/sendmsg", given(wrong), server) == 10_004, "\(wrong)") }
            }
        }

        @Test("R01-R counters of a group are set, moved up and down, read and deleted, and people hear of them")
        func counters() async throws {
            try await TestServer.with { server in
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                func change(_ mode: String?, _ counters: (String, Int)...) async throws -> [String] {
                    let lines = counters.map { JSON.object(["Key": .string($0.0), "Value": .number(Double($0.1))]) }
                    var body: [String: JSON] = ["GroupId": "48213", "GroupCounter": .array(lines)]
                    body["Mode"] = mode.map { .string($0) }
                    let answer = try await call("update_group_counter", .object(body), server)
                    #expect(answer["ErrorCode"] == 0)
                    return answer["GroupCounter"].array.map { "\($0["Key"].string ?? "")=\($0["Value"].int ?? -99)" }
                }
                func read(_ keys: JSON = .null) async throws -> [String] {
                    let asked: JSON = ["GroupId": "48213", "GroupCounterKeys": keys]
                    return try await call("get_group_counter", asked, server)["GroupCounter"].array.map {
                        "\($0["Key"].string ?? "")=\($0["Value"].int ?? -99)"
                    }
                }
                #expect(try await read() == [])
                #expect(try await change(nil, ("votes", 5), ("lots", 1)) == ["lots=1", "votes=5"])
                #expect(try await change("Increase", ("votes", 3), ("new", 2)) == ["new=2", "votes=8"])
                #expect(try await change("Decrease", ("votes", 10)) == ["votes=-2"])
                try await owner.event("attributes.changed") { $0["set"]["votes"] == "-2" }
                let theme: JSON = ["GroupId": "48213", "GroupAttr": [["key": "theme", "value": "night"]]]
                #expect(try await code("modify_group_attr", theme, server) == 0)
                #expect(try await read() == ["lots=1", "new=2", "votes=-2"])
                #expect(try await read(["votes", "theme", "none"]) == ["votes=-2"])
                let gone: JSON = ["GroupId": "48213", "GroupCounterKeys": ["lots", "new"]]
                #expect(try await code("delete_group_counter", gone, server) == 0)
                #expect(try await read() == ["votes=-2"])
                let long = String(repeating: "k", count: 33)
                for (counter, mode, code) in [
                    (["Key": "theme", "Value": 1], "Increase", 10_004), (["Key": "a", "Value": 1.5], "Set", 10_004),
                    (["Key": "a", "Value": "1"], "Set", 10_004), (["Key": "", "Value": 1], "Set", 10_004),
                    (["Value": 1], "Set", 10_004), (["Key": "a", "Value": 1], "set", 10_004),
                    (["Key": .string(long), "Value": 1], "Set", 10_045),
                ] as [(JSON, JSON, Int)] {
                    let body: JSON = ["GroupId": "48213", "GroupCounter": [counter], "Mode": mode]
                    #expect(try await self.code("update_group_counter", body, server) == code, "\(counter)")
                }
                #expect(try await code("delete_group_counter", ["GroupId": "48213"], server) == 10_004)
                #expect(try await code("get_group_counter", ["GroupId": "no-such"], server) == 10_010)
            }
        }

        @Test("R01-R who is in a group is listed page by page")
        func members() async throws {
            try await TestServer.with { server in
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                let guest = try await server.signedIn("guest")
                try await guest.call("room.enter", ["room": 48_213])
                let asked: JSON = ["GroupId": "48213", "Timestamp": 0]
                let answer = try await call("group_open_avchatroom_http_svc/get_members", asked, server)
                #expect(answer["ErrorCode"] == 0 && answer["Timestamp"] == 0)
                let people = answer["MemberList"].array.compactMap { $0["Member_Account"].string }
                #expect(people == ["owner", "guest"])
                let wrong: JSON = ["GroupId": "48213", "Timestamp": -1]
                #expect(try await code("group_open_avchatroom_http_svc/get_members", wrong, server) == 10_004)

                func mark(_ type: JSON, _ lines: [String: JSON]...) async throws -> Int {
                    let list = lines.map { JSON.object($0) }
                    return try await code(
                        "group_open_avchatroom_http_svc/modify_user_info",
                        ["GroupId": "48213", "CommandType": type, "MemberList": .array(list)], server)
                }
                func marks(_ user: Int) async throws -> [Int] {
                    try await call("group_open_avchatroom_http_svc/get_members", asked, server)["MemberList"][user][
                        "Marks"
                    ]
                    .array.compactMap(\.int)
                }
                #expect(try await mark(1, ["Member_Account": "guest", "Marks": [1_001, 1_000]]) == 0)
                #expect(try await mark(1, ["Member_Account": "nobody", "Marks": [1_000]]) == 0)
                #expect(
                    try await mark(
                        1, ["Member_Account": "guest", "Marks": [1_002, 1_000]],
                        ["Member_Account": "owner", "Marks": [1_000]])
                        == 0)
                #expect(try await marks(1) == [1_000, 1_001, 1_002])
                #expect(try await marks(0) == [1_000])
                let listed = try await owner.call("room.members", ["room": 48_213, "users": ["guest"]])
                #expect(listed["members"][0]["marks"] == [1_000, 1_001, 1_002])
                #expect(try await mark(2, ["Member_Account": "guest", "Marks": [1_001, 1_009]]) == 0)
                #expect(try await marks(1) == [1_000, 1_002])
                let many: JSON = .array((0..<9).map { .number(Double(2_000 + $0)) })
                #expect(try await mark(1, ["Member_Account": "guest", "Marks": many]) == 10_004)
                #expect(try await marks(1) == [1_000, 1_002], "ten at most")
                for line: [String: JSON] in [
                    ["Member_Account": "guest", "Marks": [999]], ["Member_Account": "guest", "Marks": []],
                    ["Member_Account": "guest"], ["Member_Account": "no one", "Marks": [1_000]],
                    ["Member_Account": "guest", "Marks": ["1000"]], ["Marks": [1_000]],
                ] { #expect(try await mark(1, line) == 10_004, "\(line)") }
                #expect(try await mark(3, ["Member_Account": "guest", "Marks": [1_000]]) == 10_004)
                #expect(try await mark(1) == 10_004)
                // They are of this stay.
                try await guest.call("room.exit", ["room": 48_213])
                try await guest.call("room.enter", ["room": 48_213])
                #expect(try await marks(1) == [])
            }
        }

        @Test("R01-R somebody is muted in all groups for a time, which can be read, and let again")
        func mutedEverywhere() async throws {
            try await TestServer.with { server in
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                func set(_ seconds: JSON) async throws -> Int? {
                    try await code(
                        "openconfigsvr/setnospeaking", ["Set_Account": "owner", "GroupmsgNospeakingTime": seconds],
                        server)
                }
                func left() async throws -> Int? {
                    try await call("openconfigsvr/getnospeaking", ["Get_Account": "owner"], server)[
                        "GroupmsgNospeakingTime"
                    ].int
                }
                #expect(try await left() == 0)
                #expect(try await set(60) == 0)
                #expect((1...60).contains(try await left() ?? 0))
                #expect(try await owner.refusal("message.send", ["room": 48_213, "text": "x"]) == "chat_muted")
                #expect(try await set(4_294_967_295) == 0)
                #expect(try await left() == 4_294_967_295)
                for _ in 0..<2 { #expect(try await set(0) == 0) }
                #expect(try await left() == 0)
                try await owner.call("message.send", ["room": 48_213, "text": "x"])
                for wrong: JSON in [
                    ["Set_Account": "owner"], ["Set_Account": "owner", "C2CmsgNospeakingTime": 60],
                    ["Set_Account": "no one", "GroupmsgNospeakingTime": 60],
                    ["Set_Account": "owner", "GroupmsgNospeakingTime": -1], ["GroupmsgNospeakingTime": 60],
                ] { #expect(try await code("openconfigsvr/setnospeaking", wrong, server) == 10_004, "\(wrong)") }
                #expect(try await code("openconfigsvr/getnospeaking", [:], server) == 10_004)
            }
        }

        @Test("R01-R people are muted and banned for a time, listed, and let again")
        func people() async throws {
            try await TestServer.with { server in
                let owner = try await server.signedIn("owner")
                let guest = try await server.signedIn("guest")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                try await guest.call("room.enter", ["room": 48_213])
                func members(_ more: [String: JSON]) -> JSON {
                    .object(["GroupId": "48213", "Members_Account": ["guest"]].merging(more) { $1 })
                }
                #expect(try await code("forbid_send_msg", members(["MuteTime": 60]), server) == 0)
                await #expect(throws: SignalClient.Refused.self) {
                    try await guest.call("message.send", ["room": 48_213, "text": "x"])
                }
                let muted = try await call("get_group_muted_account", ["GroupId": "48213"], server)
                #expect(muted["GroupId"] == "48213" && muted["MutedAccountList"][0]["Member_Account"] == "guest")
                #expect((muted["MutedAccountList"][0]["MutedUntil"].int ?? 0) > 1_700_000_000)
                #expect(try await code("forbid_send_msg", members(["MuteTime": 4_294_967_295]), server) == 0)
                let forever = try await call("get_group_muted_account", ["GroupId": "48213"], server)
                #expect(forever["MutedAccountList"][0]["MutedUntil"] == 4_294_967_295)
                for _ in 0..<2 { #expect(try await code("forbid_send_msg", members(["MuteTime": 0]), server) == 0) }
                try await guest.call("message.send", ["room": 48_213, "text": "x"])

                #expect(try await code("delete_group_member", members([:]), server) == 10_004)
                let ban = members(["Duration": 60, "Description": "spam"])
                #expect(try await code("ban_group_member", ban, server) == 0)
                await #expect(throws: SignalClient.Refused.self) {
                    try await guest.call("room.enter", ["room": 48_213])
                }
                let banned = try await call("get_group_ban_member", ["GroupId": "48213"], server)
                #expect(banned["BannedAccountList"][0]["Member_Account"] == "guest")
                #expect(try await code("unban_group_member", members([:]), server) == 0)
                try await guest.call("room.enter", ["room": 48_213])
                for (wrong, code) in [
                    (members(["Duration": 0]), 10_004), (members(["Duration": -1]), 10_004),
                    (members(["Duration": 60, "Members_Account": []]), 10_004),
                    (members(["Duration": 60, "Members_Account": ["no one"]]), 10_004),
                    (members(["Duration": 60, "Members_Account": .array((0..<21).map { .string("g\($0)") })]), 10_004),
                    (members(["Duration": 60, "Description": .string(String(repeating: "x", count: 1_001))]), 10_004),
                ] as [(JSON, Int)] {
                    #expect(try await self.code("ban_group_member", wrong, server) == code, "\(wrong)")
                }
                let imported: JSON = ["UserID": "new", "Nick": "New one", "FaceUrl": "https://example.org/a.png"]
                #expect(try await code("im_open_login_svc/account_import", imported, server) == 0)
                let named = text("hi", ["From_Account": "new"])
                #expect(try await code("send_group_msg", named, server) == 0)
                try await owner.event("message") { $0["text"] == "hi" && $0["from"]["name"] == "New one" }
                #expect(try await code("im_open_login_svc/kick", ["UserID": "guest"], server) == 0)
                try await guest.first("the end") { $0["method"] == "session.closed" }
                #expect(try await code("im_open_login_svc/kick", ["UserID": "no one"], server) == 10_004)
                let script: JSON = ["UserID": "new", "Nick": "x", "FaceUrl": "javascript:alert(1)"]
                #expect(try await code("im_open_login_svc/account_import", script, server) == 10_004)
            }
        }
    }
}
