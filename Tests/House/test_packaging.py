"""Who comes from pods finds the product and the import, as Package.swift has them."""

import pathlib
import re

from story import story

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "Documentation/build/migration.md").read_text()
# What the published guides tell their readers to add, in a Podfile or by hand.
PODS = {"TXLiteAVSDK_TRTC", "TXIMSDK_iOS", "TXAppBasic", "TUIChorus", "TUIVoiceRoom", "TUILiveRoom", "TCBeautyKit", "TXLiteAVSDK_Professional", "TencentEffect_…"}


def libraries(manifest):
    """Library products: name to targets."""
    return {name: re.findall(r'"(\w+)"', targets) for name, targets in re.findall(r'\.library\(name: "(\w+)", targets: \[([^\]]*)\]\)', manifest)}


def rows(guide):
    """The table's rows: names there, product here, import."""
    section = guide.split("\n## 1. ", 1)[1].split("\n## ", 1)[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 3 and cells[1] != "product here":
            yield re.findall(r"`([^`]+)`", cells[0]), re.findall(r"`(\w+)`", cells[1]), re.findall(r"`import (\w+)`", cells[2])


def wrong(guide, manifest):
    products, found, complaints = libraries(manifest), set(), []
    for there, product, imported in rows(guide):
        if not product:
            continue
        found.update(product)
        complaints += [f"no product {name}" for name in product if name not in products]
        complaints += [f"{product} does not bring the module {name}" for name in imported if name not in products.get(product[0], [])]
        complaints += [f"what is imported of {product}?"] if not imported else []
    return complaints + [f"the table does not name {name}" for name in sorted(products.keys() - found)]


@story("X03-C X03-K the table of pods gives each the product and the import that the package has, and leaves none out")
def test_table():
    manifest = (ROOT / "Package.swift").read_text()
    assert len(libraries(manifest)) == 3 and not wrong(GUIDE, manifest)
    named = {word for there, _, _ in rows(GUIDE) for word in there}
    assert PODS <= named, PODS - named


def test_the_check_sees_a_product_that_is_gone_and_one_that_is_new():
    manifest = (ROOT / "Package.swift").read_text()
    assert wrong(GUIDE, manifest.replace('.library(name: "UserSig"', '.library(name: "Tickets"')) == [
        "no product UserSig", "['UserSig'] does not bring the module UserSig", "the table does not name Tickets"]
