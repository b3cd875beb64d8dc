internal import Foundation
package import RoomModel
package import SignalProtocol

// The reducer: what each piece of news changes, and what is told of it. Pure.

extension RoomState {
    /// What came of one heard event.
    package enum Taken: Sendable, Hashable {
        /// Known already, or not for us.
        case nothing
        /// In the state now; this is to be told, in this order.
        case told([RoomSession.Event])
        /// Something before it is missing: the room must be asked for the gap.
        case missing
        /// A change that this version cannot read: the room must be read anew as a whole.
        case unreadable
    }

    /// Takes up one event if it is the next of its kind.
    package mutating func take(_ heard: HeardEvent) -> Taken {
        guard isPresent else { return .nothing }
        switch heard {
        case .unknown(let seq):
            guard let seq, seq > self.seq else { return .nothing }
            return seq == self.seq &+ 1 ? .unreadable : .missing
        case .known(.passing(.dropped(let dropped))):
            guard dropped.to > chat else { return .nothing }
            return .told(apply(.passing(.dropped(dropped))))
        case .known(.change(let change)):
            guard change.seq > seq else { return .nothing }
            guard change.seq == seq &+ 1 else { return .missing }
            return .told(apply(.change(change)))
        case .known(.message(let message)):
            guard message.chat > chat else { return .nothing }
            return .told(apply(.message(message)))
        case .known(let news):
            return .told(apply(news))
        }
    }

    /// Applies news whatever its number.
    package mutating func apply(_ news: RoomNewsEvent) -> [RoomSession.Event] {
        switch news {
        case .change(let change):
            point.seq = max(seq, change.seq)
            return apply(change.what)
        case .message(let message):
            let told = talk.take(message)
            name([message.from])
            return told
        case .passing(let news): return apply(news)
        case .invitation(let news):
            note(news.invitation)
            return [.invitation(news)]
        case .challenge(let news): return live.take(news)
        case .restriction(let news): return talk.take(news, of: me.id)
        }
    }

    private mutating func apply(_ what: RoomChange.What) -> [RoomSession.Event] {
        switch what {
        case .updated(let update):
            name([update.info.owner])
            return card.take(update)
        case .attributesChanged(let changed): return card.take(changed)
        case .ended(let end):
            phase = .ended(end.reason, end.summary)
            return [.ended(end)]
        case .seatTaken(let taken):
            name([taken.user])
            row.set(taken.seat)
            people.sit(taken.user, on: taken.seat, isOwner: info.owner.id == taken.user.id)
            return [.seatsChanged(seats), .seatTaken(taken)]
        case .seatLeft(let left):
            name([left.user])
            row.set(left.seat)
            people.unseat(left.user.id, from: left.seat.index)
            people.presenceUntil[left.user.id] = nil
            return [.seatsChanged(seats), .seatLeft(left.seat, user: left.user, reason: left.reason, by: left.by)]
        case .seatMuted(let muted):
            row.set(muted.seat)
            return [.seatsChanged(seats), .seatMuted(muted)]
        case .seatClosed(let closed):
            let seat = closed.seat
            let sat = row[seat.index]?.user
            row.set(seat)
            if let sat, seat.user != sat { people.unseat(sat, from: seat.index) }
            return [.seatsChanged(seats), .seatClosed(closed)]
        case .microphoneMuted(let changed):
            people.change(changed.user) { $0.micMuted = changed.muted }
            row.change(of: changed.user) { $0.micMuted = changed.muted }
            return [.microphoneMuted(changed)]
        case .cameraChanged(let changed):
            row.change(of: changed.user) { $0.camera = changed.camera }
            return [.cameraChanged(changed)]
        case .screenChanged(let changed):
            live.screen = changed.user
            return [.screenChanged(changed)]
        case .stageArranged(let arranged):
            live.layout = arranged.stage
            return [.stageArranged(arranged)]
        case .giftsSent(let sent): return card.take(sent)
        case .messageDeleted(let deleted): return talk.take(deleted)
        case .pkChanged(let changed): return live.take(changed)
        case .roleChanged(let changed):
            people.change(changed.user) { $0.role = changed.role }
            return [.roleChanged(changed)]
        case .ownerChanged(let changed):
            name([changed.user])
            people.inherit(changed.user.id, from: info.owner.id)
            requests.inherit(changed.user.id, from: info.owner.id)
            return card.take(changed)
        case .songChanged(let changed):
            song.play = changed.play
            return [.songChanged(changed)]
        case .duetChanged(let changed):
            song.duet = changed.duet
            return [.duetChanged(changed)]
        }
    }

    private mutating func apply(_ news: PassingNews) -> [RoomSession.Event] {
        switch news {
        case .audienceEntered(let entry):
            name([entry.member.profile])
            return people.enter(entry.member)
        case .audienceLeft(let exit): return people.leave(exit.user, exit.reason)
        case .presence(let changed):
            let (user, presence) = (changed.user, changed.presence)
            let until = changed.until.map(Date.init(milliseconds:))
            people.presenceUntil[user] = presence == .reconnecting ? until : nil
            people.change(user) { $0.presence = presence }
            row.change(of: user) { $0.presence = presence }
            return [.presenceChanged(user: user, presence: presence, until: until)]
        case .ownerAbsent(let absence): return people.miss(until: absence.until, heir: absence.heir)
        case .points(let points): return live.take(points)
        case .ownerBack: return people.ownerIsBack()
        case .levels(let speaking): return [.levels(speaking.levels)]
        case .likes(let news): return talk.take(news)
        case .count(let count):
            people.count = count.memberCount
            return [.memberCountChanged(memberCount)]
        case .dropped(let dropped): return talk.take(dropped)
        case .network(let report):
            song.network = report
            return [.networkChanged(report)]
        // Pictures are the web SDK's alone for now.
        case .pictures, .cameraWanted: return []
        }
    }

    private mutating func name(_ users: [UserProfile]) {
        people.name(users)
        forgetNames()
    }

    mutating func forgetNames() {
        let (messages, owner) = (talk.messages, info.owner.id)
        people.forgetNames { messages.map(\.from.id) + [owner] }
    }

    /// A waiting invitation is on the list, any other is not.
    package mutating func note(_ invitation: Invitation) { requests.note(invitation) }

    /// Takes a settled invitation off the list.
    package mutating func forgetInvitation(_ id: String) { requests.forget(id) }
}
