"""Names a test by the sentence that it proves."""


def story(sentence):
    def name(function):
        function.story = sentence
        return function

    return name
