import RoomModel
import SignalProtocol
import Testing

@testable import HTTP

@Suite struct ProfileRuleTests {
    private func fails(name: String? = nil, avatar: String? = nil, bio: String? = nil) -> Bool {
        do throws(Refusal) {
            try SignIn.check(name: name, avatar: avatar, bio: bio)
            return false
        } catch {
            return error.error.code == .invalidParams
        }
    }

    @Test("A04-S what stands in a profile has a length, in characters and in bytes, and nothing that deceives")
    func limits() {
        let flag = "\u{1F1F0}\u{1F1F7}"
        #expect(!fails() && !fails(name: "K", avatar: "", bio: ""))
        #expect(!fails(name: String(repeating: "n", count: 64)) && fails(name: String(repeating: "n", count: 65)))
        #expect(fails(name: "") && fails(name: " ") && fails(name: "a\u{202E}b"))
        // Few characters of many bytes each.
        #expect(!fails(name: String(repeating: flag, count: 32)) && fails(name: String(repeating: flag, count: 33)))
        let limit = SignIn.bioLimit
        #expect(
            !fails(bio: String(repeating: "b", count: limit)) && fails(bio: String(repeating: "b", count: limit + 1)))
        #expect(
            !fails(bio: String(repeating: flag, count: limit / 2))
                && fails(bio: String(repeating: flag, count: limit / 2 + 1)))
        let link = "https://a.example/"
        #expect(!fails(avatar: link + String(repeating: "a", count: SignIn.avatarLimit - link.utf8.count)))
        #expect(fails(avatar: link + String(repeating: "a", count: SignIn.avatarLimit - link.utf8.count + 1)))
        #expect(fails(avatar: "javascript:alert(1)"))
    }
}
