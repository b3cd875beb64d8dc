"""Reads the public declarations of a Swift module out of its sources: what they are called, and whether a doc comment says what
they mean. From the sources and not from the compiler's symbol graph, so that it needs no build and takes a second.

It knows the Swift that is written here: declarations in types, extensions and protocols, signatures over several lines,
enum cases, accessors. It does not know conditional compilation: both branches of an `#if` count."""

import dataclasses
import re

MODIFIERS = {
    "public", "open", "package", "internal", "fileprivate", "private", "static", "class", "final", "mutating", "nonmutating",
    "override", "required", "convenience", "lazy", "weak", "unowned", "indirect", "nonisolated", "isolated", "dynamic", "prefix",
    "postfix", "infix", "consuming", "borrowing", "sending",
}
TYPES = {"struct", "class", "enum", "actor", "protocol", "extension"}
KEYWORDS = TYPES | {"func", "var", "let", "init", "deinit", "subscript", "case", "typealias", "associatedtype", "import", "operator"}
TOKEN = re.compile(
    r'(?P<doc>///[^\n]*|/\*\*(?:[^*]|\*(?!/))*\*/)|(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)'
    r'|(?P<string>#*"""(?:.|\n)*?"""#*|#*"(?:\\.|[^"\\\n])*"#*)|(?P<newline>\n)|(?P<space>[ \t\r]+)'
    r'|(?P<word>[#@]?`?[A-Za-z_$][A-Za-z_0-9$]*`?|[0-9][0-9a-zA-Z_.]*)|(?P<other>->|\.\.\.|\.\.<|&&|\|\||==|.)')
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
# Their meaning is that of the protocol which asks for them.
WITNESSES = re.compile(
    r"^(init\(from decoder: any Decoder\)|func encode\(to encoder: any Encoder\)|var description: String|static func (<|==) ?\("
    r"|func hash\(into )")


@dataclasses.dataclass
class Declaration:
    """`signature` has the full name of what it declares; `documented` is about its doc comment."""

    owner: str
    name: str
    signature: str
    documented: bool
    place: str


@dataclasses.dataclass
class Scope:
    """A type or extension whose body is being read. `members`: what a member without a modifier of its own is."""

    path: str
    kind: str
    is_public: bool
    members: str


class Reader:
    def __init__(self, text, place):
        self.tokens = [(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text)]
        self.text, self.place, self.at = text, place, 0
        self.found = []  # (scope path, access chain, declaration)

    def read(self):
        self.body(Scope("", "file", True, "internal"))
        return self.found

    def body(self, scope):
        """Declarations up to the closing brace."""
        documented, modifiers, attributes = False, [], []
        while self.at < len(self.tokens):
            kind, text, _ = self.tokens[self.at]
            if text == "}":
                self.at += 1
                return
            if kind == "doc":
                documented = True
            elif text.startswith("@"):
                attributes.append(self.attribute())
                continue
            elif text in KEYWORDS and not (text == "class" and self.word_after() in KEYWORDS | MODIFIERS):
                self.declaration(scope, text, modifiers, attributes, documented)
                documented, modifiers, attributes = False, [], []
                continue
            elif text in MODIFIERS:
                self.at += 1
                restriction = self.group() if self.peek() == "(" else ""
                modifiers.append(text + restriction)
                continue
            elif text in OPENING:
                self.group()
                documented, modifiers, attributes = False, [], []
                continue
            elif kind in ("word", "other", "string") and text != ";":
                documented = False
            self.at += 1

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def word_after(self):
        for kind, text, _ in self.tokens[self.at + 1:]:
            if kind not in ("space", "newline", "comment", "doc"):
                return text
        return ""

    def attribute(self):
        text = self.peek()
        self.at += 1
        return text + (self.group() if self.peek() == "(" else "")

    def group(self):
        """From an opening bracket to its closing one, with what is between."""
        parts, depth = [], 0
        while self.at < len(self.tokens):
            kind, text, _ = self.tokens[self.at]
            self.at += 1
            if kind in ("comment", "doc"):
                continue
            parts.append(text)
            if kind == "other":
                depth += (text in OPENING) - (text in CLOSING)
            if depth == 0:
                break
        return "".join(parts)

    def head(self, keyword):
        """The declaration up to its body, its initial value or the end of the line, and what stands there."""
        parts, last = [], ""
        while self.at < len(self.tokens):
            kind, text, _ = self.tokens[self.at]
            if kind == "other" and text in ("(", "["):
                group = self.group()
                parts.append(group)
                last = group[-1]
                continue
            if text == "{" or text == "}" or text == ";":
                return "".join(parts), text
            if text == "=" and keyword in ("var", "let"):
                return "".join(parts), text
            if kind == "newline":
                following = self.word_after() if self.peek() == "\n" else ""
                goes_on = last in (",", "->", ":", "=", "&", "") or following in (
                    "->", "where", "async", "throws", "rethrows", "{", ":", ",", "&", "?")
                if not goes_on:
                    return "".join(parts), "\n"
                parts.append(" ")
            elif kind in ("comment", "doc"):
                pass
            else:
                parts.append(text)
                if kind != "space":
                    last = text
            self.at += 1
        return "".join(parts), ""

    def declaration(self, scope, keyword, modifiers, attributes, documented):
        start = self.tokens[self.at][2]
        if keyword == "import":
            self.head(keyword)
            return
        if keyword not in ("init", "subscript", "deinit"):
            self.at += 1
        text, stop = self.head(keyword)
        text = re.sub(r"\s+", " ", text).strip()
        text = re.sub(r"\( ", "(", re.sub(r" \)", ")", text))
        access = next((m for m in modifiers if m in ("public", "open", "package", "internal", "fileprivate", "private")), scope.members)
        place = f"{self.place}:{self.text.count(chr(10), 0, start) + 1}"
        if keyword in TYPES:
            name = re.match(r"[\w.`]+", text)[0]
            path = ".".join(p for p in (scope.path, name) if p)
            is_public = access in ("public", "open")
            if keyword == "extension":
                inner = Scope(path, keyword, scope.is_public, access if is_public else "internal")
                if ":" in text:
                    signature = f"extension {text}"
                    self.found.append((scope, "conformance", Declaration(path, "", signature, True, place)))
            else:
                self.add(scope, name, f"{keyword} {path}{text[len(name):]}", access, modifiers, attributes, documented, place)
                inner = Scope(path, keyword, is_public and scope.is_public, "public" if keyword == "protocol" and is_public else "internal")
            if stop == "{":
                self.at += 1
                self.body(inner)
            return
        if keyword == "case":
            if scope.kind == "enum":
                self.cases(scope, text, attributes, documented, place)
            return
        accessors = ""
        if keyword in ("var", "let", "subscript"):
            accessors = self.accessors(keyword, modifiers, text, stop)
            if stop == "=":
                initial = self.initial()
                if ":" not in text:
                    text += f" = {initial}"
        elif stop == "{":
            self.group()
        if keyword == "deinit":
            return
        name = re.match(r"init[?!]?|subscript|[^\s(<:=]+|[<=>!&|+*/%^~-]+", text)[0]
        owner = scope.path + "." if scope.path else ""
        lead = "" if keyword in ("init", "subscript") else keyword + " "
        self.add(scope, name, f"{lead}{owner}{text}{accessors}", access, modifiers, attributes, documented, place, lead + text)

    def initial(self):
        """The value after `=`, to the end of the line or of its brackets; what observes the variable is skipped."""
        self.at += 1
        parts, last = [], "="
        while self.at < len(self.tokens):
            kind, text, _ = self.tokens[self.at]
            if kind == "newline" and last not in ("=", ",", "?", ":"):
                break
            if text == "{" and self.word_after() in ("didSet", "willSet"):
                self.group()
                break
            if text in OPENING and kind == "other":
                group = self.group()
                parts.append(group)
                last = group[-1]
                continue
            if text == "}" and kind == "other":
                break
            if kind not in ("comment", "doc"):
                parts.append(text)
                if kind not in ("space", "newline"):
                    last = text
            self.at += 1
        return re.sub(r"\s+", " ", "".join(parts)).strip()

    def accessors(self, keyword, modifiers, text, stop):
        if keyword == "let":
            return " { get }"
        restricted = any(re.fullmatch(r"\w+\(set\)", m) for m in modifiers)
        if stop != "{":
            return " { get }" if restricted else " { get set }"
        body = self.group()
        # Accessors stand at the front of the body or after a finished one.
        has_setter = re.search(r"(?:^\{|[;}\n])\s*(?:nonmutating |mutating )?(?:set|_modify)\b\s*[{(\s}]", body) is not None
        observes = re.match(r"\{\s*(?:didSet|willSet)\b", body) is not None
        return " { get set }" if (has_setter or observes) and not restricted else " { get }"

    def cases(self, scope, text, attributes, documented, place):
        depth, parts = 0, [""]
        for character in text:
            depth += (character in "([") - (character in ")]")
            if character == "," and depth == 0:
                parts.append("")
            else:
                parts[-1] += character
        for part in parts:
            part = part.strip()
            name = re.match(r"[\w`]+", part)[0]
            self.found.append((scope, "public" if scope.is_public else "internal", Declaration(
                scope.path, name, f"{''.join(a + ' ' for a in attributes)}case {scope.path}.{part}", documented, place)))

    def add(self, scope, name, signature, access, modifiers, attributes, documented, place, bare=""):
        kept = [m for m in modifiers if re.fullmatch(r"static|class|final|mutating|nonisolated.*|open|indirect|required|convenience", m)]
        text = re.sub(r"\s+", " ", " ".join([a for a in attributes if not a.startswith(("@inlinable", "@usableFromInline"))] + kept + [signature]))
        witness = WITNESSES.match(" ".join([m for m in modifiers if m == "static"] + [bare])) is not None
        self.found.append((scope, access, Declaration(scope.path, name, text, documented or witness, place)))


def public_declarations(files):
    """`files`: (place, text) of every source of a module. What is public in a type that is not public does not count."""
    found = [entry for place, text in files for entry in Reader(text, place).read()]
    known = {}
    for scope, access, declaration in found:
        match = re.search(r"\b(?:struct|class|enum|actor|protocol) ([\w.`]+)", declaration.signature)
        if match and match[1] == ".".join(p for p in (scope.path, declaration.name) if p):
            known[match[1]] = access in ("public", "open")

    def is_visible(path):
        parts = path.split(".") if path else []
        return all(known.get(".".join(parts[:n]), True) for n in range(1, len(parts) + 1))

    protocols = {d.owner + "." * bool(d.owner) + d.name for _, _, d in found if d.signature.startswith("protocol ")}
    asked = {d.signature: d.documented for scope, _, d in found if scope.kind == "protocol"}
    for scope, _, d in found:
        if scope.kind == "extension" and scope.path in protocols:
            # What a requirement means stands with the requirement.
            if d.signature in asked:
                d.documented = d.documented or asked[d.signature]
                d.signature += "  // default"
    def tells(declaration):
        """A conformance to protocols of this package alone says nothing to others."""
        return any(known.get(name.strip(), True) for name in declaration.signature.split(":", 1)[1].split(" where ")[0].split(","))

    return [
        d for scope, access, d in found
        if (access in ("public", "open") and is_visible(d.owner)) or (access == "conformance" and d.owner in known and is_visible(d.owner) and tells(d))
    ]


def reexported(files):
    return sorted({name for _, text in files for name in re.findall(r"^@_exported public import (\w+)$", text, re.MULTILINE)})


def lines(declarations):
    """One signature a line, members after their type."""
    return [d.signature for d in sorted(declarations, key=lambda d: (".".join(p for p in (d.owner, d.name) if p), d.name == "", d.signature))]
