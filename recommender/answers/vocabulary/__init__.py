"""Every question in the order in which answers stand in addresses, a file a subject."""

from recommender.answers.keys import Key
from recommender.answers.vocabulary import (
    availability,
    load,
    model,
    preferences,
    retrieval,
    site,
    storage,
    targets,
    training,
    work,
)

_SUBJECTS = (work, model, load, targets, training, retrieval, availability, storage, site, preferences)
KEYS: dict[str, Key] = {key.name: key for subject in _SUBJECTS for key in subject.QUESTIONS}
