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
            seq = max(seq, change.seq)
            return apply(change.what)
        case .message(let message):
            chat = max(chat, message.chat)
            messages.append(message)
            if messages.count > Self.messagesKept { messages.removeFirst(messages.count - Self.messagesKept) }
            name([message.from])
            return [.message(message)]
        case .passing(let news): return apply(news)
        case .invitation(let news):
            note(news.invitation)
            return [.invitation(news)]
        case .challenge(let news):
            challenge = news.state == .waiting ? news.challenge : nil
            return [.challengeChanged(news)]
        case .restriction(let news):
            if news.restriction.kind == .chatMute, news.restriction.user == me.id {
                chatMute = news.lifted ? nil : news.restriction
            }
            return [.restriction(news)]
        }
    }

    private mutating func apply(_ what: RoomChange.What) -> [RoomSession.Event] {
        switch what {
        case .updated(let update):
            info = update.info
            name([info.owner])
            return [.infoChanged(info)]
        case .attributesChanged(let changed):
            attributes = changed.change.applied(to: attributes)
            return [.attributesChanged(changed)]
        case .ended(let end):
            phase = .ended(end.reason, end.summary)
            return [.ended(end)]
        case .seatTaken(let taken):
            sit(taken.user, on: taken.seat)
            return [.seatsChanged(seats), .seatTaken(taken)]
        case .seatLeft(let left):
            name([left.user])
            set(left.seat)
            unseat(left.user.id, from: left.seat.index)
            presenceUntil[left.user.id] = nil
            return [.seatsChanged(seats), .seatLeft(left.seat, user: left.user, reason: left.reason, by: left.by)]
        case .seatMuted(let muted):
            set(muted.seat)
            return [.seatsChanged(seats), .seatMuted(muted)]
        case .seatClosed(let closed):
            let seat = closed.seat
            let sat = seats.indices.contains(seat.index) ? seats[seat.index].user : nil
            set(seat)
            if let sat, seat.user != sat { unseat(sat, from: seat.index) }
            return [.seatsChanged(seats), .seatClosed(closed)]
        case .microphoneMuted(let changed):
            change(changed.user) { $0.micMuted = changed.muted }
            changeSeats(of: changed.user) { $0.micMuted = changed.muted }
            return [.microphoneMuted(changed)]
        case .cameraChanged(let changed):
            changeSeats(of: changed.user) { $0.camera = changed.camera }
            return [.cameraChanged(changed)]
        case .screenChanged(let changed):
            screen = changed.user
            return [.screenChanged(changed)]
        case .stageArranged(let arranged):
            stage = arranged.stage
            return [.stageArranged(arranged)]
        case .giftsSent(let sent):
            giftStanding = sent.standing
            return [.giftsSent(sent.gifts), .giftStandingChanged(sent.standing)]
        case .messageDeleted(let deleted):
            if let index = messages.lastIndex(where: { $0.chat == deleted.chat }) {
                messages[index] = messages[index].withoutText
            }
            return [.messageDeleted(deleted)]
        case .pkChanged(let changed):
            pk = changed.pk
            return [.pkChanged(changed)]
        case .roleChanged(let changed):
            change(changed.user) { $0.role = changed.role }
            return [.roleChanged(changed)]
        case .ownerChanged(let changed):
            inherit(changed.user)
            return [.infoChanged(info), .ownerChanged(changed)]
        case .songChanged(let changed):
            play = changed.play
            return [.songChanged(changed)]
        case .duetChanged(let changed):
            duet = changed.duet
            return [.duetChanged(changed)]
        }
    }

    private mutating func sit(_ user: UserProfile, on seat: Seat) {
        name([user])
        set(seat)
        let known = member(user.id)
        set(
            Member(
                profile: user, role: known?.role ?? (info.owner.id == user.id ? .owner : .member), seat: seat.index,
                micMuted: seat.micMuted ?? known?.micMuted ?? false,
                presence: seat.presence ?? known?.presence ?? .online))
    }

    private mutating func inherit(_ heir: UserProfile) {
        let former = info.owner.id
        name([heir])
        // That who loses the room stays its admin is told by an event of its own.
        change(former) { $0.role = .member }
        change(heir.id) { $0.role = .owner }
        info.owner = heir.brief
        // Whoever asked the former owner has asked the heir; the heir needs nobody's answer any more.
        for index in invitations.indices where invitations[index].to == former { invitations[index].to = heir.id }
        invitations.removeAll { $0.from == $0.to }
        ownerAbsentUntil = nil
        self.heir = nil
    }

    private mutating func apply(_ news: PassingNews) -> [RoomSession.Event] {
        switch news {
        case .audienceEntered(let entry):
            let member = entry.member
            let isNew = self.member(member.id) == nil
            name([member.profile])
            set(member)
            guard isNew else { return [] }
            memberCount &+= 1
            return [.memberEntered(member)]
        case .audienceLeft(let exit):
            guard exit.user != me.id else { return [] }
            let profile = profile(of: exit.user)
            members.removeAll { $0.id == exit.user }
            memberCount = max(1, memberCount &- 1)
            return [.memberLeft(profile, reason: exit.reason)]
        case .presence(let changed):
            let (user, presence) = (changed.user, changed.presence)
            let until = changed.until.map(Date.init(milliseconds:))
            presenceUntil[user] = presence == .reconnecting ? until : nil
            change(user) { $0.presence = presence }
            changeSeats(of: user) { $0.presence = presence }
            return [.presenceChanged(user: user, presence: presence, until: until)]
        case .ownerAbsent(let absence):
            let until = Date(milliseconds: absence.until)
            ownerAbsentUntil = until
            heir = absence.heir
            return [.ownerAbsent(until: until, heir: heir)]
        case .points(let points):
            pk.match?.ours = points.ours
            pk.match?.theirs = points.theirs
            return [.pointsChanged(points)]
        case .ownerBack:
            ownerAbsentUntil = nil
            heir = nil
            return [.ownerReturned]
        case .levels(let speaking): return [.levels(speaking.levels)]
        case .likes(let news):
            likes = news.total
            return [.likes(news)]
        case .count(let count):
            memberCount = count.memberCount
            return [.memberCountChanged(memberCount)]
        case .dropped(let dropped):
            chat = max(chat, dropped.to)
            return [.messagesMissed(dropped.from...dropped.to)]
        case .network(let report):
            network = report
            return [.networkChanged(report)]
        // Pictures are the web SDK's alone for now.
        case .pictures, .cameraWanted: return []
        }
    }

    /// A waiting invitation is on the list, any other is not.
    package mutating func note(_ invitation: Invitation) {
        invitations.removeAll { $0.id == invitation.id }
        if invitation.state == .waiting { invitations.append(invitation) }
    }

    /// Takes a settled invitation off the list: whoever settles one has the answer before the news.
    package mutating func forgetInvitation(_ id: String) { invitations.removeAll { $0.id == id } }
}
