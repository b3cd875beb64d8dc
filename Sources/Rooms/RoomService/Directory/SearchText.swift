import Foundation

extension String {
    /// As texts are compared in a search: capitals, the width of letters and how they are composed do not matter.
    var searchable: [UInt8] {
        if utf8.allSatisfy({ $0 < 0x80 }) { return Array(lowercased().utf8) }
        // Twice: Foundation's compatibility form leaves apart what it has taken apart (half-width kana).
        let composed = precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
        return Array(composed.lowercased().utf8)
    }
}
