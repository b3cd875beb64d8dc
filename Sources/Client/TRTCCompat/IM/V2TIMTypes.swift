public import Foundation

/// It worked.
public typealias V2TIMSucc = () -> Void
/// It did not: a code and a sentence.
public typealias V2TIMFail = (_ code: Int32, _ desc: String?) -> Void

/// How much a message matters when there are too many.
public enum V2TIMMessagePriority: Int, Sendable, CaseIterable {
    /// As `PRIORITY_NORMAL`.
    case PRIORITY_DEFAULT = 0
    /// For what must not be missed: products, gifts.
    case PRIORITY_HIGH = 1
    /// For what people write.
    case PRIORITY_NORMAL = 2
    /// For what comes in crowds: likes.
    case PRIORITY_LOW = 3
}

/// The name in Objective-C.
public let V2TIM_PRIORITY_DEFAULT = V2TIMMessagePriority.PRIORITY_DEFAULT
/// The name in Objective-C.
public let V2TIM_PRIORITY_HIGH = V2TIMMessagePriority.PRIORITY_HIGH
/// The name in Objective-C.
public let V2TIM_PRIORITY_NORMAL = V2TIMMessagePriority.PRIORITY_NORMAL
/// The name in Objective-C.
public let V2TIM_PRIORITY_LOW = V2TIMMessagePriority.PRIORITY_LOW

/// Settings of the chat client. None of the reference's means anything here.
public final class V2TIMSDKConfig {
    /// There is nothing to set.
    public init() {}
}

/// Who sent a message.
public final class V2TIMGroupMemberInfo {
    /// The user id.
    public var userID: String?
    /// As shown to others.
    public var nickName: String?
    /// The picture of the user.
    public var faceURL: String?

    /// A sender, as far as known.
    public init(userID: String? = nil, nickName: String? = nil, faceURL: String? = nil) {
        self.userID = userID
        self.nickName = nickName
        self.faceURL = faceURL
    }
}

/// Who hears messages, on the main queue. One's own messages are not among them.
public protocol V2TIMSimpleMsgListener: AnyObject {
    /// A text to everybody in a group.
    func onRecvGroupTextMessage(_ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, text: String!)
    /// Data to everybody in a group.
    func onRecvGroupCustomMessage(
        _ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, customData data: Data!)
}

extension V2TIMSimpleMsgListener {
    public func onRecvGroupTextMessage(
        _ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, text: String!
    ) {}
    public func onRecvGroupCustomMessage(
        _ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, customData data: Data!
    ) {}
}

/// Who hears how the connection does, on the main queue.
public protocol V2TIMSDKListener: AnyObject {
    /// The connection is lost; it reconnects automatically.
    func onConnecting()
    /// It is back.
    func onConnectSuccess()
    /// The same user signed in elsewhere: one is logged out.
    func onKickedOffline()
    /// The ticket has run out: one is logged out. Log in with a newer one.
    func onUserSigExpired()
}

extension V2TIMSDKListener {
    public func onConnecting() {}
    public func onConnectSuccess() {}
    public func onKickedOffline() {}
    public func onUserSigExpired() {}
}
