import Foundation
import Ovation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    @Suite struct ChatTests {
        @Test(
            "E07-C data keeps its bytes and its priority on the way, text or not; a room's own commands look as published"
        )
        func messages() throws {
            let samples: [Data] = [
                Data(), Data("{\"cmd\":\"x\"}".utf8), Data([0, 255, 254, 10]), Data("꽃 🌸".utf8), Data([0xc3, 0x28]),
            ]
            for data in samples {
                for priority in V2TIMMessagePriority.allCases {
                    guard case .custom(let command, let message) = GroupMessage.body(data, priority) else {
                        Issue.record("no custom message")
                        continue
                    }
                    #expect(GroupMessage.isOne(command) && command.utf8.count <= 64)
                    #expect(GroupMessage.data(command: command, message: message) == data)
                    #expect(command.contains("High") == (priority == .PRIORITY_HIGH))
                    #expect(command.contains("Low") == (priority == .PRIORITY_LOW))
                }
            }
            #expect(!GroupMessage.isOne("TIMCustomElement") && !GroupMessage.isOne("CMD_LIKE"))
            let published = try #require(GroupMessage.data(command: "CMD_LIKE", message: "3"))
            #expect(
                String(decoding: published, as: UTF8.self)
                    == #"{"action":301,"command":"CMD_LIKE","message":"3","version":"1.0"}"#)
        }

        @Test(
            "A07-C a group of digits is the room of that number; with a tilde the room of that text; else the text itself"
        )
        func groups() {
            #expect(GroupID.room("123") == .number(123))
            #expect(GroupID.room("~123") == .string("123"))
            for text in ["~", "~~", "~123", "~~123", "~x", "~1x"] {
                #expect(GroupID.room(GroupID.text(.string(text))) == .string(text), "\(text)")
            }
            #expect(GroupID.room("@TGS#12DEVUDHQ") == .string("@TGS#12DEVUDHQ"))
            for nothing in ["", "0", "4294967295", "99999999999", String(repeating: "a", count: 65), "a/b"] {
                #expect(GroupID.room(nothing) == nil, "\(nothing)")
            }
            for room in [RoomID.number(7), .string("7"), .string("salon"), .string("@TGS#1"), .string("~x")] {
                #expect(GroupID.room(GroupID.text(room)) == room)
            }
        }

        @Test("A07-C E07-C 123 and ~123 are different rooms, and so is one whose id a server made")
        func differentRooms() async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                for (name, room) in [("one", 123 as JSON), ("two", "123"), ("three", "@TGS#12DEVUDHQ")] {
                    let owner = try await server.signedIn("owner-\(name)")
                    try await owner.call("room.create", ["room": room, "name": "Room"])
                    let group = ["one": "123", "two": "~123", "three": "@TGS#12DEVUDHQ"][name] ?? ""
                    let manager = V2TIMManager()
                    let listener = ProductPopUp(manager)
                    listener.listen()
                    #expect(await signIn(manager, "guest-\(name)", server) == 0)
                    #expect(await ended { manager.joinGroup(group, succ: $0, fail: $1) } == 0)
                    try await owner.call("message.send", ["room": room, "text": .string(name)])
                    #expect(try await listener.notes.line("text") == "text in \(group): \(name)")
                    #expect(await ended { manager.joinGroup("999", succ: $0, fail: $1) } != 0)
                    #expect(await ended { manager.logout($0, fail: $1) } == 0)
                }
            }
        }

        @Test("E07-C R01-R what a back end sends by REST as published reaches a listener as published")
        func fromBackEnds() async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["room": "@TGS#12DEVUDHQ", "name": "Shop"])
                let manager = V2TIMManager()
                let listener = ProductPopUp(manager)
                listener.listen()
                #expect(await signIn(manager, "guest", server) == 0)
                #expect(await ended { manager.joinGroup("@TGS#12DEVUDHQ", succ: $0, fail: $1) } == 0)
                let item: JSON = ["itemNumber": 1, "itemPrice": 199.0, "itemTitle": "xxx", "itemUrl": "xxx"]
                let data: JSON = ["cmd": "item_popup_msg", "msg": item]
                let element: JSON = ["MsgType": "TIMCustomElem", "MsgContent": ["Data": .string(data.text)]]
                let answer = try await PlainHTTP.post(
                    "/v4/group_open_http_svc/send_group_msg?sdkappid=\(TestServer.application)"
                        + "&identifier=administrator&usersig=\(try server.ticket("administrator"))"
                        + "&random=99999999&contenttype=json",
                    [
                        "GroupId": "@TGS#12DEVUDHQ", "Random": 2_784_275_388, "MsgPriority": "High",
                        "MsgBody": [element],
                    ],
                    port: server.port)
                #expect(answer.json["ActionStatus"] == "OK")
                #expect(
                    try await listener.notes.line("popup")
                        == "popup in @TGS#12DEVUDHQ by administrator/: 1 199.0 xxx xxx")
                #expect(await ended { manager.logout($0, fail: $1) } == 0)
            }
        }

        @Test("R01-R messages to one person come from users and back ends, in no group; who is away is told")
        func toOne() async throws {
            final class Listener: V2TIMSimpleMsgListener, Sendable {
                let notes = Notes()
                func onRecvC2CTextMessage(_ msgID: String!, sender info: V2TIMUserInfo!, text: String!) {
                    let who = [info.userID, info.nickName, info.faceURL].compactMap(\.self).joined(separator: "/")
                    notes.write("text \(msgID ?? "") by \(who): \(text ?? "")")
                }
                func onRecvC2CCustomMessage(_ msgID: String!, sender info: V2TIMUserInfo!, customData data: Data!) {
                    notes.write("custom \(msgID ?? "") by \(info.userID ?? ""): \(Array(data ?? Data()))")
                }
            }
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let (alice, bob) = (V2TIMManager(), V2TIMManager())
                #expect(await ended { alice.sendC2CTextMessage("hi", to: "bob", succ: $0, fail: $1) } == 6_014)
                #expect(await signIn(alice, "alice", server) == 0)
                #expect(await ended { alice.sendC2CTextMessage("hi", to: "bob", succ: $0, fail: $1) } == -1)
                #expect(await ended { alice.sendC2CTextMessage("hi", to: "no one", succ: $0, fail: $1) } == 6_017)
                #expect(await signIn(bob, "bob", server) == 0)
                let listener = Listener()
                bob.addSimpleMsgListener(listener: listener)
                let ids = Notes()
                #expect(
                    await ended { ids.write(alice.sendC2CTextMessage("hi", to: "bob", succ: $0, fail: $1)) } == 0)
                let id = try #require(ids.lines.first)
                #expect(try await listener.notes.line("text").hasPrefix("text \(id) by alice/"))
                let bytes = Data([0, 255, 10])
                #expect(
                    await ended { alice.sendC2CCustomMessage(bytes, to: "bob", succ: $0, fail: $1) } == 0)
                #expect(try await listener.notes.line("custom").hasSuffix("by alice: [0, 255, 10]"))
                listener.notes.clear()
                let answer = try await PlainHTTP.post(
                    "/v4/openim/sendmsg?sdkappid=\(TestServer.application)"
                        + "&identifier=administrator&usersig=\(try server.ticket("administrator"))&random=1&contenttype=json",
                    [
                        "To_Account": "bob", "MsgRandom": 7,
                        "MsgBody": [["MsgType": "TIMTextElem", "MsgContent": ["Text": "your parcel is here"]]],
                    ], port: server.port)
                let key = try #require(answer.json["MsgKey"].string)
                #expect(
                    try await listener.notes.line("text")
                        == "text \(key) by administrator//: your parcel is here")
                for manager in [alice, bob] { #expect(await ended { manager.logout($0, fail: $1) } == 0) }
            }
        }

        @Test(
            "E07-C R01-R a group's attributes are read and changed, its listeners hear of them, and of what a back end tells all"
        )
        func groupListeners() async throws {
            final class Listener: V2TIMGroupListener, Sendable {
                let notes = Notes()
                func onReceiveRESTCustomData(_ groupID: String!, data: Data!) {
                    notes.write("notice in \(groupID ?? ""): \(String(decoding: data ?? Data(), as: UTF8.self))")
                }
                func onGroupAttributeChanged(_ groupID: String!, attributes: NSMutableDictionary!) {
                    notes.write("attributes of \(groupID ?? ""): \(listed(attributes))")
                }
            }
            @Sendable func listed(_ attributes: NSMutableDictionary?) -> String {
                let texts = (attributes as? [String: String]) ?? [:]
                return texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            }
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let host = try await server.signedIn("owner")
                try await host.call("room.create", ["room": 66, "name": "Room"])
                try await host.call("attributes.set", ["room": 66, "set": ["theme": "moon"]])
                let manager = V2TIMManager()
                let listener = Listener()
                manager.addGroupListener(listener: listener)
                #expect(await signIn(manager, "alice", server) == 0)
                func read(_ keys: [String]?) async -> String {
                    await withCheckedContinuation { continuation in
                        manager.getGroupAttributes("66", keys: keys) {
                            continuation.resume(returning: listed($0))
                        } fail: { code, _ in
                            continuation.resume(returning: "\(code)")
                        }
                    }
                }
                #expect(await read(nil) == "10007", "not joined yet")
                #expect(await ended { manager.joinGroup("66", succ: $0, fail: $1) } == 0)
                #expect(await read(nil) == "theme=moon")
                #expect(
                    await ended { manager.setGroupAttributes("66", attributes: ["a": "1"], succ: $0, fail: $1) } != 0)
                try await host.call("role.set", ["room": 66, "user": "alice", "role": "admin"])
                #expect(
                    await ended { manager.setGroupAttributes("66", attributes: ["a": "1"], succ: $0, fail: $1) } == 0)
                #expect(try await listener.notes.line("attributes") == "attributes of 66: a=1 theme=moon")
                #expect(await read(["a", "none"]) == "a=1")
                // A change is told after its callback; what has been told is what is read.
                listener.notes.clear()
                #expect(
                    await ended { manager.deleteGroupAttributes("66", keys: ["theme"], succ: $0, fail: $1) } == 0)
                #expect(try await listener.notes.line("attributes") == "attributes of 66: a=1")
                #expect(await read(nil) == "a=1")
                listener.notes.clear()
                #expect(
                    await ended { manager.initGroupAttributes("66", attributes: ["b": "2"], succ: $0, fail: $1) } == 0)
                #expect(try await listener.notes.line("attributes") == "attributes of 66: b=2")
                listener.notes.clear()
                #expect(await ended { manager.deleteGroupAttributes("66", keys: nil, succ: $0, fail: $1) } == 0)
                #expect(try await listener.notes.line("attributes") == "attributes of 66: ")
                let succ: V2TIMGetGroupAttributesSucc = { #expect(listed($0) == "") }
                manager.getGroupAttributes("66", keys: nil, succ: succ)
                let answer = try await PlainHTTP.post(
                    "/v4/group_open_http_svc/send_group_system_notification?sdkappid=\(TestServer.application)"
                        + "&identifier=administrator&usersig=\(try server.ticket("administrator"))&random=1&contenttype=json",
                    ["GroupId": "66", "Content": "ten minutes left"], port: server.port)
                #expect(answer.json["ActionStatus"] == "OK")
                #expect(try await listener.notes.line("notice") == "notice in 66: ten minutes left")
                manager.removeGroupListener(listener: listener)
                #expect(await ended { manager.logout($0, fail: $1) } == 0)
            }
        }

        @Test("E07-C a listener that was removed hears nothing more; a group that has ended is no longer one's own")
        func leaving() async throws {
            final class Quiet: V2TIMSimpleMsgListener, Sendable {
                let notes = Notes()
                func onRecvGroupTextMessage(
                    _ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, text: String!
                ) { notes.write(text) }
            }
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["room": 65, "name": "Room"])
                let manager = V2TIMManager()
                let (stays, goes) = (Quiet(), Quiet())
                manager.addSimpleMsgListener(listener: stays)
                manager.addSimpleMsgListener(listener: goes)
                #expect(await signIn(manager, "alice", server) == 0)
                #expect(await ended { manager.joinGroup("65", succ: $0, fail: $1) } == 0)
                try await owner.call("message.send", ["room": 65, "text": "one"])
                for listener in [stays, goes] { try await listener.notes.line("one") }
                manager.removeSimpleMsgListener(listener: goes)
                try await owner.call("message.send", ["room": 65, "text": "two"])
                try await stays.notes.line("two")
                try await owner.call("room.destroy", ["room": 65])
                try await owner.call("room.create", ["room": 66, "name": "Another"])
                // Its end has been told by the time that another room is entered.
                #expect(await ended { manager.joinGroup("66", succ: $0, fail: $1) } == 0)
                #expect(await ended { manager.quitGroup("65", succ: $0, fail: $1) } == 10_007)
                #expect(await ended { manager.quitGroup("66", succ: $0, fail: $1) } == 0)
                #expect(goes.notes.lines == ["one"])
            }
        }

        @Test(
            "E07-C A04-C V17-C the chat client has the published codes: no application, no login, no ticket, a bad one, no group"
        )
        func refusals() async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let manager = V2TIMManager()
                #expect(await ended { manager.login("alice", userSig: "x", succ: $0, fail: $1) } == 6_013)
                #expect(!manager.initSDK(0))
                #expect(manager.initSDK(Int32(TestServer.application), config: V2TIMSDKConfig()))
                #expect(await ended { manager.login("alice", userSig: "x", succ: $0, fail: $1) } == -100_018)
                #expect(await ended { manager.login("", userSig: "x", succ: $0, fail: $1) } == 6_017)
                #expect(await ended { manager.login("alice", userSig: nil, succ: $0, fail: $1) } == 6_017)
                #expect(await ended { manager.joinGroup("1", succ: $0, fail: $1) } == 6_014)
                #expect(await ended { manager.logout($0, fail: $1) } == 6_014)
                #expect(
                    await ended {
                        _ = manager.sendGroupCustomMessage(Data(), to: "1", priority: .PRIORITY_LOW, succ: $0, fail: $1)
                    } == 6_014)
                #expect(await signIn(manager, "alice", server) == 0)
                #expect(manager.getLoginUser() == "alice")
                for (group, wanted) in [("1", 10_010), ("", 10_015), ("no/group", 10_015)] as [(String, Int32)] {
                    let code = await ended {
                        _ = manager.sendGroupCustomMessage(
                            Data("x".utf8), to: group, priority: .PRIORITY_NORMAL, succ: $0, fail: $1)
                    }
                    #expect(code == wanted, "\(group)")
                }
                // Another user's login ends the present one's, whatever comes of it.
                #expect(await ended { manager.login("bob", userSig: "x", succ: $0, fail: $1) } == -100_018)
                #expect(manager.getLoginUser() == nil)
                #expect(await signIn(manager, "alice", server) == 0)
                manager.unInitSDK()
                #expect(manager.getLoginUser() == nil)
            }
        }
    }
}
