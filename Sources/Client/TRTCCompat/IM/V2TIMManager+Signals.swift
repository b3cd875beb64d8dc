public import Foundation
internal import Ovation
internal import SignalProtocol

extension V2TIMManager {
    // MARK: - Messages to one user

    /// Sends a text to one user, wherever they are signed in. The server keeps none: `fail` is called (-1, `user_away`) if the user is not
    /// signed in.
    /// - Returns: the id that the message will have.
    @discardableResult
    public func sendC2CTextMessage(
        _ text: String!, to userID: String!, succ: V2TIMSucc? = nil, fail: V2TIMFail? = nil
    ) -> String! {
        send(.text((text as String?) ?? ""), to: userID, reply(succ, fail))
    }

    /// Sends a custom message to one user; else like `sendC2CTextMessage`.
    @discardableResult
    public func sendC2CCustomMessage(
        _ customData: Data!, to userID: String!, succ: V2TIMSucc? = nil, fail: V2TIMFail? = nil
    ) -> String! {
        let body = GroupMessage.body((customData as Data?) ?? Data(), .PRIORITY_NORMAL)
        return send(body, to: userID, reply(succ, fail))
    }

    private func send(_ body: MessageBody, to userID: String?, _ reply: ActionReply) -> String {
        let id = UUID().uuidString
        guard let share = signedIn(reply) else { return id }
        guard let user = userID.flatMap({ UserID($0) }) else {
            reply(TRTCCode.invalidParameters, "a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
            return id
        }
        share.client.perform(.sendSignal(SignalDraft(to: user, body, id: id))) { reply.answerChat($0) }
        return id
    }

    static func tell(_ signal: Signal, to listener: any V2TIMSimpleMsgListener) {
        let id = signal.id ?? ""
        let sender = V2TIMUserInfo(
            userID: signal.from.id.rawValue, nickName: signal.from.name, faceURL: signal.from.avatar)
        switch signal.body {
        case .text(let text): listener.onRecvC2CTextMessage(id, sender: sender, text: text)
        case .custom(let command, let text):
            guard let data = GroupMessage.data(command: command, message: text) else { return }
            listener.onRecvC2CCustomMessage(id, sender: sender, customData: data)
        }
    }
}
