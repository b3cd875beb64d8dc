import RoomModel

/// What people can give on a server that is tried out. Their pictures are the web app's.
enum DemoGifts {
    static let all = [
        Gift(id: "rose", name: "Rose", price: 1, picture: "gifts/rose.svg"),
        Gift(id: "heart", name: "Heart", price: 5, picture: "gifts/heart.svg"),
        Gift(id: "coffee", name: "Coffee", price: 10, picture: "gifts/coffee.svg"),
        Gift(id: "cake", name: "Cake", price: 50, picture: "gifts/cake.svg"),
        Gift(id: "bouquet", name: "Bouquet", price: 100, picture: "gifts/bouquet.svg"),
        Gift(id: "guitar", name: "Guitar", price: 300, picture: "gifts/guitar.svg"),
        Gift(id: "crown", name: "Crown", price: 1_000, picture: "gifts/crown.svg", isLarge: true),
        Gift(id: "rocket", name: "Rocket", price: 3_000, picture: "gifts/rocket.svg", isLarge: true),
    ]
}
