"""A setting stands in four places: the table `SettingKey.all`, the commented file, the flags, and what the flags say to the
table. All four name the same settings, each under its own name; that the file says the defaults is tested in Swift."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = (ROOT / "Sources/Server/ServerApp/Configuration/ServerSettings.swift").read_text()
OPTIONS = (ROOT / "Sources/Tool/OvationTool/SettingsOptions.swift").read_text()
FILE = (ROOT / "Configuration/ovation.yml").read_text()
# The settings file itself cannot be named in it.
NOT_A_SETTING = "config"


def table():
    """Names of `SettingKey.all`, and whether each is a list."""
    rows = TABLE[TABLE.index("static let all") : TABLE.index("static func named")]
    return {name: kind == "list" for kind, name in re.findall(r'(\w+)\("([a-z_.]+)", \\\.', rows)}


def file():
    """Names in the commented file; a list has brackets."""
    found, section = {}, ""
    for line in FILE.splitlines():
        match = re.match(r"( *)([a-z_]+):(.*)", line)
        if match is None:
            continue
        indent, key, value = match.groups()
        if not indent:
            section = "" if value.strip() else key + "."
        if value.strip():
            found[(section if indent else "") + key] = value.strip().startswith("[")
    return found


def variables():
    """The options: name of the variable, its flag, and whether it is a list."""
    found = {}
    for head, name, kind in re.findall(r"@Option\(((?:[^()]|\([^()]*\))*)\)\s+var (\w+): (\S+)", OPTIONS):
        own = re.search(r'\.customLong\("([^"]+)"\)', head)
        flag = own[1] if own else re.sub(r"(?=[A-Z])", "-", name).lower()
        found[name] = (flag, kind.startswith("["))
    found.pop(NOT_A_SETTING)
    return found


def given():
    """What the options say to the table: the setting's name, the variable, and whether it is told as a list."""
    body = OPTIONS[OPTIONS.index("var given") :]
    single, lists = body[: body.index("let lists")], body[body.index("let lists") :]
    return [(name, variable, told is lists) for told in (single, lists) for name, variable in re.findall(r'\("([a-z_.]+)", (\w+)\)', told)]


def test_the_commented_file_names_every_setting_and_no_other():
    assert file() == table()


def test_every_setting_has_its_flag_and_every_flag_its_setting():
    flags = dict(variables().values())
    assert flags == {re.sub(r"[._]", "-", name): is_list for name, is_list in table().items()}


def test_every_flag_reaches_the_setting_of_its_name():
    told = given()
    assert len(told) == len(variables())
    assert {name: is_list for name, _, is_list in told} == table()
    for name, variable, _ in told:
        assert variables()[variable][0] == re.sub(r"[._]", "-", name), f"{name} is given what {variable} says"
