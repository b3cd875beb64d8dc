/// What is wrong with a sound device, in words for people.
package struct DeviceError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// A library of the system is not installed.
        case libraryMissing
        /// No sound server answers.
        case unavailable
        /// The server has no device of that name.
        case notFound
        /// The device, or its server, went away while it ran.
        case lost
        case alreadyStarted
        /// A number of channels or a length of block that no device takes.
        case unsupported
        /// The file behind the device cannot be used.
        case file
        /// The system gives no thread.
        case thread
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
