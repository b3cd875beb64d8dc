import Foundation
import TRTCCompat

// The e-commerce guide's product pop-up (references.md), whose samples are in Objective-C, in Swift.

/// Sends and receives the pop-up of a product.
final class ProductPopUp: V2TIMSimpleMsgListener {
    let notes = Notes()
    private let manager: V2TIMManager

    init(_ manager: V2TIMManager) { self.manager = manager }

    /// The anchor: a custom group message of high priority.
    func send(to groupID: String) throws {
        let msgDict: [String: Any] = [
            "itemNumber": 1,
            "itemPrice": 199.0,
            "itemTitle": "xxx",
            "itemUrl": "xxx",
        ]
        let dataDict: [String: Any] = [
            "cmd": "item_popup_msg",
            "msg": msgDict,
        ]
        let data = try JSONSerialization.data(withJSONObject: dataDict)

        manager.sendGroupCustomMessage(data, to: groupID, priority: V2TIM_PRIORITY_HIGH) {
            self.notes.write("sent")
        } fail: { (code, desc) in
            self.notes.write("not sent \(code) \(desc ?? "")")
        }
    }

    /// The audience.
    func listen() {
        manager.addSimpleMsgListener(listener: self)
    }

    func onRecvGroupCustomMessage(
        _ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, customData data: Data!
    ) {
        guard data.count > 0 else { return }
        do {
            let dataDict = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            let command = dataDict?["cmd"] as? String
            let msgDict = dataDict?["msg"] as? [String: Any]
            if command == "item_popup_msg" {
                let itemNumber = msgDict?["itemNumber"] as? Int ?? 0
                let itemPrice = msgDict?["itemPrice"] as? Double ?? 0
                let itemTitle = msgDict?["itemTitle"] as? String ?? ""
                let itemUrl = msgDict?["itemUrl"] as? String ?? ""
                let sender = "\(info.userID ?? "")/\(info.nickName ?? "")"
                notes.write(
                    "popup in \(groupID ?? "") by \(sender): \(itemNumber) \(itemPrice) \(itemTitle) \(itemUrl)")
            } else {
                notes.write("data \(String(decoding: data, as: UTF8.self))")
            }
        } catch {
            notes.write("Parsing error of \(data.count) bytes")
        }
    }

    func onRecvGroupTextMessage(_ msgID: String!, groupID: String!, sender info: V2TIMGroupMemberInfo!, text: String!) {
        notes.write("text in \(groupID ?? ""): \(text ?? "")")
    }
}
