"""Whoever uses the packages can read what each public name means, and sees each change of them."""

import importlib.machinery
import importlib.util
import pathlib

from swift_api import lines, public_declarations

ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("api", str(ROOT / "scripts/api"))
api = importlib.util.module_from_spec(importlib.util.spec_from_loader("api", loader))
loader.exec_module(api)

DOCUMENTED = ["Ovation", "TRTCCompat", "UserSig", "RoomModel", "AudioGraph"]


def undocumented(files):
    return [f"{d.place}: {d.signature}" for d in public_declarations(files) if not d.documented]


def test_every_public_declaration_has_a_doc_comment():
    counted = 0
    wrong = []
    for module in DOCUMENTED:
        files = api.sources(module)
        counted += len(public_declarations(files))
        wrong += undocumented(files)
    assert counted > 800, "the reader of the sources has lost most of them"
    assert not wrong, f"{len(wrong)} public declarations without a doc comment:\n" + "\n".join(wrong)


def test_the_public_api_is_the_reviewed_one():
    changes = []
    for product in api.PRODUCTS:
        file = ROOT / f"Documentation/build/api/{product}.txt"
        reviewed, present = file.read_text().splitlines(), api.api(product).splitlines()
        changes += [f"{product}: - {line}" for line in reviewed if line not in present]
        changes += [f"{product}: + {line}" for line in present if line not in reviewed]
        assert changes or reviewed == present, f"{file.name} is in another order: make api"
    assert not changes, "the public API has changed; if that is meant, `make api` and have it reviewed:\n" + "\n".join(changes)


PLANTED = '''
/// A person.
public struct Person: Sendable {
    public var name: String
    /// From one to the other.
    public func greet(
        _ other: Person,  // whom
        loudly: Bool = false
    ) async throws(Refused) -> [String: Int] where Person: Sendable { "}" + other.name }
    /// Where one is.
    public internal(set) var place = Place.home { didSet { note("{") } }
    /// Both.
    public var both: (Int, Int) { get { (1, 2) } set { print(newValue) } }
    var secret: Int { 1 }
    public init(from decoder: any Decoder) throws { name = "" }
    /// Where people are.
    public enum Place: String, Sendable { case home, away(Int, of: String) }
    package struct Inner { public var hidden = 1 }
}

extension Person: CustomStringConvertible { public var description: String { name } }

struct Own { public var mine: Int }
extension Own { public func mute() {} }
/// What listeners can be told.
public protocol Listener: AnyObject {
    func heard(_ text: String)
    /// All is quiet.
    func quiet()
}
extension Listener { public func quiet() {} }
@available(*, deprecated, renamed: "Person")
/// Its former name.
public typealias Human = Person
'''


def test_the_reader_of_the_sources_sees_what_is_planted():
    files = [("planted.swift", PLANTED)]
    assert lines(public_declarations(files)) == [
        '@available(*, deprecated, renamed: "Person") typealias Human = Person',
        "protocol Listener: AnyObject",
        "func Listener.heard(_ text: String)",
        "func Listener.quiet()",
        "func Listener.quiet()  // default",
        "struct Person: Sendable",
        "extension Person: CustomStringConvertible",
        "enum Person.Place: String, Sendable",
        "case Person.Place.away(Int, of: String)",
        "case Person.Place.home",
        "var Person.both: (Int, Int) { get set }",
        "var Person.description: String { get }",
        "func Person.greet(_ other: Person, loudly: Bool = false) async throws(Refused) -> [String: Int] where Person: Sendable",
        "Person.init(from decoder: any Decoder) throws",
        "var Person.name: String { get set }",
        "var Person.place = Place.home { get }",
    ]
    assert [line.split(": ", 1)[1] for line in undocumented(files)] == [
        "var Person.name: String { get set }", "case Person.Place.home", "case Person.Place.away(Int, of: String)",
        "func Listener.heard(_ text: String)",
    ]
