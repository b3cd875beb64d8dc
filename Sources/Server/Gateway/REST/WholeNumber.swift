import Foundation

/// A whole number in JSON as `JSONSerialization` reads it. `true` is none, though a cast takes it for 1.
func wholeNumber(_ value: Any?) -> Int? {
    if let number = value as? NSNumber, String(cString: number.objCType) == "c" { return nil }
    return value as? Int
}
