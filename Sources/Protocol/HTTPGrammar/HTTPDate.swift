/// A moment as HTTP writes it (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970 of any of the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`,
    /// `Sun Nov  6 08:49:37 1994`.
    /// - Parameter now: seconds since 1970: a year of two digits is not more than 50 years ahead.
    /// - Returns: `nil` for what is no such date. The day of the week is not compared.
    package static func seconds(_ text: String, now: Int64) -> Int64? {
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let words = text.split(separator: " ").map(String.init)
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            return seconds(day: words[1], month: words[2], year: number(words[3], digits: 4), time: words[4])
        case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
            let parts = words[1].split(separator: "-").map(String.init)
            guard parts.count == 3, let short = number(parts[2], digits: 2) else { return nil }
            let thisYear = year(of: now)
            var year = thisYear - thisYear % 100 + short
            if year > thisYear + 50 { year -= 100 }
            return seconds(day: parts[0], month: parts[1], year: year, time: words[2])
        case 5:
            let day = words[2].count == 1 ? "0" + words[2] : words[2]
            return seconds(day: day, month: words[1], year: number(words[4], digits: 4), time: words[3])
        default: return nil
        }
    }

    private static func seconds(day: String, month: String, year: Int?, time: String) -> Int64? {
        let clock = time.split(separator: ":").map(String.init)
        guard let year, let day = number(day, digits: 2), let month = months.firstIndex(of: month),
            clock.count == 3, let hour = number(clock[0], digits: 2), let minute = number(clock[1], digits: 2),
            // A leap second may stand there.
            let second = number(clock[2], digits: 2), hour < 24, minute < 60, second <= 60,
            (1...days(of: month, in: year)).contains(day)
        else { return nil }
        return Int64(daysSince1970(year: year, month: month + 1, day: day)) * 86_400
            + Int64(hour * 3_600 + minute * 60 + second)
    }

    private static func number(_ text: String, digits: Int) -> Int? {
        text.utf8.count == digits && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(of month: Int, in year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }

    /// Of the Gregorian calendar, counted from a first of March on, so that the leap day is a year's last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let month = month <= 2 ? month + 9 : month - 3
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
    }

    private static func year(of seconds: Int64) -> Int {
        var year = 1970 + Int(clamping: seconds / 31_556_952)
        if daysSince1970(year: year + 1, month: 1, day: 1) <= Int(clamping: seconds / 86_400) { year += 1 }
        return year
    }
}

/// How long a server asks to be left alone (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// - Parameter now: seconds since 1970, by our clock, since the other one's is not known.
    /// - Returns: seconds, from 0 on; `nil` for what is neither a number nor a date.
    package static func seconds(_ header: String, now: Int64) -> Int? {
        let text = header.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        if !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int(String(Substring(text))) ?? .max
        }
        return HTTPDate.seconds(header, now: now).map { Int(clamping: max(0, $0 - now)) }
    }
}
