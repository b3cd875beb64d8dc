import Foundation
import HTTP
import RoomEvents
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
import Signalling
import Timing

/// The calls of the chat REST API that rooms answer (R01; references.md). A group is a room.
struct ChatCommands: Sendable {
    /// One command of the API, in its words.
    enum Name: String, CaseIterable, Sendable {
        case sendMessage = "group_open_http_svc/send_group_msg"
        case sendNotification = "group_open_http_svc/send_group_system_notification"
        case sendBroadcast = "group_open_http_svc/send_broadcast_msg"
        case recallMessage = "group_open_http_svc/group_msg_recall"
        case createGroup = "group_open_http_svc/create_group"
        case destroyGroup = "group_open_http_svc/destroy_group"
        case readGroups = "group_open_http_svc/get_group_info"
        case changeGroup = "group_open_http_svc/modify_group_base_info"
        case countMembers = "group_open_http_svc/get_online_member_num"
        case mute = "group_open_http_svc/forbid_send_msg"
        case listMuted = "group_open_http_svc/get_group_muted_account"
        case ban = "group_open_http_svc/ban_group_member"
        case unban = "group_open_http_svc/unban_group_member"
        case listBanned = "group_open_http_svc/get_group_ban_member"
        case deleteMember = "group_open_http_svc/delete_group_member"
        case changeAttributes = "group_open_http_svc/modify_group_attr"
        case setAttributes = "group_open_http_svc/set_group_attr"
        case deleteAttributes = "group_open_http_svc/delete_group_attr"
        case clearAttributes = "group_open_http_svc/clear_group_attr"
        case readAttributes = "group_open_attr_http_svc/get_group_attr"
        case changeCounters = "group_open_http_svc/update_group_counter"
        case readCounters = "group_open_http_svc/get_group_counter"
        case deleteCounters = "group_open_http_svc/delete_group_counter"
        case listMembers = "group_open_avchatroom_http_svc/get_members"
        case markMembers = "group_open_avchatroom_http_svc/modify_user_info"
        case sendSignal = "openim/sendmsg"
        case importAccount = "im_open_login_svc/account_import"
        case kick = "im_open_login_svc/kick"
        case muteEverywhere = "openconfigsvr/setnospeaking"
        case readMute = "openconfigsvr/getnospeaking"
    }

    let rooms: OperatorRooms
    let signIn: SignIn
    let signals: Signals
    /// The operator's, in the whole application.
    let standing: OperatorRestrictions
    let clock: any TimeSource
    private var restrictions: ChatRestrictions { ChatRestrictions(rooms: rooms, standing: standing, clock: clock) }
    private var attributes: ChatAttributes { ChatAttributes(rooms: rooms) }
    private var members: ChatMembers { ChatMembers(rooms: rooms) }
    private var counters: ChatCounters { ChatCounters(attributes: attributes) }

    func perform(_ name: Name, _ request: ChatRequest) async throws(ChatFailure) -> any Encodable & Sendable {
        switch name {
        case .sendMessage: try await sendMessage(request)
        case .sendNotification: try await sendNotification(request)
        case .sendBroadcast: try await sendBroadcast(request)
        case .recallMessage: try await recallMessages(request)
        case .createGroup: try await createGroup(request)
        case .destroyGroup: try await rooms.submit(.destroyRoom, request)
        case .readGroups: try await readGroups(request)
        case .changeGroup: try await changeGroup(request)
        case .countMembers: try await countMembers(request)
        case .mute: try await restrictions.mute(request)
        case .listMuted: try await restrictions.list(.chatMute, request)
        case .ban: try await restrictions.ban(request)
        case .unban: try await restrictions.unban(request)
        case .listBanned: try await restrictions.list(.ban, request)
        case .changeAttributes: try await attributes.change(request)
        case .setAttributes: try await attributes.set(request)
        case .deleteAttributes: try await attributes.delete(request)
        case .clearAttributes: try await attributes.clear(request)
        case .readAttributes: try await attributes.read(request)
        case .changeCounters: try await counters.change(request)
        case .readCounters: try await counters.read(request)
        case .deleteCounters: try await counters.delete(request)
        case .listMembers: try await members.list(request)
        case .markMembers: try await members.mark(request)
        // As documented for rooms without a list of members: mute or ban instead.
        case .deleteMember: throw ChatFailure(10_004, "members of such a group are muted or banned, not deleted")
        case .sendSignal: try ChatSignals(signals: signals, clock: clock).send(request, as: try await sender(request))
        case .importAccount: try await importAccount(request)
        case .kick: try await kick(request)
        case .muteEverywhere: try await restrictions.muteEverywhere(request)
        case .readMute: try restrictions.readMute(request)
        }
    }

    // MARK: Messages

    private struct Sent: Encodable, Sendable {
        var MsgTime: Int64
        var MsgSeq: UInt64
        var MsgDropReason: String?
    }

    private func sendMessage(_ request: ChatRequest) async throws(ChatFailure) -> Sent {
        let room = try request.group()
        let priority = try ChatMessages.priority(try request.optionalText("MsgPriority"))
        let random = try request.optionalNumber("Random", in: 0...Int(UInt32.max))
        if request.has("To_Account") { throw .invalid("To_Account") }
        let bodies = try ChatMessages.bodies(
            try request.objects("MsgBody", limit: ChatMessages.elements), priority)
        let sender = try await sender(request)
        var sent = Sent(MsgTime: clock.wallTime.secondsSince1970, MsgSeq: 0)
        for (index, body) in bodies.enumerated() {
            let key = ChatMessages.key(random: random, body, index: index)
            do throws(Refusal) {
                let outcome = try await rooms.submit(
                    .sendMessage(MessageDraft(body, priority: priority)), to: room, in: request.application,
                    by: .operator(request.caller, as: sender), key: key)
                guard case .sent(let chat, let time) = outcome.result else { continue }
                sent = Sent(MsgTime: time / 1_000, MsgSeq: chat)
            } catch {
                guard error.error.code == .rateLimited else { throw ChatFailure(error) }
                // As documented: nothing is wrong, and nobody sees it.
                sent.MsgDropReason = "MsgFreqCtrl"
            }
        }
        return sent
    }

    private func sendNotification(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        if request.has("ToMembers_Account") { throw .invalid("ToMembers_Account") }
        let notice = MessageBody.custom(command: "TIMGroupSystemNotice", message: try request.text("Content"))
        return try await rooms.submit(.sendMessage(MessageDraft(notice, priority: .high)), request)
    }

    /// To all rooms of the application, one after the other. Who has spent its budget is passed over.
    private func sendBroadcast(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        let bodies = try ChatMessages.bodies(
            try request.objects("MsgBody", limit: ChatMessages.elements), .high)
        do throws(Refusal) {
            try await rooms.forEach(in: request.application) { info throws(Refusal) in
                for body in bodies {
                    let command = RoomCommand.sendMessage(MessageDraft(body, priority: .high))
                    _ = try? await rooms.submit(
                        command, to: info.room, in: request.application, by: .operator(request.caller))
                }
            }
        } catch {
            throw ChatFailure(error)
        }
        return ChatNothing()
    }

    private struct Recalled: Encodable, Sendable {
        struct Line: Encodable, Sendable {
            var MsgSeq: UInt64
            var RetCode: Int
        }
        var RecallRetList: [Line]
    }

    private func recallMessages(_ request: ChatRequest) async throws(ChatFailure) -> Recalled {
        let room = try request.group()
        var numbers: [UInt64] = []
        for object in try request.objects("MsgSeqList", limit: 10) {
            guard let number = wholeNumber(object["MsgSeq"]), let number = UInt64(exactly: number) else {
                throw .invalid("MsgSeq")
            }
            numbers.append(number)
        }
        var lines: [Recalled.Line] = []
        for number in numbers {
            do throws(Refusal) {
                _ = try await rooms.submit(
                    .deleteMessage(DeleteMessage(number)), to: room, in: request.application,
                    by: .operator(request.caller))
                lines.append(.init(MsgSeq: number, RetCode: 0))
            } catch {
                if error.error.code == .roomNotFound || error.error.code == .roomClosed { throw ChatFailure(error) }
                lines.append(.init(MsgSeq: number, RetCode: ChatFailure(error).code))
            }
        }
        return Recalled(RecallRetList: lines)
    }

    // MARK: Groups

    private struct Created: Encodable, Sendable { var GroupId: String }

    private func createGroup(_ request: ChatRequest) async throws(ChatFailure) -> Created {
        let type = try request.text("Type")
        guard ["AVChatRoom", "ChatRoom", "Meeting", "Public", "Private", "Work", "Community"].contains(type) else {
            throw .invalid("Type")
        }
        // People enter by themselves.
        if request.has("MemberList") { throw .invalid("MemberList") }
        let name = try request.text("Name")
        let cover = try request.optionalText("FaceUrl") ?? ""
        var wanted = GroupName.make()
        if let id = try request.optionalText("GroupId"), !id.isEmpty {
            guard !id.hasPrefix("@TGS#"), let room = RoomSlug.id(id) else {
                throw ChatFailure(10_015, "GroupId begins with @TGS# only where the server has made it")
            }
            wanted = room
        }
        let owner = request.has("Owner_Account") ? try request.user("Owner_Account") : request.admin.id
        let host = try await profile(owner, request)
        let creation = RoomCreation(
            room: wanted, kind: .voice, settings: RoomSettings(name: name, cover: cover),
            seats: Array(repeating: SeatSetup(), count: 8))
        let overview: RoomOverview
        let application = request.application
        let caller = request.caller
        do throws(Refusal) {
            overview = try await rooms.asked {
                await rooms.rooms.found(creation, in: application, for: host, by: caller, key: nil, reply: $0)
            }
        } catch {
            // The owner's own group of that id has a number of its own.
            if error.error.code == .roomIDTaken, let wanted,
                rooms.rooms.infos([wanted], of: request.application).first?.owner.id == owner
            {
                throw ChatFailure(10_025, "the owner has a group of that id already")
            }
            throw ChatFailure(error)
        }
        return Created(GroupId: RoomSlug.text(overview.info.room))
    }

    private struct GroupList: Encodable, Sendable {
        struct Line: Encodable, Sendable {
            var GroupId: String
            var ErrorCode = 0
            var ErrorInfo = ""
            var `Type`: String?
            var Name: String?
            var FaceUrl: String?
            var Owner_Account: UserID?
            var CreateTime: Int64?
            var MemberNum: Int?
            var NextMsgSeq: UInt64?
            var MuteAllMember: String?
            var ApplyJoinOption: String?
        }
        var GroupInfo: [Line]
    }

    private func readGroups(_ request: ChatRequest) async throws(ChatFailure) -> GroupList {
        var lines: [GroupList.Line] = []
        for id in try request.texts("GroupIdList", limit: 50) {
            guard let room = RoomSlug.id(id) else {
                lines.append(.init(GroupId: id, ErrorCode: 10_015, ErrorInfo: "this is no group's id"))
                continue
            }
            do throws(Refusal) {
                let found = try await rooms.find(room, in: request.application)
                let overview: RoomOverview = try await rooms.asked { await found.overview(reply: $0) }
                let info = overview.info
                lines.append(
                    .init(
                        GroupId: RoomSlug.text(info.room), Type: "AVChatRoom", Name: info.name, FaceUrl: info.cover,
                        Owner_Account: info.owner.id, CreateTime: info.createdAt / 1_000, MemberNum: info.memberCount,
                        NextMsgSeq: overview.chat + 1, MuteAllMember: info.chat?.hostsOnly == true ? "On" : "Off",
                        ApplyJoinOption: "FreeAccess"))
            } catch {
                let failure = ChatFailure(error)
                lines.append(.init(GroupId: id, ErrorCode: failure.code, ErrorInfo: failure.info))
            }
        }
        return GroupList(GroupInfo: lines)
    }

    private func changeGroup(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        var update = RoomUpdate()
        update.name = try request.optionalText("Name")
        update.cover = try request.optionalText("FaceUrl")
        switch try request.optionalText("MuteAllMember") {
        case nil: break
        case "On": update.hostsOnly = true
        case "Off": update.hostsOnly = false
        default: throw .invalid("MuteAllMember")
        }
        return try await rooms.submit(.updateRoom(update), request)
    }

    private struct Count: Encodable, Sendable { var OnlineMemberNum: Int }

    private func countMembers(_ request: ChatRequest) async throws(ChatFailure) -> Count {
        let room = try request.group()
        let overview = try await rooms.overview(of: room, request)
        return Count(OnlineMemberNum: overview.info.memberCount)
    }

    // MARK: People

    /// In whose name something is said.
    private func sender(_ request: ChatRequest) async throws(ChatFailure) -> UserProfile {
        request.has("From_Account") ? try await profile(try request.user("From_Account"), request) : request.admin
    }

    private func profile(_ user: UserID, _ request: ChatRequest) async throws(ChatFailure) -> UserProfile {
        try await rooms.asking { () async throws(Refusal) -> UserProfile in
            try await signIn.profiles([user], in: request.application).first?.brief ?? UserProfile(id: user)
        }
    }

    /// Signs somebody out everywhere.
    private func kick(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        // An older version of the call says Identifier.
        let user = try request.user(request.has("UserID") ? "UserID" : "Identifier")
        await standing.people.end(user, in: request.application, why: .signedOut)
        return ChatNothing()
    }

    private func importAccount(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        // An older version of the call says Identifier.
        let user = try request.user(request.has("UserID") ? "UserID" : "Identifier")
        var profile = try await profile(user, request)
        if let name = try request.optionalText("Nick"), !name.isEmpty {
            profile.name = DirectionMarks.withoutIdle(name)
        }
        if let avatar = try request.optionalText("FaceUrl") { profile.avatar = avatar }
        let wanted = profile
        try await rooms.asking { () async throws(Refusal) in
            try SignIn.check(name: wanted.name, avatar: wanted.avatar)
            try await signIn.save(wanted, in: request.application)
        }
        return ChatNothing()
    }
}
