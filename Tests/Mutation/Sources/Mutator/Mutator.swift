import Foundation
import SwiftParser
import SwiftSyntax

/// Rewrites Swift files so that each guard and each effect can be broken at run time: `OVATION_MUTANT=17` leaves out, or
/// negates, what mutant 17 stands for. All mutants of a target are so compiled in one build.
///
///     Mutator <first number> <excluded numbers, with commas> <file>...
///
/// Writes each file in place, and a line of JSON for each mutant to standard output.
@main
struct Mutator {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 3, var next = Int(arguments[1]) else {
            FileHandle.standardError.write(Data("usage: Mutator <first> <excluded> <file>...\n".utf8))
            exit(2)
        }
        let excluded = Set(arguments[2].split(separator: ",").compactMap { Int($0) })
        for path in arguments[3...] {
            let source = try String(contentsOfFile: path, encoding: .utf8)
            let tree = Parser.parse(source: source)
            let declarations = LateVariables(viewMode: .sourceAccurate)
            declarations.walk(tree)
            let finder = MutantFinder(tree, first: next, excluded: excluded, late: declarations.names)
            finder.walk(tree)
            next = finder.next
            try finder.applied(to: source).write(toFile: path, atomically: true, encoding: .utf8)
            for mutant in finder.mutants {
                let fields: [String: Any] = [
                    "id": mutant.id, "file": path, "line": mutant.line, "end": mutant.end, "kind": mutant.kind,
                    "text": mutant.text,
                ]
                let line = try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
                print(String(decoding: line, as: UTF8.self))
            }
        }
    }
}

struct Mutant {
    var id: Int
    var line: Int
    /// Its last line.
    var end: Int
    var kind: String
    var text: String
}

/// Local variables that get their first value by an assignment, which cannot be left out.
final class LateVariables: SyntaxVisitor {
    private(set) var names: Set<String> = []

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.parent?.is(CodeBlockItemSyntax.self) == true else { return .visitChildren }
        for binding in node.bindings where binding.initializer == nil && binding.accessorBlock == nil {
            names.insert(binding.pattern.trimmedDescription)
        }
        return .visitChildren
    }
}

final class MutantFinder: SyntaxVisitor {
    private(set) var next: Int
    private(set) var mutants: [Mutant] = []
    private let excluded: Set<Int>
    private let late: Set<String>
    private let locations: SourceLocationConverter
    /// What is put in at which byte of the source. Of two at one place that open, the outer comes first; of two that close, last.
    private var opening: [Int: String] = [:]
    private var closing: [Int: String] = [:]
    private var initializerDepth = 0

    init(_ tree: SourceFileSyntax, first: Int, excluded: Set<Int>, late: Set<String>) {
        next = first
        self.excluded = excluded
        self.late = late
        locations = SourceLocationConverter(fileName: "", tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    func applied(to source: String) -> String {
        var bytes: [UInt8] = []
        for (place, byte) in (Array(source.utf8) + [0]).enumerated() {
            bytes += Array((closing[place] ?? "").utf8) + Array((opening[place] ?? "").utf8)
            bytes.append(byte)
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    private func wrap(_ node: some SyntaxProtocol, _ before: String, _ after: String) {
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = node.endPositionBeforeTrailingTrivia.utf8Offset
        opening[start, default: ""] += before
        closing[end] = after + (closing[end] ?? "")
    }

    // MARK: Effects

    // Every stored property must get its value.
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        initializerDepth += 1
        return .visitChildren
    }

    override func visitPost(_ node: InitializerDeclSyntax) { initializerDepth -= 1 }

    override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
        guard initializerDepth == 0, !(node.count == 1 && Self.mayGiveValue(node)) else { return .visitChildren }
        for item in node where isEffect(item) {
            if let id = add(item, "remove") { wrap(item, "if !__mutant(\(id)) { ", " }") }
        }
        return .visitChildren
    }

    /// Whether the only item of a body may be its value: functions that give something back, closures, accessors, branches of
    /// expressions.
    private static func mayGiveValue(_ node: CodeBlockItemListSyntax) -> Bool {
        guard let parent = node.parent else { return false }
        if parent.is(ClosureExprSyntax.self) || parent.is(AccessorBlockSyntax.self) { return true }
        if parent.is(SwitchCaseSyntax.self) { return isValueBranch(parent) }
        guard parent.is(CodeBlockSyntax.self), let owner = parent.parent else { return false }
        if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        if let accessor = owner.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.tokenKind == .keyword(.get)
        }
        if owner.is(IfExprSyntax.self) || owner.is(DoStmtSyntax.self) { return isValueBranch(owner) }
        return false
    }

    /// Whether an `if` or `switch` stands where its value may be used: as anything else than one of several statements.
    private static func isValueBranch(_ node: Syntax) -> Bool {
        var current: Syntax? = node
        while let here = current {
            if let items = here.as(CodeBlockItemListSyntax.self) {
                if items.count > 1 { return false }
                if mayGiveValue(items) { return true }
                // The only statement of a function that gives nothing back.
                guard let parent = items.parent else { return false }
                if let owner = parent.parent, owner.is(FunctionDeclSyntax.self) || owner.is(InitializerDeclSyntax.self)
                {
                    return false
                }
                current = parent
                continue
            }
            if here.is(InitializerClauseSyntax.self) || here.is(ReturnStmtSyntax.self)
                || here.is(LabeledExprSyntax.self) || here.is(SequenceExprSyntax.self)
            {
                return true
            }
            current = here.parent
        }
        return false
    }

    private func isEffect(_ item: CodeBlockItemSyntax) -> Bool {
        guard case .expr(var expression) = item.item else { return false }
        while true {
            if let inner = expression.as(TryExprSyntax.self) {
                expression = inner.expression
            } else if let inner = expression.as(AwaitExprSyntax.self) {
                expression = inner.expression
            } else {
                break
            }
        }
        if let call = expression.as(FunctionCallExprSyntax.self) {
            // Leaving out a trap, or what gives a base class its start, proves nothing.
            let name = call.calledExpression.trimmedDescription
            return !["preconditionFailure", "fatalError", "precondition", "assert", "assertionFailure"].contains(name)
                && !name.hasPrefix("super.")
        }
        guard let sequence = expression.as(SequenceExprSyntax.self) else { return false }
        let target = sequence.elements.first?.trimmedDescription ?? ""
        guard !late.contains(target), !target.hasPrefix("(") else { return false }
        // `_ =` is an effect like a call; an assignment to a variable is one unless it is its first value.
        return sequence.elements.contains { element in
            if element.is(AssignmentExprSyntax.self) { return true }
            guard let binary = element.as(BinaryOperatorExprSyntax.self) else { return false }
            let name = binary.operator.text
            return name.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(name)
        }
    }

    // MARK: Guards

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition, !Self.isInLoop(node), Self.canBeNegated(condition),
            let id = add(condition, "negate")
        {
            wrap(condition, "(__mutant(\(id)) != (", "))")
        }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        if Self.canBeNegated(node.condition), let id = add(node.condition, "negate") {
            wrap(node.condition, "(__mutant(\(id)) != (", "))")
        }
        return .visitChildren
    }

    /// A loop that never ends says nothing more than a test that runs out of time.
    private static func isInLoop(_ node: ConditionElementSyntax) -> Bool {
        node.parent?.parent?.is(WhileStmtSyntax.self) == true
    }

    private static func canBeNegated(_ expression: ExprSyntax) -> Bool {
        let text = expression.trimmedDescription
        return !text.contains("try ") && !text.contains("await ") && !text.hasPrefix("#")
    }

    private func add(_ node: some SyntaxProtocol, _ kind: String) -> Int? {
        let id = next
        next += 1
        guard !excluded.contains(id) else { return nil }
        let text = node.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let line = locations.location(for: node.positionAfterSkippingLeadingTrivia).line
        let end = locations.location(for: node.endPositionBeforeTrailingTrivia).line
        mutants.append(Mutant(id: id, line: line, end: end, kind: kind, text: text))
        return id
    }
}
