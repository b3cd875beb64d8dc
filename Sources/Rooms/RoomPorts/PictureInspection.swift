/// What is wanted of a picture that somebody sent: it is read and written anew where strangers' files are read.
package struct PictureOrder: Hashable, Sendable {
    /// What the picture is for, which decides what it may be.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Of a room, or of somebody who asks to come on stage: a JPEG of `StillPicture`.
        case still
    }

    /// What of the picture is kept.
    package enum Crop: String, Hashable, Sendable, CaseIterable {
        case none
        /// All of it, as large as it fits into `cardWidth` × `cardHeight`, before itself, blurred and darkened.
        case card
    }

    /// What messengers show beside a link is 1.91 times as wide as high.
    package static let cardWidth = 1_200
    package static let cardHeight = 630

    /// One of the pictures that are made of it.
    package struct Size: Hashable, Sendable {
        /// Neither side has more pixels.
        package var side: Int
        package var bytes: Int

        package init(side: Int, bytes: Int) {
            self.side = side
            self.bytes = bytes
        }
    }

    package var kind: Kind
    package var crop: Crop
    /// From the largest on.
    package var sizes: [Size]

    package init(_ kind: Kind, crop: Crop = .none, sizes: [Size]) {
        self.kind = kind
        self.crop = crop
        self.sizes = sizes
    }
}

/// What a stranger's picture turned out to be.
package enum PictureFinding: Hashable, Sendable {
    /// JPEGs that hold the picture and nothing else, one for each size that was wanted.
    case pictures([[UInt8]])
    /// No picture that may be read, or one that broke its reader.
    case unreadable
    /// The library that reads pictures is not installed: what is missing, and the package that brings it.
    case noLibrary(String)
    /// Files cannot be inspected here: the process for it could not be started or confined.
    case unavailable
    /// As many pictures wait as may, or the machine had no time for this one.
    case busy
}
