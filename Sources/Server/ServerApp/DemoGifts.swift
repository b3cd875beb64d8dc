import RoomModel

/// What people can give on a server that is tried out. Their pictures are the web app's, and so are the languages of their names.
enum DemoGifts {
    static let all = [
        gift("rose", "Rose", "장미", "玫瑰", 1),
        gift("heart", "Heart", "하트", "爱心", 5),
        gift("coffee", "Coffee", "커피", "咖啡", 10),
        gift("cake", "Cake", "케이크", "蛋糕", 50),
        gift("bouquet", "Bouquet", "꽃다발", "花束", 100),
        gift("guitar", "Guitar", "기타", "吉他", 300),
        gift("crown", "Crown", "왕관", "皇冠", 1_000, isLarge: true),
        gift("rocket", "Rocket", "로켓", "火箭", 3_000, isLarge: true),
    ]

    private static func gift(
        _ id: String, _ name: String, _ korean: String, _ chinese: String, _ price: Int64, isLarge: Bool = false
    ) -> Gift {
        Gift(
            id: id, name: name, names: ["ko": korean, "zh": chinese], price: price, picture: "gifts/\(id).svg",
            isLarge: isLarge)
    }
}
