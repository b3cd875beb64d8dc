import RoomModel
import RoomPorts
import SignalProtocol
import Signalling
import Timing

/// Messages to one person, as the chat REST API sends them. They are signals: who is signed in hears them, and nothing is kept.
struct ChatSignals: Sendable {
    struct Sent: Encodable, Sendable {
        var MsgTime: Int64
        var MsgKey: String
    }

    let signals: Signals
    let clock: any TimeSource

    func send(_ request: ChatRequest, as sender: UserProfile) throws(ChatFailure) -> Sent {
        let user = try request.user("To_Account")
        let whole = 0...Int(UInt32.max)
        let random = try request.number("MsgRandom", in: whole)
        let sequence = try request.optionalNumber("MsgSeq", in: whole) ?? 0
        let isForNow = try request.optionalNumber("MsgLifeTime", in: whole) == 0
        let bodies = try ChatMessages.bodies(try request.objects("MsgBody", limit: ChatMessages.elements), .normal)
        let time = clock.wallTime.secondsSince1970
        let sent = Sent(MsgTime: time, MsgKey: "\(sequence)_\(random)_\(time)")
        for body in bodies {
            do throws(Refusal) {
                _ = try signals.send(
                    SignalDraft(to: user, body, id: sent.MsgKey), as: sender, in: request.application)
            } catch {
                // As documented: what is not to be kept goes to those who are there.
                guard isForNow, error.error.code == .userAway else { throw ChatFailure(error) }
            }
        }
        return sent
    }
}
