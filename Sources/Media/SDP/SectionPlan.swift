/// What a media section is for.
package enum LineUse: Hashable, Sendable {
    /// The client's sound.
    case microphone
    /// The client's pictures.
    case camera
    /// The camera's pictures in the spare format.
    case spare
    case screen
    /// A slot's sound, to the client.
    case sound(Int)
    /// A slot's picture, to the client.
    case picture(Int)

    fileprivate var kind: String {
        switch self {
        case .microphone, .sound: "audio"
        case .camera, .spare, .screen, .picture: "video"
        }
    }
}

/// What each section of an offer is for: as the client says, by mid; where it says nothing of sections of a kind, by their directions
/// and order.
///
/// Sound: the first line that does not only receive is the microphone, the others are slots in their order. Pictures: the first line
/// that sends is the camera, the second the screen; lines that receive are slots in their order.
package struct SectionPlan: Sendable {
    /// One for each section; nil: to be refused.
    package let uses: [LineUse?]

    package init(_ offer: SessionDescription, uses said: [String: LineUse]) {
        var uses = [LineUse?](repeating: nil, count: offer.media.count)
        for kind in ["audio", "video"] {
            let sections = offer.media.indices.filter { offer.media[$0].kind == kind }
            let isSaid = said.values.contains { $0.kind == kind }
            var sending = 0
            var receiving = 0
            for index in sections {
                let section = offer.media[index]
                if isSaid {
                    uses[index] = section.mid.flatMap { said[$0] }.flatMap { $0.kind == kind ? $0 : nil }
                } else if kind == "audio", sending == 0, receiving == 0, section.direction != .recvonly {
                    uses[index] = .microphone
                    sending += 1
                } else if kind == "audio" {
                    uses[index] = .sound(receiving)
                    receiving += 1
                } else if section.isSending {
                    uses[index] = sending == 0 ? .camera : sending == 1 ? .screen : nil
                    sending += 1
                } else if section.isReceiving {
                    uses[index] = .picture(receiving)
                    receiving += 1
                }
            }
        }
        // A use belongs to the first section that has it.
        var taken: Set<LineUse> = []
        self.uses = uses.map { use in use.flatMap { taken.insert($0).inserted ? $0 : nil } }
    }
}

extension MediaSection {
    var isSending: Bool { direction == .sendonly || direction == .sendrecv }
    var isReceiving: Bool { direction == .recvonly || direction == .sendrecv }
}
