import Foundation

/// A whole number in JSON as `JSONSerialization` reads it. `true` is none, though a cast takes it for 1.
func wholeNumber(_ value: Any?) -> Int? { isFlag(value) ? nil : value as? Int }

/// `true` or `false` in JSON. 1 and 0 are neither, though a cast takes them for both.
func trueOrFalse(_ value: Any?) -> Bool? { isFlag(value) ? value as? Bool : nil }

private func isFlag(_ value: Any?) -> Bool {
    guard let number = value as? NSNumber else { return false }
    return String(cString: number.objCType) == "c"
}
