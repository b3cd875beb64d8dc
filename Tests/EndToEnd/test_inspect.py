"""What `ovation inspect` may still do once it has a stranger's file, and that it is confined under the filter of the shipped unit too."""

import ctypes
import pathlib
import platform
import struct
import subprocess

import pytest
from server import EXECUTABLE, ROOT
from story import story

SONG = next((ROOT / "Web/songs").glob("*/accompaniment.mp3"))
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW, EPERM = 0x7FFF0000, 0x00050000 | 1
# x86-64; the units' filter (@system-service) has prctl and not seccomp.
SECCOMP, PRCTL = 317, 157


def refusing(*numbers):
    """A filter that answers these calls with EPERM, as SystemCallErrorNumber=EPERM in the unit does."""

    def instruction(code, true, false, value):
        return struct.pack("HBBI", code, true, false, value)

    program = instruction(0x20, 0, 0, 0)
    for number in numbers:
        program += instruction(0x15, 0, 1, number) + instruction(0x06, 0, 0, EPERM)
    program += instruction(0x06, 0, 0, ALLOW)

    def install():
        libc = ctypes.CDLL(None, use_errno=True)
        buffer = ctypes.create_string_buffer(program)

        class Program(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        filter_ = Program(len(program) // 8, ctypes.addressof(buffer))
        assert libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_), 0, 0) == 0

    return install


def inspect(*arguments, file=SONG, **more):
    with open(file, "rb") as song:
        return subprocess.run([EXECUTABLE, "inspect", *arguments], stdin=song, capture_output=True, timeout=60, **more)


@story("R11-S a reader of strangers' files opens nothing and connects nowhere once it has the file")
def test_calls():
    with open(SONG, "rb") as song:
        traced = subprocess.run(["strace", "-f", EXECUTABLE, "inspect", "look"], stdin=song, capture_output=True, timeout=60)
    if traced.returncode != 0:
        pytest.skip(f"strace cannot trace here: {traced.stderr[-200:]}")
    calls = traced.stderr.decode(errors="replace")
    confined = calls[calls.index("PR_SET_NO_NEW_PRIVS"):]
    after = confined[confined.index("\n"):]
    assert "read(0," in after and "read(0," not in calls[: calls.index("PR_SET_NO_NEW_PRIVS")], "the file is touched before"
    for line in after.splitlines():
        if any(line.lstrip("0123456789[]pid ").startswith(call) for call in ("open", "socket", "connect", "clone", "execve", "kill")):
            assert "EPERM" in line, line


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of the calls are those of x86-64")
@story("R11-S the reader is confined under the unit's filter, and reads nothing where it cannot be")
def test_within_a_filter():
    plain = inspect("look")
    assert plain.returncode == 0 and len(plain.stdout) == 8
    within = inspect("look", preexec_fn=refusing(SECCOMP))
    assert (within.returncode, within.stdout) == (0, plain.stdout)
    decoded = inspect("decode", "2400000", preexec_fn=refusing(SECCOMP))
    assert decoded.returncode == 0 and len(decoded.stdout) > 8
    never = inspect("look", preexec_fn=refusing(SECCOMP, PRCTL))
    assert (never.returncode, never.stdout) == (71, b"")


@story("R11-S the reader says what it cannot read, and how it is used")
def test_statuses(tmp_path):
    nothing = pathlib.Path(tmp_path / "nothing")
    nothing.write_bytes(b"nothing")
    assert inspect("look", file=nothing).returncode == 65
    assert inspect("decode", "0", file=nothing).returncode == 65
    for arguments in ((), ("open",), ("decode",), ("decode", "x"), ("decode", "-1"), ("look", "more")):
        assert inspect(*arguments).returncode == 64
