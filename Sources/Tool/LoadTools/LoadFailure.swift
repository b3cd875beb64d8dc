/// Why a load could not be made or measured, as a sentence for people.
package struct LoadFailure: Error, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
