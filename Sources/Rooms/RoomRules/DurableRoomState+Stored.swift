// How a room stands in a snapshot, written by hand (snapshot version 1). A snapshot outlives the program that wrote it: a key keeps
// its meaning for ever, a key that was added later has a default where it is read, and `Tests/ServerAppTests/Fixtures` has a file of each
// release. A word that this program does not know (a phase, a kind of room) is from a newer server, and an error.

extension DurableRoomState: Codable {
    private enum CodingKeys: String, CodingKey { case seats, answers }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        seats = try fields.decodeIfPresent(Seats.self, forKey: .seats) ?? Seats()
        answers = try fields.decodeIfPresent(AnswerLedger.self, forKey: .answers) ?? AnswerLedger()
        // What stands beside these, each subject says.
        progress = try RoomProgress(from: decoder)
        beginning = try RoomBeginning(from: decoder)
        details = try RoomDetails(from: decoder)
        hosts = try RoomHosts(from: decoder)
        invitations = try Invitations(from: decoder)
        restrictions = try Restrictions(from: decoder)
        chorus = try Chorus(from: decoder)
        stage = try LiveStage(from: decoder)
        links = try HostLinks(from: decoder)
        figures = try RoomFigures(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(seats, forKey: .seats)
        try fields.encode(answers, forKey: .answers)
        try progress.encode(to: encoder)
        try beginning.encode(to: encoder)
        try details.encode(to: encoder)
        try hosts.encode(to: encoder)
        try invitations.encode(to: encoder)
        try restrictions.encode(to: encoder)
        try chorus.encode(to: encoder)
        try stage.encode(to: encoder)
        try links.encode(to: encoder)
        try figures.encode(to: encoder)
    }
}
