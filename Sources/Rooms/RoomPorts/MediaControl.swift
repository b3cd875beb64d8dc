package import RoomModel
package import Timing

// The seam between the two cores: the room core tells the media plane who may be heard where,
// the media plane tells the room core who is there and how loud. Of each other's types they share the place of a picture alone.

/// One person's media path on this server; made by the room core, opaque to the media plane.
package struct PeerID: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One room on the media plane; made by the room core, never reused while the process lives.
package struct StageID: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What a client offers. `number` grows with each offer of a peer; a stale one is refused.
package struct MediaOffer: Sendable {
    package var stage: StageID
    package var peer: PeerID
    package var number: UInt32
    package var sdp: String
    /// What the client says its lines are for, by `mid`; where it says nothing, directions and order tell.
    package var lines: [String: MediaLine]

    package init(stage: StageID, peer: PeerID, number: UInt32, sdp: String, lines: [String: MediaLine] = [:]) {
        self.stage = stage
        self.peer = peer
        self.number = number
        self.sdp = sdp
        self.lines = lines
    }
}

/// What a line of an offer is for.
package enum MediaLine: Hashable, Sendable {
    case microphone
    case camera
    /// The camera's pictures in VP8, where the room's come in another format.
    case spare
    case screen
    /// To hear a slot; those after the last seat's are the places of other rooms' hosts.
    case sound(Int)
    /// To see a slot; the one after the last seat is the room's screen, and the places of other rooms' hosts follow.
    case picture(Int)
}

package struct MediaAnswer: Sendable, Hashable {
    package var number: UInt32
    package var sdp: String
    /// What each line of the offer that receives sound carries.
    package var slots: [Slot]
    /// The same for pictures.
    package var pictures: [Picture]

    package struct Picture: Sendable, Hashable {
        package var view: PictureView
        package var mid: String
        package init(_ view: PictureView, mid: String) {
            self.view = view
            self.mid = mid
        }
    }

    /// What is heard on a line.
    package enum Sound: Sendable, Hashable {
        case seat(Int)
        /// All seats, and the song.
        case mix
        /// Another room's host, on that place.
        case guest(Int)
    }

    package struct Slot: Sendable, Hashable {
        package var sound: Sound
        package var mid: String
        package init(_ sound: Sound, mid: String) {
            self.sound = sound
            self.mid = mid
        }
    }

    package init(number: UInt32, sdp: String, slots: [Slot], pictures: [Picture] = []) {
        self.number = number
        self.sdp = sdp
        self.slots = slots
        self.pictures = pictures
    }
}

/// What is done with the sound of a room, and whether it has pictures.
package enum StageKind: Sendable, Hashable {
    /// Everybody hears each seat by itself.
    case voice
    /// Who sits hears the other seats, as early as can be; everybody else hears one mix of them and the song.
    case chorus
    /// As voice, and who sits is seen too; one person's screen at a time beside them. All pictures come in one format.
    case live(StageFormat)
}

/// What the pictures of a stage come in.
package enum StageFormat: Sendable, Hashable, CaseIterable {
    case vp8
    /// H.264, constrained baseline.
    case h264
    case vp9
    case av1
}

/// What a chorus room sings, as the media plane needs to know it.
package struct StageSong: Hashable, Sendable {
    /// The file of the track that is heard, as the room names it.
    package var file: String
    /// When `position` is heard; nil while paused.
    package var startAt: Instant?
    /// From the beginning of the song. While paused: where it stands.
    package var position: Interval

    package init(file: String, startAt: Instant?, position: Interval) {
        self.file = file
        self.startAt = startAt
        self.position = position
    }
}

/// Where the files of songs are.
package protocol SongFiles: Sendable {
    /// What to open for a song's file as a room names it: a path, or an address; nil if it is not to be opened.
    func location(of file: String) -> String?
}

/// A way between two rooms by which each sees and hears who is on the first slot of the other. Both rooms name it alike; nothing goes
/// either way unless both have opened it.
package struct BridgeID: Hashable, Sendable {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// How much of a picture: the highest layer that is sent to somebody. A producer with fewer layers sends the next lower one.
package enum PictureLayer: Int, Hashable, Sendable {
    case none = -1
    case low = 0
    case middle = 1
    case high = 2
}

/// Why an offer was refused: the client's fault (`badOffer`), or ours.
package enum MediaRefusal: Error, Hashable, Sendable {
    /// The text is no session description, or lacks what §8 of the protocol wants; says what.
    case badOffer(String)
    /// A newer offer of this peer has been answered.
    case staleOffer
    case unknownStage
    /// The room has not admitted the peer, or has taken the admission back meanwhile.
    case notAdmitted
    /// The worker is past its load limit, or the media plane is draining.
    case overloaded
    case stopped
}

/// What the media plane reports. Order is kept per stage.
package enum MediaFact: Sendable, Hashable {
    /// ICE and DTLS are through: sound can flow.
    case connected(StageID, PeerID)
    /// No authentic packet for 6 s.
    case lost(StageID, PeerID)
    /// Packets again after `lost`.
    case recovered(StageID, PeerID)
    /// The peer is gone for good (DTLS closed, ICE never came, `closePeer`).
    case closed(StageID, PeerID)
    /// Loudness 0…100 of the peers heard on the stage; sent at most every 100 ms, once with an empty list at silence.
    case levels(StageID, [PeerID: UInt8])
    /// How the ways of those on the seats of a chorus, or of a stage with pictures, did since the last such fact; sent every two seconds
    /// while anybody has a seat there, once with an empty list when nobody has one any more.
    case network(StageID, [PeerID: PathReading])
    /// What a viewer gets of the pictures that it wants: all of those that come, or came; sent when it has changed, at most twice a
    /// second.
    case pictures(StageID, PeerID, [PictureReading])
    /// What anybody wants of a peer's camera. Told to each new source, and when it changes: at once when it rises, after ten seconds when
    /// it falls.
    case cameraWanted(StageID, PeerID, CameraWish)
}

/// What anybody wants of a camera.
package struct CameraWish: Hashable, Sendable {
    /// The highest layer: what is above need not be sent.
    package var layer: PictureLayer
    /// The camera in VP8 too, for those who cannot show the room's format.
    package var spare: Bool

    package init(layer: PictureLayer, spare: Bool) {
        self.layer = layer
        self.spare = spare
    }
}

/// What a viewer gets of one picture.
package struct PictureReading: Hashable, Sendable {
    /// Why it is less than it wants.
    package enum Lack: Hashable, Sendable {
        /// Its line carries no more.
        case line
        /// Nothing comes from the producer, and something did.
        case sender
    }

    package var picture: PictureView
    package var layer: PictureLayer
    package var lack: Lack?

    package init(picture: PictureView, layer: PictureLayer, lack: Lack? = nil) {
        self.picture = picture
        self.layer = layer
        self.lack = lack
    }
}

/// What the media plane has measured of one peer's way. What it could not measure is nil.
package struct PathReading: Hashable, Sendable {
    /// No authentic packet for a while.
    package var isLost: Bool
    /// To the peer and back: the shortest lately.
    package var roundTrip: Interval?
    /// How unevenly the microphone's packets arrive (RFC 3550).
    package var jitter: Interval?
    /// The share of the microphone's packets that did not come, 0…1.
    package var lossFromPeer: Double
    /// The share of what was sent there that did not come, as the peer reports it, 0…1.
    package var lossToPeer: Double

    package init(
        isLost: Bool = false, roundTrip: Interval? = nil, jitter: Interval? = nil, lossFromPeer: Double = 0,
        lossToPeer: Double = 0
    ) {
        self.isLost = isLost
        self.roundTrip = roundTrip
        self.jitter = jitter
        self.lossFromPeer = lossFromPeer
        self.lossToPeer = lossToPeer
    }
}

/// The media plane as the room core sees it. Every call returns at once; `answer` is the only one that waits.
package protocol MediaControl: Sendable {
    /// Changes when the media plane starts anew: peers of an earlier epoch are gone.
    var epoch: UInt64 { get }

    /// A chorus has one slot more than `slots`, the last: the mix.
    func openStage(_ stage: StageID, slots: Int, kind: StageKind)
    /// Cuts everybody and forgets the stage.
    func closeStage(_ stage: StageID)

    /// Lets a peer onto a stage: its offers are answered until `closePeer`. In the order of the room, so that an offer that is being
    /// worked out while its sender is thrown out opens nothing.
    func admit(_ peer: PeerID, on stage: StageID)
    /// Opens or renegotiates a peer that has been admitted.
    func answer(_ offer: MediaOffer) async throws(MediaRefusal) -> MediaAnswer
    /// Takes the admission back and cuts the peer. `confirmed` runs on the media thread once nothing can come from it or leave to it
    /// any more.
    func closePeer(_ peer: PeerID, on stage: StageID, confirmed: @escaping @Sendable () -> Void)

    /// Says whose microphone is heard on `slot`, and whether it is cut there (`muted`); with pictures, whose camera is seen there, and
    /// whether it is cut (`dark`). A peer is on one slot at most; assigning
    /// it elsewhere takes it off the other. `confirmed` runs on the media thread once no further packet against this
    /// rule can leave.
    func assign(
        slot: Int, to peer: PeerID?, muted: Bool, dark: Bool, on stage: StageID,
        confirmed: @escaping @Sendable () -> Void)

    /// Says whose screen is seen; nil: nobody's. `confirmed` as with `assign`.
    func assignScreen(to peer: PeerID?, on stage: StageID, confirmed: @escaping @Sendable () -> Void)

    /// Opens this room's end of a bridge: the other room's host is seen and heard on a guest's place from now on, unless `muted`, and
    /// this room's there. Opening it again changes what is said here. `confirmed` as with `assign`.
    func openBridge(
        _ bridge: BridgeID, place: Int, muted: Bool, on stage: StageID, confirmed: @escaping @Sendable () -> Void)
    /// Closes this room's end, and with it both ways. `confirmed` runs once nothing by it is seen or heard in either room.
    func closeBridge(_ bridge: BridgeID, on stage: StageID, confirmed: @escaping @Sendable () -> Void)

    /// How much of a picture a peer is sent from now on; until it says, the highest layer that comes. Holds for its present path.
    func view(_ picture: PictureView, as layer: PictureLayer, by peer: PeerID, on stage: StageID)

    /// What a chorus sings from now on; nil: nothing. The mix follows.
    func setSong(_ song: StageSong?, on stage: StageID)
    /// How much time a singer's equipment takes, from what it is told to play until it is heard and sung, and back until
    /// it is captured. For the place in the mix of those who do not say it with each packet.
    /// `roundTrip` is what the client has measured: it counts until the media plane has measured it itself, which it cannot
    /// while it sends nothing to the peer.
    func setLatency(_ latency: Interval, roundTrip: Interval?, of peer: PeerID, on stage: StageID)

    /// Facts, for one consumer.
    var facts: AsyncStream<MediaFact> { get }
}

extension MediaControl {
    package func openStage(_ stage: StageID, slots: Int) { openStage(stage, slots: slots, kind: .voice) }
    package func closePeer(_ peer: PeerID, on stage: StageID) { closePeer(peer, on: stage) {} }
}
