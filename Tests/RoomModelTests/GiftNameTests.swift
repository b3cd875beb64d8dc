import Foundation
import Testing

@testable import RoomModel

@Suite struct GiftNameTests {
    @Test("G02-K a gift is called as its operator calls it in the reader's language, or in the one that is closest")
    func names() {
        let gift = Gift(id: "rose", name: "Rose", names: ["ko": "장미", "zh": "玫瑰", "zh-Hant": "玫瑰花"], price: 1)
        for (language, name) in [
            ("ko", "장미"), ("ko-KR", "장미"), ("zh-Hans-CN", "玫瑰"), ("zh-Hant-TW", "玫瑰花"), ("zh-Hant", "玫瑰花"),
            ("en", "Rose"), ("k", "Rose"), ("", "Rose"), ("-", "Rose"),
        ] {
            #expect(gift.name(in: language) == name, "\(language)")
        }
    }

    @Test("G02-S a gift without names in other languages is read and written as it was before there were any")
    func stored() throws {
        let former = #"{"id":"rose","name":"Rose","price":1}"#
        let gift = try JSONDecoder().decode(Gift.self, from: Data(former.utf8))
        #expect(gift == Gift(id: "rose", name: "Rose", price: 1))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(gift), as: UTF8.self) == former)
        let named = Gift(id: "rose", name: "Rose", names: ["ko": "장미"], price: 1)
        #expect(try JSONDecoder().decode(Gift.self, from: encoder.encode(named)) == named)
    }

    @Test(
        "G02-S languages are named as everybody names them",
        arguments: ["ko", "zh", "zh-Hans", "pt-BR", "zh-Hant-TW", "es-419", "yue"])
    func good(tag: String) { #expect(LanguageTag.isSound(tag)) }

    @Test(
        "G02-S what names no language is refused",
        arguments: [
            "", "k", "KO", "korean", "ko_KR", "ko-kr", "zh-hans", "zh-Hans-", "-ko", "ko--KR", "pt-BR-x", "pt-BR-BR",
            "ko ", "코", "es-41", "zh-Hanss", "en-a-bbb-x",
        ])
    func bad(tag: String) { #expect(!LanguageTag.isSound(tag), "\(tag)") }
}
