internal import Foundation
internal import Ovation
internal import SignalProtocol

// What an app keeps with a group for everybody in it: attributes of the room. The owner and admins change them, up to 16, five times a second
// in a group. A change is told by `onGroupAttributeChanged`, after the callback of the call that made it.

extension V2TIMManager {
    /// Replaces all attributes of a group.
    public func initGroupAttributes(
        _ groupID: String!, attributes: [String: String]!, succ: V2TIMSucc? = nil, fail: V2TIMFail? = nil
    ) {
        change(groupID, AttributesDraft(set: attributes ?? [:], replace: true), reply(succ, fail))
    }

    /// Changes attributes of a group, or adds them; the others stay.
    public func setGroupAttributes(
        _ groupID: String!, attributes: [String: String]!, succ: V2TIMSucc? = nil, fail: V2TIMFail? = nil
    ) {
        change(groupID, AttributesDraft(set: attributes ?? [:]), reply(succ, fail))
    }

    /// Deletes attributes of a group.
    /// - Parameter keys: their names. nil: all of them.
    public func deleteGroupAttributes(
        _ groupID: String!, keys: [String]!, succ: V2TIMSucc? = nil, fail: V2TIMFail? = nil
    ) {
        let keys = keys as [String]?
        change(groupID, AttributesDraft(remove: keys ?? [], replace: keys == nil), reply(succ, fail))
    }

    /// Reads attributes of a group that one has joined, as far as their changes have been told.
    /// - Parameter keys: their names. nil: all of them.
    public func getGroupAttributes(
        _ groupID: String!, keys: [String]!, succ: V2TIMGetGroupAttributesSucc? = nil, fail: V2TIMFail? = nil
    ) {
        guard let (share, room) = place(groupID, reply(nil, fail)) else { return }
        guard let session = share.connection.session(of: room) else {
            return reply(nil, fail)(TRTCCode.notInGroup, "not in group \(GroupID.text(room))")
        }
        let (attributes, keys) = (session.state.attributes, keys as [String]?)
        let asked = attributes.filter { name, _ in keys?.contains(name) ?? true }
        reply({ succ?(NSMutableDictionary(dictionary: asked)) }, nil)()
    }

    private func change(_ group: String?, _ draft: AttributesDraft, _ reply: ActionReply) {
        guard let (share, room) = place(group, reply) else { return }
        share.client.perform(.rooms(.command(room, .setAttributes(draft), key: nil))) { reply.answerChat($0) }
    }
}
