import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

/// R01: what an app keeps with a room.
@Suite struct AttributeRulesTests {
    private func refusal(_ stage: Stage, _ draft: AttributesDraft) -> RoomError.Code? {
        var stage = stage
        return stage.refusal(.setAttributes(draft), by: .owner)
    }

    @Test("R01 attributes are set, changed and removed; only what is different is told")
    func changes() throws {
        var stage = Stage()
        func set(_ draft: AttributesDraft) throws -> [RoomEvent] {
            try stage.run(.setAttributes(draft), by: .owner).events
        }
        #expect(
            try set(AttributesDraft(set: ["a": "1", "b": "2"]))
                == [.attributesChanged(AttributesChange(set: ["a": "1", "b": "2"]))])
        #expect(
            try set(AttributesDraft(set: ["a": "1", "b": "3"], remove: ["gone"]))
                == [.attributesChanged(AttributesChange(set: ["b": "3"]))])
        #expect(try set(AttributesDraft(set: ["b": "3"])).isEmpty)
        #expect(
            try set(AttributesDraft(set: ["c": ""], replace: true))
                == [.attributesChanged(AttributesChange(set: ["c": ""], removed: ["a", "b"]))])
        #expect(stage.state.details.attributes == ["c": ""])
        #expect(
            try set(AttributesDraft(remove: ["c", "c"]))
                == [.attributesChanged(AttributesChange(removed: ["c"]))])
        #expect(try set(AttributesDraft(replace: true)).isEmpty)
        #expect(stage.state.details.attributes.isEmpty)
    }

    @Test(
        "R01-S what is added to a number is added in the room's turn; to words, past 64 bits and twice at once nothing is"
    )
    func adding() throws {
        var stage = Stage()
        func add(_ name: String, _ amount: Int64) throws -> String? {
            try stage.run(.setAttributes(AttributesDraft(add: [name: amount])), by: .owner)
            return stage.state.details.attributes[name]
        }
        #expect(try add("votes", 5) == "5")
        #expect(try add("votes", -7) == "-2")
        #expect(try add("votes", 2) == "0")
        #expect(try add("most", .max) == String(Int64.max))
        #expect(try add("least", .min) == String(Int64.min))
        try stage.run(.setAttributes(AttributesDraft(set: ["words": "night", "padded": " 1"])), by: .owner)
        for draft in [
            AttributesDraft(add: ["most": 1]), AttributesDraft(add: ["least": -1]), AttributesDraft(add: ["words": 1]),
            AttributesDraft(add: ["padded": 1]), AttributesDraft(set: ["votes": "1"], add: ["votes": 1]),
            AttributesDraft(add: ["votes": 1], remove: ["votes"]), AttributesDraft(add: ["": 1]),
        ] { #expect(refusal(stage, draft) == .invalidParams, "\(draft)") }
        let many = Dictionary(uniqueKeysWithValues: (0..<16).map { ("n\($0)", Int64(1)) })
        #expect(refusal(stage, AttributesDraft(set: ["more": "1"], add: many)) == .attributesFull)
        // What others have is not looked at by who replaces them all.
        try stage.run(.setAttributes(AttributesDraft(add: ["votes": 1], replace: true)), by: .owner)
        #expect(stage.state.details.attributes == ["votes": "1"])
    }

    @Test("R01 a room keeps 16 attributes of 4,000 bytes each and 16,000 in all; names can be read")
    func limits() throws {
        var stage = Stage()
        let bytes = String(repeating: "x", count: 4_000)
        for name in ["", String(repeating: "n", count: 33), "\u{0}", " "] {
            #expect(refusal(stage, AttributesDraft(set: [name: "1"])) == .invalidParams, "\(name)")
        }
        #expect(refusal(stage, AttributesDraft(set: ["a": bytes + "x"])) == .invalidParams)
        #expect(refusal(stage, AttributesDraft(set: ["a": "1"], remove: ["a"])) == .invalidParams)
        let full = Dictionary(uniqueKeysWithValues: (0..<16).map { ("n\($0)", "1") })
        #expect(refusal(stage, AttributesDraft(set: full.merging(["more": "1"]) { $1 })) == .attributesFull)
        try stage.run(.setAttributes(AttributesDraft(set: full)), by: .owner)
        #expect(refusal(stage, AttributesDraft(set: ["more": "1"])) == .attributesFull)
        // One goes, one comes.
        try stage.run(.setAttributes(AttributesDraft(set: ["more": "1"], remove: ["n0"])), by: .owner)
        let large = Dictionary(uniqueKeysWithValues: (0..<4).map { ("l\($0)", String(bytes.dropLast(2))) })
        try stage.run(.setAttributes(AttributesDraft(set: large, replace: true)), by: .owner)
        #expect(refusal(stage, AttributesDraft(set: ["l0": bytes])) == .attributesFull)
        // Longer on the wire than it looks: each of these takes six bytes there.
        let control = ["l0", "l1"].map { ($0, String(repeating: "\u{1}", count: 3_998)) }
        #expect(refusal(stage, AttributesDraft(set: Dictionary(uniqueKeysWithValues: control))) == .attributesFull)
        #expect(stage.state.details.attributes == large)
    }
}
