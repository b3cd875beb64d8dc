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
        case .dropped(let from, let to):
            guard to > chat else { return .nothing }
            chat = to
            return .told([.messagesMissed(from...to)])
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
        case .updated(let info):
            self.info = info
            name([info.owner])
            return [.infoChanged(info)]
        case .attributesChanged(let change, let by):
            attributes = change.applied(to: attributes)
            return [.attributesChanged(set: change.set, removed: change.removed, by: by)]
        case .destroyed(let reason, let summary):
            phase = .ended(reason, summary)
            return [.ended(reason, summary)]
        case .seatTaken(let seat, let user, let by):
            sit(user, on: seat)
            return [.seatsChanged(seats), .seatTaken(seat, user: user, by: by)]
        case .seatLeft(let seat, let user, let reason, let by):
            name([user])
            set(seat)
            unseat(user.id, from: seat.index)
            presenceUntil[user.id] = nil
            return [.seatsChanged(seats), .seatLeft(seat, user: user, reason: reason, by: by)]
        case .seatMuted(let seat, let by):
            set(seat)
            return [.seatsChanged(seats), .seatMuted(seat, by: by)]
        case .seatClosed(let seat, let by):
            let sat = seats.indices.contains(seat.index) ? seats[seat.index].user : nil
            set(seat)
            if let sat, seat.user != sat { unseat(sat, from: seat.index) }
            return [.seatsChanged(seats), .seatClosed(seat, by: by)]
        case .microphoneMuted(let user, let muted, let seat):
            change(user) { $0.micMuted = muted }
            changeSeats(of: user) { $0.micMuted = muted }
            return [.microphoneMuted(user: user, muted: muted, seat: seat)]
        case .cameraChanged(let user, let camera, let seat, let by):
            changeSeats(of: user) { $0.camera = camera }
            return [.cameraChanged(user: user, camera: camera, seat: seat, by: by)]
        case .screenChanged(let user, let by):
            screen = user
            return [.screenChanged(user: user, by: by)]
        case .stageArranged(let stage, let by):
            self.stage = stage
            return [.stageArranged(stage, by: by)]
        case .gifted(let sent, let standing):
            giftStanding = standing
            return [.giftsSent(sent), .giftStandingChanged(standing)]
        case .messageDeleted(let number, let by):
            if let index = messages.lastIndex(where: { $0.chat == number }) {
                messages[index] = messages[index].withoutText
            }
            return [.messageDeleted(number, by: by)]
        case .pkChanged(let pk, let cause, let by):
            self.pk = pk
            return [.pkChanged(pk, cause, by: by)]
        case .roleChanged(let user, let role, let by):
            change(user) { $0.role = role }
            return [.roleChanged(user: user, role: role, by: by)]
        case .ownerChanged(let user, let reason):
            inherit(user)
            return [.infoChanged(info), .ownerChanged(user, reason: reason)]
        case .songChanged(let play, let reason, let by):
            self.play = play
            return [.songChanged(play, reason, by: by)]
        case .duetChanged(let mode, let by):
            duet = mode
            return [.duetChanged(mode, by: by)]
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
        case .audienceEntered(let member):
            let isNew = self.member(member.id) == nil
            name([member.profile])
            set(member)
            guard isNew else { return [] }
            memberCount &+= 1
            return [.memberEntered(member)]
        case .audienceLeft(let user, let reason):
            guard user != me.id else { return [] }
            let profile = profile(of: user)
            members.removeAll { $0.id == user }
            memberCount = max(1, memberCount &- 1)
            return [.memberLeft(profile, reason: reason)]
        case .presence(let user, let presence, let until):
            let until = until.map(Date.init(milliseconds:))
            presenceUntil[user] = presence == .reconnecting ? until : nil
            change(user) { $0.presence = presence }
            changeSeats(of: user) { $0.presence = presence }
            return [.presenceChanged(user: user, presence: presence, until: until)]
        case .ownerAbsent(let until, let heir):
            let until = Date(milliseconds: until)
            ownerAbsentUntil = until
            self.heir = heir
            return [.ownerAbsent(until: until, heir: heir)]
        case .points(let points):
            pk.match?.ours = points.ours
            pk.match?.theirs = points.theirs
            return [.pointsChanged(points)]
        case .ownerBack:
            ownerAbsentUntil = nil
            heir = nil
            return [.ownerReturned]
        case .levels(let levels): return [.levels(levels)]
        case .likes(let news):
            likes = news.total
            return [.likes(news)]
        case .count(let count):
            memberCount = count
            return [.memberCountChanged(count)]
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
