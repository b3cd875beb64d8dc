/// What went wrong with a codec or a file, in words for people.
package struct CodecError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// A value that the codec does not take; a mistake of the program.
        case invalidArgument
        /// Bytes that are not what they should be.
        case malformed
        /// Well formed, as far as it was read, and more than is taken.
        case tooLarge
        /// A library of the system is not installed.
        case libraryMissing
        /// A file or an address that cannot be opened or created.
        case cannotOpen
        /// Read or written in part, then no further.
        case inputOutput
        /// The other side did not answer in time.
        case timedOut
        /// `cancel()` was called.
        case cancelled
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
