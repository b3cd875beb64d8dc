public import Foundation

/// It worked.
public typealias V2TIMSucc = () -> Void
/// It did not: a code and a sentence.
public typealias V2TIMFail = (_ code: Int32, _ desc: String?) -> Void

/// How much a message matters when there are too many.
public enum V2TIMMessagePriority: Int, Sendable, CaseIterable {
    case PRIORITY_DEFAULT = 0
    case PRIORITY_HIGH = 1
    case PRIORITY_NORMAL = 2
    case PRIORITY_LOW = 3
}

// The names in Objective-C.
public let V2TIM_PRIORITY_DEFAULT = V2TIMMessagePriority.PRIORITY_DEFAULT
public let V2TIM_PRIORITY_HIGH = V2TIMMessagePriority.PRIORITY_HIGH
public let V2TIM_PRIORITY_NORMAL = V2TIMMessagePriority.PRIORITY_NORMAL
public let V2TIM_PRIORITY_LOW = V2TIMMessagePriority.PRIORITY_LOW

/// Settings of the chat client. None of the reference's means anything here.
public final class V2TIMSDKConfig {
    public init() {}
}

/// Who sent a message.
public final class V2TIMGroupMemberInfo {
    public var userID: String?
    public var nickName: String?
    public var faceURL: String?

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
