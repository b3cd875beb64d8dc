public import Foundation

/// Called on success.
public typealias V2TIMSucc = () -> Void
/// Called on failure, with a code and a message.
public typealias V2TIMFail = (_ code: Int32, _ desc: String?) -> Void

/// Called on success, with the attributes of a group by their names.
public typealias V2TIMGetGroupAttributesSucc = (_ groupAttributeList: NSMutableDictionary?) -> Void

/// The priority of a message. Under load, messages of low priority are dropped first.
public enum V2TIMMessagePriority: Int, Sendable, CaseIterable {
    /// As `PRIORITY_NORMAL`.
    case PRIORITY_DEFAULT = 0
    /// For messages that must arrive, such as products and gifts.
    case PRIORITY_HIGH = 1
    /// For messages that people write.
    case PRIORITY_NORMAL = 2
    /// For messages that come in large numbers, such as likes.
    case PRIORITY_LOW = 3
}

/// The same, with its name in Objective-C.
public let V2TIM_PRIORITY_DEFAULT = V2TIMMessagePriority.PRIORITY_DEFAULT
/// The same, with its name in Objective-C.
public let V2TIM_PRIORITY_HIGH = V2TIMMessagePriority.PRIORITY_HIGH
/// The same, with its name in Objective-C.
public let V2TIM_PRIORITY_NORMAL = V2TIMMessagePriority.PRIORITY_NORMAL
/// The same, with its name in Objective-C.
public let V2TIM_PRIORITY_LOW = V2TIMMessagePriority.PRIORITY_LOW

/// Settings of the chat client. The published settings have no effect here.
public final class V2TIMSDKConfig {
    /// Creates empty settings.
    public init() {}
}

/// The sender of a message.
public final class V2TIMGroupMemberInfo {
    /// The user id.
    public var userID: String?
    /// The display name.
    public var nickName: String?
    /// The URL of the user's picture.
    public var faceURL: String?

    /// Creates a sender.
    public init(userID: String? = nil, nickName: String? = nil, faceURL: String? = nil) {
        self.userID = userID
        self.nickName = nickName
        self.faceURL = faceURL
    }
}

/// The sender of a message to one user.
public final class V2TIMUserInfo {
    /// The user id.
    public var userID: String?
    /// The display name.
    public var nickName: String?
    /// The URL of the user's picture.
    public var faceURL: String?

    /// Creates a sender.
    public init(userID: String? = nil, nickName: String? = nil, faceURL: String? = nil) {
        self.userID = userID
        self.nickName = nickName
        self.faceURL = faceURL
    }
}

/// Receives messages, on the main queue. The user's own messages to a group are not included.
public protocol V2TIMSimpleMsgListener: AnyObject {
    /// A text message to the user alone.
    func onRecvC2CTextMessage(_ msgID: String!, sender info: V2TIMUserInfo!, text: String!)
    /// A custom message to the user alone.
    func onRecvC2CCustomMessage(_ msgID: String!, sender info: V2TIMUserInfo!, customData data: Data!)
    /// A text message to a group.
    func onRecvGroupTextMessage(_ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, text: String!)
    /// A custom message to a group.
    func onRecvGroupCustomMessage(
        _ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, customData data: Data!)
}

extension V2TIMSimpleMsgListener {
    public func onRecvC2CTextMessage(_ msgID: String!, sender info: V2TIMUserInfo!, text: String!) {}
    public func onRecvC2CCustomMessage(_ msgID: String!, sender info: V2TIMUserInfo!, customData data: Data!) {}
    public func onRecvGroupTextMessage(
        _ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, text: String!
    ) {}
    public func onRecvGroupCustomMessage(
        _ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, customData data: Data!
    ) {}
}

/// Receives what happens in groups besides messages, on the main queue.
public protocol V2TIMGroupListener: AnyObject {
    /// A back end tells everybody in the group something, by `send_group_system_notification`.
    func onReceiveRESTCustomData(_ groupID: String!, data: Data!)
    /// Attributes of the group have changed.
    /// - Parameter attributes: all of them, by their names.
    func onGroupAttributeChanged(_ groupID: String!, attributes: NSMutableDictionary!)
}

extension V2TIMGroupListener {
    public func onReceiveRESTCustomData(_ groupID: String!, data: Data!) {}
    public func onGroupAttributeChanged(_ groupID: String!, attributes: NSMutableDictionary!) {}
}

/// Receives the state of the connection, on the main queue.
public protocol V2TIMSDKListener: AnyObject {
    /// The connection is lost. It reconnects automatically.
    func onConnecting()
    /// The connection has been restored.
    func onConnectSuccess()
    /// The same user signed in elsewhere. This client is signed out.
    func onKickedOffline()
    /// The ticket has expired, and this client is signed out. Sign in with a new one.
    func onUserSigExpired()
}

extension V2TIMSDKListener {
    public func onConnecting() {}
    public func onConnectSuccess() {}
    public func onKickedOffline() {}
    public func onUserSigExpired() {}
}
