"""Real browsers against a real server process. Each test starts its own server on an empty directory unless it shares one."""

import contextlib
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from browsers import HANDS, Chromium, Firefox  # noqa: E402
from narrow_way import NarrowWay  # noqa: E402
from server import Server  # noqa: E402

ARTIFACTS = pathlib.Path(__file__).parent / ".artifacts"


def pytest_configure(config):
    config.addinivalue_line("markers", "nightly: not in `make test`")
    config.addinivalue_line("markers", "first: takes minutes, and begins while there are others to run beside it")
    config.addinivalue_line("markers", "settings(*flags): the server's, beside its own")


@pytest.hookimpl(hookwrapper=True)
def pytest_collection_modifyitems(items):
    """A test is known by its sentence, which carries the ids of the rows that it proves. Wrapped around the others, since xdist writes a
    test's group behind that name."""
    for item in items:
        sentence = getattr(item.function, "story", None)
        if sentence:
            item._nodeid = f"{item.nodeid.split('::')[0]}::{sentence}"
        # What several stories of a file share is made once, by the worker that gets them all.
        shared = item.session._fixturemanager.getfixturedefs
        if any(found.scope == "module" for name in item.fixturenames for found in shared(name, item) or ()):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    items.sort(key=lambda item: item.get_closest_marker("first") is None)
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    setattr(item, "report_" + call.when, outcome.get_result())


@pytest.fixture
def narrow():
    """`narrow(rate)` is a line between the server and a network namespace, for browsers to be started in."""
    if os.geteuid() != 0 or not os.path.exists("/dev/net/tun"):
        pytest.skip("a network namespace needs root and /dev/net/tun")
    with contextlib.ExitStack() as ways:
        yield lambda rate, **line: ways.enter_context(contextlib.closing(NarrowWay(rate, **line)))


@pytest.fixture
def server(request, tmp_path):
    """With the flags of the test's `settings` marker."""
    marker = request.node.get_closest_marker("settings")
    with Server(tmp_path / "data", *(marker.args if marker else ())) as running:
        yield running


@pytest.fixture
def people(request, server, tmp_path):
    """`people(name, tone=440)` opens a browser window of that person; closed, and checked for console errors, at the end."""
    opened = []

    def arrive(name, browser="chromium", **options):
        kind = {"chromium": Chromium, "firefox": Firefox}[browser]
        person = kind(name, server, tmp_path / f"profile-{len(opened)}", **options)
        opened.append(person)
        return person

    yield arrive
    failed = getattr(request.node, "report_call", None) is not None and request.node.report_call.failed
    complaints, ending = [], []
    for person in (p for p in opened if not getattr(p, "closed", False)):
        if failed:
            ARTIFACTS.mkdir(exist_ok=True)
            person.screenshot(ARTIFACTS / f"{request.function.__name__}-{person.name}.png")
            print(f"--- console of {person.name}\n" + "\n".join(person.console()))
        complaints += [f"{person.name}: {line}" for line in person.complaints()]
        # What a failed story leaves behind nobody knows.
        ending.append(HANDS.submit(person.close if failed else person.leave))
    for end in ending:
        end.result()
    if failed:
        print("--- server log\n" + server.log()[-4000:])
    assert failed or not complaints, "console errors:\n" + "\n".join(complaints)
