"""The word that stands for a page of questions in an address, in the language of the page."""

from recommender.questions import GROUP_OF_SLUG, GROUPS


class StepConverter:
    """Reads and writes a group of questions by its translated word; another word is no page."""

    regex = "[a-z0-9-]+"

    def to_python(self, value):
        for group in GROUPS:
            if str(group.word) == value:
                return group.slug
        raise ValueError

    def to_url(self, value):
        return str(GROUP_OF_SLUG[value].word)
