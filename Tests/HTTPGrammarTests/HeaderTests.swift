import HTTPGrammar
import SeededRandom
import Testing

@Suite struct HeaderTests {
    @Test("entity tags are a list, with commas inside of them and nothing between them")
    func tags() throws {
        func tag(_ text: String, isWeak: Bool = false) -> EntityTags.Tag {
            EntityTags.Tag(isWeak: isWeak, opaque: Array(text.utf8))
        }
        let cases: [(String, EntityTags?)] = [
            ("*", .any), (" * ", .any), ("\"a\"", .some([tag("a")])), ("\"\"", .some([tag("")])),
            ("\"old\", \"new\"", .some([tag("old"), tag("new")])),
            ("W/\"a\",\"b\"", .some([tag("a", isWeak: true), tag("b")])),
            (", ,\"a,b\"\t,, \"W/\"", .some([tag("a,b"), tag("W/")])), ("", nil), (",", nil), ("a", nil), ("\"a", nil),
            ("\"a\" \"b\"", nil), ("\"a\"b", nil), ("w/\"a\"", nil), ("*, \"a\"", nil), ("\"a\", *", nil),
            ("\"a b\"", nil),
            (Array(repeating: "\"a\"", count: 65).joined(separator: ","), nil),
        ]
        for (text, tags) in cases { #expect(EntityTags(text) == tags, "\(text.prefix(40))") }
        let weak = try #require(EntityTags("W/\"a\", \"b\""))
        #expect(weak.matchesWeakly("\"a\"") && !weak.matchesStrongly("\"a\"") && weak.matchesStrongly("\"b\""))
        #expect(!weak.matchesWeakly("\"c\"") && !weak.matchesWeakly("\"a, W/\""))
        #expect(EntityTags.any.matchesStrongly("\"x\""))
    }

    @Test("the three forms of a date give the same second, and what is none gives none")
    func dates() {
        let now: Int64 = 1_700_000_000
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] {
            #expect(HTTPDate.seconds(text, now: now) == 784_111_777, "\(text)")
        }
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Fri, 31 Dec 2049 00:00:60 GMT", 2_524_521_660), ("Friday, 01-Jan-27 00:00:00 GMT", 1_798_761_600),
            // More than 50 years ahead of 2023.
            ("Friday, 01-Jan-74 00:00:00 GMT", 126_230_400),
        ] as [(String, Int64)] {
            #expect(HTTPDate.seconds(text, now: now) == seconds, "\(text)")
        }
        for text in [
            "", "6", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 2001 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:61:00 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
        ] {
            #expect(HTTPDate.seconds(text, now: now) == nil, "\(text)")
        }
    }

    @Test("any second from 1970 to 2100 is read as it was written")
    func everyDay() {
        var random = SeededGenerator(seed: 7)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var (year, month, day) = (1970, 1, 1)
        for number in 0..<47_000 {
            let second = Int.random(in: 0..<86_400, using: &random)
            func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
            let text =
                "Mon, \(two(day)) \(months[month - 1]) \(year) \(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
            if HTTPDate.seconds(text, now: 0) != Int64(number * 86_400 + second) {
                Issue.record("\(text)")
                return
            }
            let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            let last = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
            day += 1
            if day > last { (day, month) = (1, month + 1) }
            if month > 12 { (month, year) = (1, year + 1) }
        }
    }

    @Test("who asks to be left alone says how long, or until when")
    func retryAfter() {
        let now: Int64 = 784_111_777
        for (text, seconds) in [
            ("120", 120), (" 0", 0), ("Sun, 06 Nov 1994 08:49:43 GMT", 6), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("99999999999999999999", Int.max), ("-1", nil), ("1.5", nil), ("", nil), ("soon", nil),
        ] as [(String, Int?)] {
            #expect(RetryAfter.seconds(text, now: now) == seconds, "\(text)")
        }
    }

    @Test("R05-W who refuses compressed answers gets none")
    func codings() {
        for (lines, isTaken) in [
            (["gzip, deflate, br"], true), (["gzip;q=0.5"], true), (["GZIP"], true), (["*"], true),
            (["br", "gzip"], true),
            (["gzip;q=0, *"], false), (["gzip; q=0.000"], false), (["identity"], false), ([""], false), ([], false),
            (["xgzip"], false), (["*;q=0"], false), (["*;q=0, gzip;q=0.1"], true),
        ] {
            #expect(AcceptedCodings(lines).take("gzip") == isTaken, "\(lines)")
        }
    }
}
