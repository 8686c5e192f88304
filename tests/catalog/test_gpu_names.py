"""GPUs named in a sentence lead to their pages."""

import pytest
from django.utils.html import strip_tags

from catalog.gpu_names import linked
from tests.factories import GPUFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def own():
    for slug, name in {
        "h200-nvl": "NVIDIA H200 NVL 141GB",
        "h200-sxm": "NVIDIA H200 SXM 141GB",
        "l4": "NVIDIA L4 24GB",
        "l40s": "NVIDIA L40S 48GB",
    }.items():
        GPUFactory(slug=slug, name=name)
    GPUFactory(slug="b300", name="NVIDIA B300 SXM 270GB", is_published=False)
    return GPUFactory(slug="h100-nvl", name="NVIDIA H100 NVL 94GB")


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("Преемник — H200 NVL.", ["h200-nvl"]),
        ("Replaced by NVIDIA H200 NVL.", ["h200-nvl"]),
        ("Replaced by L4 and L40S.", ["l4", "l40s"]),
        ("H100 NVL and H200 NVL are the later cards.", ["h200-nvl"]),
        ("Replaced by H200.", []),  # which of two is not said
        ("Replaced by L40.", []),  # no GPU of that name
        ("Replaced by B300.", []),  # not published
        ("By NVIDIA, with 48GB.", []),
    ],
)
def test_a_name_that_one_gpu_bears_is_a_link(own, text, slugs):
    html = str(linked(text, own))
    assert [part.split("/")[3] for part in html.split('href="')[1:]] == slugs
    assert strip_tags(html) == text


def test_a_sentence_stays_as_it_was_written(own):
    assert linked("A <b> & L9.", own) == "A &lt;b&gt; &amp; L9."
    assert linked("", own) == ""
