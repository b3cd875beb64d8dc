import Foundation
import Testing

@testable import OperatorAPI

@Suite struct WholeNumberTests {
    @Test(
        "R01-R a whole number is neither a truth value nor a text nor a part",
        arguments: [
            ("0", 0), ("1", 1), ("-7", -7), ("100", 100), ("4294967295", 4_294_967_295), ("2.0", 2), ("true", nil),
            ("false", nil), ("1.5", nil), ("\"1\"", nil), ("[1]", nil), ("null", nil), ("18446744073709551615", nil),
        ] as [(String, Int?)])
    func whole(_ text: String, _ number: Int?) throws {
        let list = try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8)) as? [Any]
        #expect(wholeNumber(list?.first) == number)
        #expect(trueOrFalse(list?.first) == (["true": true, "false": false] as [String: Bool])[text])
    }
}
