public import Foundation

/// A picture that a user has uploaded: of themselves, or for their rooms. The server keeps it in several sizes.
public struct Face: Sendable, Hashable, Identifiable {
    /// What a picture is for. Newer servers may have more kinds than this version names.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The kind's name on the wire.
        public let rawValue: String

        /// A kind by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The user, in a square.
        public static let avatar = Kind(rawValue: "avatar")
        /// A room, 16 by 9.
        public static let cover = Kind(rawValue: "cover")
    }

    /// A part of a picture, in fractions (0…1) of the width and height of the upright picture.
    public struct Crop: Sendable, Hashable {
        /// The left edge.
        public var x: Double
        /// The top edge.
        public var y: Double
        /// The width.
        public var width: Double
        /// The height.
        public var height: Double

        /// A part of a picture. The server makes it fit the kind's proportions by shrinking it around its middle.
        public init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// The picture's id.
    public let id: String
    /// What the picture is for.
    public let kind: Kind
    /// The URL of the picture in its medium size, relative to the server: for `setProfile(avatar:)` and a room's cover.
    public let picture: String
    /// The URLs of all sizes, by their names: `small`, `medium` and `large`.
    public let sizes: [String: String]
}

extension OvationClient {
    /// The largest size of a picture, in bytes (Documentation/build/protocol.md §9). It may have up to 40 megapixels.
    public static let faceBytesMost = 8 << 20

    /// Uploads a picture of the user or for their rooms. The server reads it, writes it anew without metadata, and keeps it until it is
    /// removed. Call `setProfile(avatar:)`, or set a room's cover, with the result's `picture`.
    /// - Parameters:
    ///   - picture: a JPEG, PNG or WebP file, up to `faceBytesMost`.
    ///   - kind: what it is for, which decides its proportions and sizes.
    ///   - crop: the part to use; without it, the middle.
    /// - Throws: `face_too_large`, `face_format`, `face_library_full`, `uploads_unavailable`, `rate_limited`, `invalid_params` (with the
    ///   `field`), `not_signed_in` and what any call throws.
    @discardableResult
    public func uploadFace(
        _ picture: Data, as kind: Face.Kind, crop: Face.Crop? = nil
    ) async throws(OvationError) -> Face {
        try await FaceClient(http: http).upload(picture, as: kind, crop: crop)
    }

    /// Returns the pictures that the user has uploaded, newest first.
    public func faces() async throws(OvationError) -> [Face] {
        try await FaceClient(http: http).list()
    }

    /// Removes a picture that the user has uploaded. Where a profile or a room still names it, there is no picture from then on.
    /// - Throws: `face_not_found`.
    public func removeFace(_ id: String) async throws(OvationError) {
        try await FaceClient(http: http).delete(id)
    }
}
