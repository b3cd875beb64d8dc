package import Foundation
package import RoomModel

/// What a client asks for: one JSON-RPC call, decoded once.
package struct Call: Sendable, Hashable {
    package var id: CallID
    package var method: Method
    package var body: Body

    package init(id: CallID, method: Method, body: Body) {
        self.id = id
        self.method = method
        self.body = body
    }

    package enum Body: Sendable, Hashable {
        // sessions
        case openSession(SessionOpening)
        case renewSession(ticket: String)
        case closeSession
        case readClock
        case setProfile(name: String?, avatar: String?, bio: String?)
        case getProfiles([UserID])
        /// To one person, wherever they are signed in.
        case sendSignal(SignalDraft)
        case rooms(RoomsCall)
        // media
        /// With what each line is for, by mid, where the client says it.
        case offerMedia(RoomID, number: UInt32, sdp: String, lines: [String: MediaLineName] = [:])
        /// How much of a picture is to be sent here.
        case viewPicture(RoomID, PictureView, PictureSize)
        case closeMedia(RoomID)
        /// For some seconds a picture may be sent that nobody sees.
        case testLine(sdp: String)
        case endLineTest
        case stateLatency(RoomID, LatencyStatement)
        case wallet(WalletCall)
    }
}

/// What is asked of gifts and coins outside a room.
package enum WalletCall: Sendable, Hashable {
    case listGifts
    case read
    case readStatement(StatementQuery)
    /// Coins for nothing, on a server that is tried out.
    case drawCoins(key: IdempotencyKey)
}

/// Which lines of a statement.
package struct StatementQuery: Sendable, Hashable {
    package enum Account: String, Sendable { case wallet, earnings }

    package var account: Account
    /// The transfer that stands before them; `nil`: from the newest on.
    package var before: Int64?
    package var limit: Int

    package init(account: Account = .wallet, before: Int64? = nil, limit: Int = 50) {
        self.account = account
        self.before = before
        self.limit = limit
    }
}

/// What the rooms and their directory answer.
package enum RoomsCall: Sendable, Hashable {
    case createRoom(RoomCreation, key: IdempotencyKey?, privateMapKey: String? = nil)
    case enterRoom(RoomID, since: ResumePoint?, privateMapKey: String? = nil)
    case listRooms(RoomQuery)
    case getRooms([RoomID])
    case listMembers(RoomID, MembersQuery)
    /// The waiting ones that concern the reader, after a page's cursor.
    case listInvitations(RoomID, cursor: String?)
    /// Who may not write or be here; for those who run the room.
    case listRestrictions(RoomID)
    /// Who gave most, and where the reader stands.
    case readGiftRanking(RoomID)
    /// To the operator.
    case sendReport(RoomID, ReportDraft)
    /// What the room looks like now, for the list; without a picture, nothing any more.
    case readRequestStill(RoomID, id: String)
    case setStill(RoomID, StillPicture?)
    /// Everything that somebody inside a room does to it.
    case command(RoomID, RoomCommand, key: IdempotencyKey?)
}

/// What a client says of its equipment and its way, in milliseconds.
package struct LatencyStatement: Sendable, Hashable {
    /// From playing until it is heard.
    package var outputMs: Int
    /// From singing until it is captured.
    package var inputMs: Int
    /// To the server and back, on the way of the sound; absent: as stated before.
    package var roundTripMs: Int?
    /// How long the other singers' sound waits before it is played; absent: as stated before.
    package var bufferMs: Int?

    package init(outputMs: Int, inputMs: Int, roundTripMs: Int? = nil, bufferMs: Int? = nil) {
        self.outputMs = outputMs
        self.inputMs = inputMs
        self.roundTripMs = roundTripMs
        self.bufferMs = bufferMs
    }
}

/// The first call of a conversation.
package struct SessionOpening: Sendable, Hashable {
    package var version: Int
    package var application: ApplicationID
    package var user: UserID
    package var ticket: String
    package var name: String?
    package var avatar: String?
    /// The secret of a session to take over.
    package var resume: String?
    /// Name and version of the client, for the log.
    package var client: String?

    package init(
        version: Int = 1, application: ApplicationID, user: UserID, ticket: String, name: String? = nil,
        avatar: String? = nil, resume: String? = nil, client: String? = nil
    ) {
        self.version = version
        self.application = application
        self.user = user
        self.ticket = ticket
        self.name = name
        self.avatar = avatar
        self.resume = resume
        self.client = client
    }
}

/// The `id` of a call, which its answer repeats.
package enum CallID: Sendable, Hashable, Codable {
    case number(Int64)
    case string(String)

    /// Longer ids would make us send more than we were sent.
    package static let maximumLength = 64

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self = .number(number)
            return
        }
        let text = try container.decode(String.self)
        guard text.utf8.count <= Self.maximumLength else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an id has at most 64 bytes")
        }
        self = .string(text)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        }
    }
}

/// A text that is not an acceptable call, with the `id` to answer if it had one.
package struct CallFailure: Error, Hashable, Sendable {
    package var id: CallID?
    package var error: RoomError
    package init(id: CallID?, error: RoomError) {
        self.id = id
        self.error = error
    }
}

extension Call {
    /// Decodes the text of one frame. Unknown fields are ignored.
    package static func decode(_ text: Data) throws(CallFailure) -> Call {
        let envelope: Envelope
        do {
            envelope = try JSONDecoder().decode(Envelope.self, from: text)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw CallFailure(id: nil, error: RoomError(.parseError))
        } catch {
            throw CallFailure(id: nil, error: RoomError(.invalidRequest))
        }
        switch envelope.outcome {
        case .success(let call): return call
        case .failure(let failure): throw failure
        }
    }

    /// The whole call in one pass over the JSON: the method decides how `params` is read.
    private struct Envelope: Decodable {
        var outcome: Result<Call, CallFailure>

        private enum Keys: String, CodingKey { case jsonrpc, id, method, params }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            let id = try? container.decode(CallID.self, forKey: .id)
            func refuse(_ error: RoomError) { outcome = .failure(CallFailure(id: id, error: error)) }

            outcome = .failure(CallFailure(id: id, error: RoomError(.invalidRequest)))
            guard let id, let version = try? container.decode(String.self, forKey: .jsonrpc), version == "2.0",
                let name = try? container.decode(String.self, forKey: .method)
            else { return }
            guard let method = Method(rawValue: name) else {
                refuse(RoomError(.methodNotFound))
                return
            }
            do {
                let parameters = try Parameters(container, key: .params)
                outcome = .success(Call(id: id, method: method, body: try method.decode(parameters)))
            } catch let error as RoomError {
                refuse(error)
            } catch let error as DecodingError {
                refuse(Parameters.refusal(error))
            }
        }
    }
}
