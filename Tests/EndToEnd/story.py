"""Names a test by the sentence that it proves."""

import pytest

# What takes a minute and seldom breaks: not in `make test`, but in `make test-browser` and in the nightly run.
nightly = pytest.mark.nightly


def story(sentence):
    def name(function):
        function.story = sentence
        return function

    return name
