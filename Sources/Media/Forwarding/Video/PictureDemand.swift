/// What a viewer could get of one picture, and what each layer of it takes. Rates are bits a second.
struct PictureDemand {
    static let nothing = -1

    /// The highest layer that was chosen; below 0: none.
    var wanted: Int
    /// What the line allows so far.
    var allowed: Int
    private var rates = (-1.0, -1.0, -1.0)

    init(wanted: Int, allowed: Int) {
        self.wanted = wanted
        self.allowed = allowed
    }

    /// A layer that comes. 0: not known yet.
    mutating func setRate(_ rate: Double, of layer: Int) {
        switch layer {
        case 0: rates.0 = rate
        case 1: rates.1 = rate
        default: rates.2 = rate
        }
    }

    /// nil for a layer that does not come.
    private func rate(of layer: Int) -> Double? {
        let rate = layer == 0 ? rates.0 : layer == 1 ? rates.1 : rates.2
        return rate < 0 ? nil : rate
    }

    /// What is sent where the line carries no more. A higher layer that takes less than the lowest is better in both ways.
    var lowest: Int? {
        guard wanted >= 0, let first = (0..<VideoStage.maximumLayers).first(where: { rate(of: $0) != nil }) else {
            return nil
        }
        guard cost(first) > 0, let best = highest(upTo: wanted) else { return first }
        return (first...best).lazy.filter { cost($0) > 0 }.min { cost($0) < cost($1) }
    }

    /// What should be sent if the line were wide enough.
    var best: Int? { wanted < 0 ? nil : highest(upTo: wanted) ?? lowest }

    /// The highest layer that comes, up to this one.
    func highest(upTo layer: Int) -> Int? {
        guard layer >= 0 else { return nil }
        return (0...min(layer, VideoStage.maximumLayers - 1)).last { rate(of: $0) != nil }
    }

    /// The next one above.
    func above(_ layer: Int) -> Int? {
        guard let best, layer < best else { return nil }
        return (layer + 1...best).first { rate(of: $0) != nil }
    }

    /// What a layer takes; nothing while none is sent.
    func cost(_ layer: Int) -> Double { layer < 0 ? 0 : rate(of: layer) ?? 0 }

    /// What is sent as it is allowed now.
    var present: Int {
        wanted < 0 || allowed < 0 ? Self.nothing : highest(upTo: min(allowed, wanted)) ?? lowest ?? Self.nothing
    }
}
