import SeededRandom

/// What is drawn from the seed.
struct Chance {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func percent(_ share: Int) -> Bool { number(0..<100) < share }
    mutating func pick<Element>(_ some: [Element]) -> Element? { some.randomElement(using: &generator) }
}
