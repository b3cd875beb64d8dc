import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
# Here too a test that proves a row goes by a sentence: `story`, after the modules of this folder.
sys.path.append(str(pathlib.Path(__file__).parents[1] / "EndToEnd"))


def pytest_configure(config):
    config.addinivalue_line("markers", "nightly: not in `make test`")
