import Foundation
import RoomModel
import RoomPorts
import SignalProtocol

/// A refusal as the published room API gives it, under the status 200.
struct RoomAPIFailure: Error, Sendable, Hashable {
    var code: String
    var message: String

    init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What a room or the server refuses, by the documented names.
    init(_ refusal: Refusal) {
        let error = refusal.error
        let code =
            switch error.code {
            case .roomNotFound, .roomClosed: "FailedOperation.RoomNotExist"
            case .appUnknown: "FailedOperation.SdkAppIdNotExist"
            case .permissionDenied where error.reason == "scope": "UnauthorizedOperation"
            case .permissionDenied: "FailedOperation.NotAllowed"
            case .notSignedIn: "AuthFailure.SecretIdNotFound"
            case .rateLimited: "RequestLimitExceeded"
            case .unavailable, .internalError: "InternalError"
            default: "FailedOperation"
            }
        self.init(code, error.message)
    }
}

/// What a call of the room API brings.
struct RoomAPICall {
    private let fields: [String: Any]

    init(_ body: [UInt8]) throws(RoomAPIFailure) {
        guard let fields = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            throw RoomAPIFailure("InvalidParameter", "the body is no JSON object")
        }
        self.fields = fields
    }

    func application() throws(RoomAPIFailure) -> ApplicationID {
        guard let number = UInt32(exactly: try whole("SdkAppId")) else { throw .wrong("SdkAppId") }
        return ApplicationID(number)
    }

    /// The two kinds of ids are apart: 123 and "123" are different rooms.
    func room(text: Bool) throws(RoomAPIFailure) -> RoomID {
        let room: RoomID?
        if text {
            guard let id = try value("RoomId") as? String else { throw .wrong("RoomId") }
            room = RoomID(string: id)
        } else {
            room = UInt32(exactly: try whole("RoomId")).flatMap { RoomID(number: $0) }
        }
        guard let room else { throw .wrong("RoomId") }
        return room
    }

    func users(limit: Int) throws(RoomAPIFailure) -> [UserID] {
        guard let texts = try value("UserIds") as? [String], (1...limit).contains(texts.count) else {
            throw .wrong("UserIds")
        }
        var users: [UserID] = []
        for text in texts {
            guard let user = UserID(text) else { throw .wrong("UserIds") }
            users.append(user)
        }
        return users
    }

    private func value(_ name: String) throws(RoomAPIFailure) -> Any {
        guard let value = fields[name], !(value is NSNull) else {
            throw RoomAPIFailure("MissingParameter.\(name)", "\(name) is missing")
        }
        return value
    }

    private func whole(_ name: String) throws(RoomAPIFailure) -> Int {
        guard let number = wholeNumber(try value(name)) else { throw .wrong(name) }
        return number
    }
}

extension RoomAPIFailure {
    fileprivate static func wrong(_ field: String) -> RoomAPIFailure {
        RoomAPIFailure("InvalidParameter.\(field)", "\(field) is wrong")
    }
}

/// `{"Response":{"Error"?:{"Code","Message"},"RequestId"}}`
struct RoomAPIReply: Encodable {
    private struct Body: Encodable {
        struct Failure: Encodable {
            var Code: String
            var Message: String
        }
        var Error: Failure?
        var RequestId = UUID().uuidString.lowercased()
    }

    private var Response: Body

    init(_ failure: RoomAPIFailure?) {
        Response = Body(Error: failure.map { Body.Failure(Code: $0.code, Message: $0.message) })
    }
}
