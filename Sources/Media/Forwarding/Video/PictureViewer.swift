package import BandwidthEstimation
package import RTP
package import Timing

/// One person's way of seeing the pictures of a room: which layer of each its line can carry, and when its packets leave.
///
/// Where nothing tells what its line carries, everything leaves as it comes. Owned by the stages' thread; lives as long as the viewer is at
/// a stage.
package final class PictureViewer {
    /// What leaves for a viewer. The closures must not call back.
    package struct Exits {
        package var send: VideoStage.Send
        /// A packet that was sent before.
        package var again: VideoStage.Send
        /// Nothing but bytes, as if it were that packet.
        package var fill: (_ handle: Int, _ packet: OutgoingPacket, _ length: Int) -> Void
        package var ask: VideoStage.Ask

        package init(
            send: @escaping VideoStage.Send, again: @escaping VideoStage.Send,
            fill: @escaping (Int, OutgoingPacket, Int) -> Void, ask: @escaping VideoStage.Ask
        ) {
            self.send = send
            self.again = again
            self.fill = fill
            self.ask = ask
        }
    }

    /// What it gets of one picture.
    package struct Gets: Equatable {
        package enum Lack: Equatable {
            /// Its line carries no more.
            case line
            /// Nothing comes any more from who shows it.
            case sender
        }

        package unowned let stage: VideoStage
        package let slot: Int
        /// Below 0: nothing.
        package let layer: Int
        /// Why it is less than it wants.
        package let lack: Lack?

        package static func == (one: Gets, other: Gets) -> Bool {
            one.stage === other.stage && one.slot == other.slot && one.layer == other.layer && one.lack == other.lack
        }
    }

    /// Where its consumer is.
    private struct View {
        unowned let stage: VideoStage
        let slot: Int
        var index: Int
    }

    /// What waited longer than this is not worth sending: the picture goes on at a key frame.
    static let longestWait = Interval.seconds(1)
    /// How often it is looked at what the line carries, if nothing is heard of it.
    private static let look = Interval.milliseconds(200)
    /// What it gets is told once it has stayed so for this long: people read it. Until a line is known it changes quickly.
    private static let settled = Interval.seconds(2)
    /// Packets are looked for that far back to fill a probe.
    private static let shortestPause = Interval.milliseconds(1)
    private static let fillingDepth: UInt64 = 48
    private static let paddingLength = 255

    package let member: MemberID
    package let handle: Int
    /// What its line carries; nil while nothing tells.
    package var bandwidth: SendBandwidth?
    /// In the order of their importance.
    private var views: [View] = []
    /// Something waits for the line; whoever drives the viewer has been told.
    private var isWaiting = false
    private var nextLook = Instant.distantPast
    private var lastDriven = Instant.distantPast
    private var allocator = LayerAllocator()
    private var fillingBack: UInt64 = 0
    private var gets: [Gets] = []
    /// The same as of now, kept for its memory.
    private var present: [Gets] = []
    private var getsSince = Instant.distantPast
    private var isTold = true
    /// Made with the first request for a repeat.
    var limiter: RepeatLimiter?
    var keyFrames = TokenBucket(VideoStage.keyFrameAllowance, now: .distantPast)

    package init(_ member: MemberID, handle: Int, bandwidth: SendBandwidth? = nil) {
        self.member = member
        self.handle = handle
        self.bandwidth = bandwidth
    }

    // MARK: Views

    func index(at stage: VideoStage, _ slot: Int) -> Int? {
        views.first { $0.stage === stage && $0.slot == slot }?.index
    }

    /// Its slots at that stage, and its place among the consumers of each.
    func places(at stage: VideoStage) -> [(slot: Int, index: Int)] {
        views.filter { $0.stage === stage }.map { ($0.slot, $0.index) }
    }

    func setIndex(_ index: Int?, at stage: VideoStage, _ slot: Int) {
        let place = views.firstIndex { $0.stage === stage && $0.slot == slot }
        switch (place, index) {
        case (let place?, let index?): views[place].index = index
        case (let place?, nil): views.remove(at: place)
        case (nil, let index?):
            let view = View(stage: stage, slot: slot, index: index)
            let end = views.firstIndex { $0.stage.importance < stage.importance } ?? views.endIndex
            views.insert(view, at: end)
            nextLook = .distantPast
        case (nil, nil): break
        }
    }

    // MARK: Leaving

    @inline(__always)
    func mayLeave(at now: Instant) -> Bool {
        guard let bandwidth else { return true }
        return !isWaiting && bandwidth.mayLeave(at: now)
    }

    /// Something has to wait; true if that is new.
    func waitsAnew() -> Bool {
        defer { isWaiting = true }
        return !isWaiting
    }

    /// When it is to be looked at again at the latest.
    package func nextDeadline(at now: Instant) -> Instant {
        guard let bandwidth, !views.isEmpty else { return .distantFuture }
        let look = bandwidth.hasNews ? now : nextLook
        // Portions, not packets: nobody is driven more often.
        let leave = max(lastDriven + Self.shortestPause, bandwidth.nextLeave)
        return min(look, isWaiting ? leave : max(leave, bandwidth.nextProbeDue))
    }

    /// Sends what waits as far as the line takes it, decides anew who gets what, and fills probes.
    package func advance(to now: Instant, _ exits: Exits) {
        guard let bandwidth, !views.isEmpty else { return }
        lastDriven = now
        if bandwidth.hasNews || nextLook <= now {
            bandwidth.hasNews = false
            nextLook = now + Self.look
            bandwidth.advance(to: now)
            allocate(bandwidth, at: now, exits)
        }
        sendWaiting(at: now, exits)
        fillProbe(bandwidth, at: now, exits)
    }

    /// Sends what waits, as far as the line takes it.
    func sendWaiting(at now: Instant, _ exits: Exits) {
        guard isWaiting, let bandwidth else { return }
        while bandwidth.mayLeave(at: now) {
            guard let (view, came) = oldest() else {
                isWaiting = false
                return
            }
            if now - came > Self.longestWait {
                view.stage.skip(view.slot, view.index, at: now, exits)
            } else {
                view.stage.sendNext(view.slot, view.index, at: now, exits)
            }
        }
    }

    /// The view whose next packet came first, and when.
    private func oldest() -> (view: View, came: Instant)? {
        var found: (view: View, came: Instant)?
        for view in views {
            guard let came = view.stage.waiting(view.slot, view.index), came < found?.came ?? .distantFuture else {
                continue
            }
            found = (view, came)
        }
        return found
    }

    /// Sends what a probe lacks. Where nothing of it leaves (the way is not open, or has no repeats), it is given up: to try on would
    /// never end.
    private func fillProbe(_ bandwidth: SendBandwidth, at now: Instant, _ exits: Exits) {
        var due = bandwidth.probeDue(at: now)
        while due > 0, bandwidth.mayLeave(at: now) {
            fill(at: now, exits)
            let left = bandwidth.probeDue(at: now)
            guard left < due else { return bandwidth.giveUpProbe() }
            due = left
        }
    }

    /// Sends one packet that tells nothing new.
    private func fill(at now: Instant, _ exits: Exits) {
        for _ in 0..<Self.fillingDepth {
            fillingBack = (fillingBack + 1) % Self.fillingDepth
            for view in views where view.stage.sendFilling(view.slot, view.index, back: fillingBack, at: now, exits) {
                return
            }
        }
        guard let view = views.first else { return }
        view.stage.sendPadding(view.slot, view.index, length: Self.paddingLength, exits)
    }

    // MARK: Which layers

    private func allocate(_ bandwidth: SendBandwidth, at now: Instant, _ exits: Exits) {
        let pictures = views.map { $0.stage.demand($0.slot, $0.index, at: now) }
        let decision = allocator.decide(
            pictures, available: bandwidth.available(at: now), isSettled: !bandwidth.isProbing, at: now)
        let isShort = zip(decision.layers, pictures).contains { $0 < $1.best ?? PictureDemand.nothing }
        bandwidth.setWishes(
            wanted: LayerAllocator.wanted(pictures), least: LayerAllocator.least(pictures), isShort: isShort, at: now)
        for (place, view) in views.enumerated() where decision.layers[place] != pictures[place].allowed {
            // What is not sent for another reason keeps what the line allowed.
            guard pictures[place].best != nil else { continue }
            view.stage.allow(
                view.slot, view.index, decision.layers[place], isUrgent: decision.isUrgent, at: now, exits)
        }
        noteGets(decision.layers, pictures, at: now)
    }

    private func noteGets(_ layers: [Int], _ pictures: [PictureDemand], at now: Instant) {
        present.removeAll(keepingCapacity: true)
        for (place, view) in views.enumerated() {
            let (layer, picture) = (layers[place], pictures[place])
            if let best = picture.best {
                present.append(
                    Gets(stage: view.stage, slot: view.slot, layer: layer, lack: layer < best ? .line : nil))
            } else if picture.wanted >= 0, view.stage.isSilent(view.slot, at: now) {
                present.append(Gets(stage: view.stage, slot: view.slot, layer: -1, lack: .sender))
            }
        }
        guard present != gets else { return }
        swap(&gets, &present)
        getsSince = now
        isTold = false
    }

    /// What it gets of all pictures, if that has changed and is worth telling.
    package func takeNews(at now: Instant) -> [Gets]? {
        guard !isTold, now - getsSince >= Self.settled else { return nil }
        isTold = true
        return gets
    }
}
