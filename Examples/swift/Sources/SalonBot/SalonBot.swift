// Keeps a salon open: greets whoever comes in, lets those who ask onto seats, answers commands in the chat.
import ArgumentParser
import Ovation
import UnixSignals

@main
struct SalonBot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salon-bot", abstract: "Keeps a salon open: greets people, hands out seats, answers in the chat.",
        discussion: "In the chat of the room: !seat 2 to sit down on seat 2, !leave, !seats, !help.")

    @Option(help: "The server. [default: OVATION_SERVER, else http://127.0.0.1:8080]") var server: String?
    @Option(help: "The bot's name.") var name = "Salon bot"
    @Option(help: "The salon's name.") var salon = "Evening salon"
    @Option(help: "The room's number. [default: the server picks one]") var room: UInt32?
    @Option(help: "How many seats there are, 1…16.") var seats = 8

    func run() async throws {
        var configuration = OvationClient.Configuration(clientName: "salon-bot")
        configuration.audio = .off  // It reads and writes; it needs no way for sound.
        let address = try server.map { try ServerAddress($0) } ?? ServerAddress.fromEnvironment()
        let client = OvationClient(server: address, configuration: configuration)
        try await client.signIn(name: name)
        let draft = RoomDraft(
            name: salon, id: room.flatMap { RoomID(number: $0) }, tags: ["bot"], needsRequest: true, seats: seats)
        let host = Host(room: try await client.createRoom(draft))
        print("\(salon) is open: room \(host.room.id).")

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await host.serve() }
            group.addTask { for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return } }
            try await group.next()
            group.cancelAll()
        }
        if host.room.state.isPresent { try await host.room.destroy() }
        await client.signOut()
    }
}

/// What the bot does in its room.
struct Host {
    let room: RoomSession

    /// Until the room ends. Lost connections heal by themselves: what was missed comes as events when the room is back.
    func serve() async throws {
        for try await event in room.events(replay: .all) {
            do {
                switch event {
                case .memberEntered(let member):
                    try await room.send("Welcome, \(member.name). Write !seat 0 to sit down, !help for more.")
                case .invitation(let news) where news.invitation.to == room.state.me.id:
                    try await answer(news.invitation)
                case .message(let message) where message.from.id != room.state.me.id:
                    guard case .text(let text) = message.body, text.hasPrefix("!") else { continue }
                    try await obey(text.dropFirst().split(separator: " ").map(String.init), from: message.from)
                case .seatTaken(let taken): print("\(taken.user.name) sits on seat \(taken.seat.index).")
                case .seatLeft(let seat, let user, _, _): print("\(user.name) has left seat \(seat.index).")
                case .connectionLost: print("The connection is lost; it is sought again.")
                case .resumed: print("Back again.")
                case .ended(let end): return print("The room has ended (\(end.reason.rawValue)).")
                case .gone(let error): throw error
                default: continue
                }
            } catch let error where !room.state.isPresent {
                throw error
            } catch {
                // One answer that does not work (somebody left meanwhile, a seat was faster) is no reason to close the salon.
                print("That did not work: \(error)")
            }
        }
    }

    /// Somebody asks to be let onto a seat: the content of the request names it, or they take any. The seat is theirs to take once they
    /// are told yes.
    private func answer(_ request: Invitation) async throws {
        guard request.state == .waiting, request.isSeatRequest else { return }
        let seat = request.content.isEmpty ? room.state.seats.firstIndex { $0.state == .empty } : Int(request.content)
        guard let seat, isFree(seat) else {
            return try await room.rejectInvitation(request.id, reason: "this seat is not free")
        }
        try await room.acceptInvitation(request.id)
    }

    private func obey(_ words: [String], from user: UserProfile) async throws {
        switch words.first {
        case "seat":
            guard words.count == 2, let seat = Int(words[1]), isFree(seat) else {
                try await room.send("Free seats: \(freeSeats).")
                return
            }
            if let present = room.state.member(user.id)?.seat {
                try await room.send("\(user.name), you sit on seat \(present). !leave frees it.")
            } else {
                try await room.seat(user.id, at: seat)
            }
        case "leave": if let seat = room.state.member(user.id)?.seat { try await room.kickSeat(seat) }
        case "seats": try await room.send("Free seats: \(freeSeats).")
        default: try await room.send("!seat 2 sits you down on seat 2, !leave frees it, !seats tells which are free.")
        }
    }

    private func isFree(_ seat: Int) -> Bool {
        room.state.seats.contains { $0.index == seat && $0.state == .empty }
    }

    private var freeSeats: String {
        let free = room.state.seats.filter { $0.state == .empty }.map { String($0.index) }
        return free.isEmpty ? "none" : free.joined(separator: ", ")
    }
}
