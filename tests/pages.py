"""Every public page: found in the addresses, with an object for those that show one.

A page that needs an object and has no sample here fails the tests that walk over all pages.
"""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.translation import override

from catalog.models import GPU, AIModel, GuideEdition, Server, WorkloadProfile
from recommender.questions import GROUPS

LANGUAGES = ["es", "ru", "en"]
FILES = {
    "catalog:server_file",
    "catalog:server_datasheet",
    "catalog:social_image",
    "catalog:guide_feed",
}  # addresses under a language that are no pages


@dataclass(frozen=True)
class Page:
    """A view with what it needs; `query` is part of what makes it another type of page."""

    view_name: str
    kwargs: dict = field(default_factory=dict)
    query: str = ""

    def path(self, language):
        with override(language):
            path = reverse(self.view_name, kwargs=self.kwargs)
        return f"{path}?{self.query}" if self.query else path

    def __str__(self):
        return f"{self.view_name}?{self.query}" if self.query else self.view_name


@dataclass(frozen=True)
class GuidePage(Page):
    """A guide, whose name in addresses is another one in each language."""

    slugs: dict = field(default_factory=dict)

    def path(self, language):
        with override(language):
            return reverse(self.view_name, args=[self.slugs[language]])


def shipped_guides():
    """Return the guides that are published in every language."""
    slugs = {}
    for edition in GuideEdition.objects.live().guides().select_related("guide").order_by("guide__key"):
        slugs.setdefault(edition.guide.key, {})[edition.language] = edition.slug
    return [
        GuidePage("catalog:guide", slugs=found) for found in slugs.values() if len(found) == len(LANGUAGES)
    ]


def public_view_names():
    """Return the names of the views under a language, in the order of the addresses."""
    names = []

    def walk(patterns, namespace):
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                walk(pattern.url_patterns, pattern.namespace or namespace)
            elif isinstance(pattern, URLPattern) and namespace in {"catalog", "recommender"}:
                names.append(f"{namespace}:{pattern.name}")

    walk(get_resolver().url_patterns, "")
    return [name for name in names if name not in FILES]


CHAT = "stage=inference&workload=chat&model=llama-3.3-70b&concurrency=32&context_tokens=8000"
TWO_JOBS = "stage=inference&stage=fine_tuning&workload=chat&workload=rag&model=llama-3.1-8b&concurrency=32"
QUESTIONS = [
    CHAT,
    # Nothing fits, much is guessed, and some of it cannot be read.
    f"{CHAT}&rack_units=1&power_kw=0.3&hypothesis=concurrency&altitude_m=high&nothing=1",
    f"{CHAT}&ttft_ms=500&tpot_ms=40&availability=n_plus_1&site=edge&cooling=air&temperature_max_c=45",
    "stage=inference&workload=rag&users=200&documents=1000000",
    "stage=inference&workload=vision&streams=40&frames_per_second=15",
    "stage=inference&workload=speech&audio_streams=20",
    "stage=inference&workload=image_generation&images_per_minute=10",
    "stage=inference&workload=embeddings&requests_per_second=50",
    "stage=fine_tuning&workload=llm_fine_tuning&model=llama-3.1-8b&method=qlora&target_hours=24",
    "stage=training&workload=llm_pretraining&parameters_b=7&dataset_tokens=100000000000&target_hours=720",
    "stage=mixed&workload=chat&model=llama-3.1-8b&method=lora&one_node=yes",
    "stage=development&model=llama-3.1-8b",
]

# What the address needs, and the questions that make a page show much. Called with the catalog loaded.
SAMPLES = {
    "catalog:server": lambda: [
        Page("catalog:server", {"slug": slug})
        for slug in Server.objects.published().values_list("slug", flat=True)
    ],
    "catalog:gpu": lambda: [
        Page("catalog:gpu", {"slug": slug}) for slug in GPU.objects.published().values_list("slug", flat=True)
    ],
    "catalog:ai_model": lambda: [
        Page("catalog:ai_model", {"slug": slug})
        for slug in AIModel.objects.published().values_list("slug", flat=True)[::8]
    ],
    "catalog:workload": lambda: [
        Page("catalog:workload", {"slug": slug})
        for slug in WorkloadProfile.objects.published().values_list("slug", flat=True)
    ],
    "catalog:guide": shipped_guides,
    "catalog:result_list": lambda: [
        Page("catalog:result_list", query=query)
        for query in (
            "",
            "gpu=nvidia-h200-sxm-141gb",
            "server=no-such-server",
            "model=bert-large&work=training",
        )
    ],
    "catalog:server_list": lambda: [
        Page("catalog:server_list", query=query)
        for query in ("", "stage=training", "gpu_memory_min=many", "rack_units=1&cooling=liquid")
    ],
    "catalog:compare": lambda: [
        Page("catalog:compare", query=query)
        for query in (
            "",
            "server=thinksystem-sr675-v3",
            "server=thinksystem-sr675-v3&server=thinkedge-se455-v3&server=thinksystem-sd665-n-v3&differences=1",
            f"server=thinksystem-sr680a-v3&server=thinksystem-sr650-v3&{CHAT}",
        )
    ],
    "catalog:search": lambda: [
        Page("catalog:search", query=query)
        for query in (
            "",
            "q=sr650v3",
            "q=h100&kind=server",
            "q=thinksistem",
            "q=h100+quantum",
            "q=qqqq",
            f"q={'x' * 101}",
        )
    ],
    "recommender:accuracy_figure": lambda: [
        Page("recommender:accuracy_figure", {"family": family, "figure": figure}, query)
        for family, figure, query in (
            ("training", "tokens-per-s-per-gpu", ""),
            ("inference-throughput", "mean-system-power-w", ""),
            ("inference-throughput", "output-tokens-per-s", "page=3"),
        )
    ],
    "recommender:questions": lambda: [Page("recommender:questions", query=query) for query in QUESTIONS],
    "recommender:check": lambda: [Page("recommender:check", query=query) for query in QUESTIONS],
    "recommender:step": lambda: [
        Page("recommender:step", {"step": group.slug}, TWO_JOBS) for group in GROUPS
    ],
    "recommender:results": lambda: [Page("recommender:results", query=query) for query in QUESTIONS],
    "recommender:what_if": lambda: [Page("recommender:what_if", query=query) for query in QUESTIONS[:3]],
    "recommender:workings": lambda: [Page("recommender:workings", query=query) for query in QUESTIONS],
    "recommender:plans": lambda: [Page("recommender:plans", query=query) for query in QUESTIONS],
    "recommender:measuring": lambda: [Page("recommender:measuring", query=query) for query in QUESTIONS],
}


def pages(view_name):
    """Return the pages of a view: its samples, else the view alone."""
    return SAMPLES[view_name]() if view_name in SAMPLES else [Page(view_name)]


class Document(HTMLParser):
    """What a page asks the browser to do, and the texts that a reader sees or hears."""

    VOID = {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
    }
    UNSEEN = {"script", "style", "template"}
    SPOKEN = {"alt", "title", "aria-label", "aria-description", "placeholder", "aria-roledescription"}

    def __init__(self, html):
        super().__init__()
        self.elements = []  # (tag, attributes)
        self.texts = []  # outside of what is marked as another language
        self.scripts = []  # code written into the page
        self.data = []  # structured data for search engines: no code
        self._open = []  # (tag, is hidden from these tests)
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self._is_data = tag == "script" and attributes.get("type") in {
            "application/ld+json",
            "application/json",
        }
        hidden = self._hidden() or tag in self.UNSEEN or (tag != "html" and "lang" in attributes)
        if not hidden:
            spoken = [value for name, value in attrs if name in self.SPOKEN]
            if tag == "input" and attributes.get("type") in {"submit", "button"}:
                spoken.append(attributes.get("value"))
            if tag == "meta" and attributes.get("name") == "description":
                spoken.append(attributes.get("content"))
            self.texts += [" ".join(text.split()) for text in spoken if text]
        if tag not in self.VOID:
            self._open.append((tag, hidden))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        while self._open and any(name == tag for name, _ in self._open):
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data):
        if not self._hidden() and data.strip():
            self.texts.append(" ".join(data.split()))
        elif self._open and self._open[-1][0] in {"script", "style"} and data.strip():
            (self.data if self._is_data else self.scripts).append(data)

    def _hidden(self):
        return bool(self._open) and self._open[-1][1]
