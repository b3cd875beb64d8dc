/// What is wanted of a picture that somebody sent: it is read and written anew where strangers' files are read.
package struct PictureOrder: Hashable, Sendable {
    /// What the picture is, which decides what it may be and what reading it may take.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Of a room, or of somebody who asks to come on stage: a JPEG of `StillPicture`.
        case still
        /// As a camera or a program wrote it: JPEG, PNG or WebP, of up to `photographBytes` and `photographPixels`.
        case photograph
    }

    /// What of the picture is kept.
    package enum Crop: Hashable, Sendable {
        case none
        /// All of it, as large as it fits into `cardWidth` × `cardHeight`, before itself, blurred and darkened.
        case card
        case part(Part)
    }

    /// A part of the upright picture: from its middle as much as has the proportions.
    package struct Part: Hashable, Sendable {
        /// In millionths of the picture's width and height, from its left and its top.
        package var left = 0
        package var top = 0
        package var width = Self.whole
        package var height = Self.whole
        /// The proportions of what comes out.
        package var across: Int
        package var down: Int

        package static let whole = 1_000_000

        /// All of it.
        package init(across: Int, down: Int) {
            self.across = across
            self.down = down
        }
    }

    /// What a telephone's camera writes at its usual setting, twice over.
    package static let photographBytes = 8 << 20
    /// Nearly all telephones write 12 million pixels, some 24. Decoded they take up to 9 bytes each.
    package static let photographPixels = 40_000_000
    /// Of what is cut out: smaller, nobody recognises anything.
    package static let photographLeastSide = 16

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
    /// It has more pixels than are read.
    case tooLarge
    /// The library that reads pictures is not installed: what is missing, and the package that brings it.
    case noLibrary(String)
    /// Files cannot be inspected here: the process for it could not be started or confined.
    case unavailable
    /// As many pictures wait as may, or the machine had no time for this one.
    case busy
}
