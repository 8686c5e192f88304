"""The pages of kinds of work: what they say comes from the catalog and the recommender, in each language."""

import re
from html import unescape

import pytest
from django.urls import reverse
from django.utils.translation import override

from catalog.models import Server, TypicalAssumption, WorkloadProfile
from recommender import answers, services
from tests.factories import ServerFactory, WorkloadProfileFactory

LANGUAGES = ["es", "ru", "en"]
PROFILES = [
    "chat",
    "rag",
    "code",
    "long_documents",
    "vision",
    "speech",
    "image_generation",
    "embeddings",
    "llm_pretraining",
    "llm_fine_tuning",
    "development",
]


@pytest.fixture
def main(client):
    """Open a page; returns what stands between its header and its footer."""

    def main(view_name, *args, language="en", query=""):
        with override(language):
            path = reverse(view_name, args=args)
        html = client.get(f"{path}{query}").content.decode()
        return unescape(html.split("<main", 1)[1].split("</main>", 1)[0])

    return main


def servers_in(html, language="en"):
    """Return the slugs of the servers that a part of a page leads to, in their order, each once."""
    with override(language):
        folder = reverse("catalog:server_list")
    return list(dict.fromkeys(re.findall(rf'href="{folder}([-a-z0-9]+)/[#"]', html)))


def section(html, anchor):
    return html.split(f'aria-labelledby="{anchor}"', 1)[1].split("</section>", 1)[0]


def test_every_published_kind_of_work_is_tested_here(catalog):
    assert set(WorkloadProfile.objects.published().values_list("slug", flat=True)) == set(PROFILES)


# One kind of work


@pytest.mark.parametrize("slug", PROFILES)
def test_its_servers_are_those_of_the_advice_one_line_each(catalog, main, slug):
    profile = WorkloadProfile.objects.get(slug=slug)
    result = services.recommend(answers.parse({"stage": profile.stage, "workload": slug}))
    best = {}
    for match in result.ranking.matches:
        best.setdefault(match.config.node.server, match.config.node.gpu.slug)
    html = main("catalog:workload", slug)
    shown = section(html, "servers")
    assert servers_in(shown) == list(best)[:6]
    with override("en"):
        folder = reverse("catalog:gpu_list")
    assert re.findall(rf'href="{folder}([-a-z0-9.]+)/"', shown) == list(best.values())[:6]
    assert f"All {len(best)} servers" in html


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", ["chat", "llm_fine_tuning", "vision"])
def test_it_leads_to_the_questionnaire_the_list_and_the_measuring_plan(catalog, main, slug, language):
    profile = WorkloadProfile.objects.get(slug=slug)
    html = main("catalog:workload", slug, language=language)
    with override(language):
        assert f'href="{reverse("recommender:questionnaire")}?workload={slug}"' in html
        assert f'href="{reverse("catalog:server_list")}?stage={profile.stage}"' in html
        assert f"{reverse('recommender:measuring')}?stage={profile.stage}&workload={slug}" in html
        assert getattr(profile, f"summary_{language}") in html
        assert "[[" not in html
        assert f'href="{reverse("catalog:glossary")}#' in html or slug == "vision"


def test_typical_values_stand_with_their_reason_and_their_source(catalog, main):
    html = section(main("catalog:workload", "rag"), "typical")
    lines = re.findall(r'<tr>\s*<th scope="row">(.*?)</tr>', html, re.S)
    texts = [" ".join(re.sub(r"<[^>]+>", " ", line).split()) for line in lines]
    typed = TypicalAssumption.objects.get(profile__slug="rag", key="input_tokens")
    [line] = [text for text in texts if "4,096" in text and typed.why_en in text]
    assert typed.source.description_en in line or typed.source.title in line
    # Nobody's figure is our own judgement, and says so.
    [line] = [text for text in texts if "Qwen3 32B" in text]
    assert line.endswith("our judgement")


def test_values_for_another_way_of_answering_stand_apart(catalog, main):
    typical = section(main("catalog:workload", "chat"), "typical")
    used, others = typical.split("<details", 1)
    for key in ("active_percent", "requests_per_user_minute", "peak_factor"):
        why = TypicalAssumption.objects.get(profile__slug="chat", key=key).why_en
        assert why in others
        assert why not in used
    # The longest context is not assumed: a prompt with its answer counts.
    assert "4,096" not in used
    assert "4,096" not in others


def test_what_to_measure_begins_with_what_is_most_decisive(catalog, main):
    html = section(main("catalog:workload", "chat"), "measure")
    assert html.count("<li>") == 5
    assert html.index("Quality of the answers") < html.index("Response time under load")


def test_a_kind_of_work_that_nothing_fits_says_what_to_do(db, client, main):
    ServerFactory()  # without any GPU
    WorkloadProfileFactory(slug="odd", name_en="Odd work")
    html = main("catalog:workload", "odd")
    assert not servers_in(section(html, "servers"))
    assert "?workload=odd" in section(html, "servers")


def test_typical_values_that_cannot_be_reckoned_with_leave_the_page_standing(db, main):
    profile = WorkloadProfileFactory(slug="odd", name_en="Odd work")
    profile.assumptions.create(key="model", value="no-such-model", why_en="Because.")
    profile.assumptions.create(key="no_such_key", value="1")
    html = main("catalog:workload", "odd")
    assert "Odd work" in html


@pytest.mark.parametrize("slug", ["no-such-work", "draft"])
def test_what_is_not_published_has_no_page(db, client, slug):
    WorkloadProfileFactory(slug="draft", is_published=False)
    assert client.get(reverse("catalog:workload", args=[slug])).status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_and_the_home_page_lead_to_every_kind_of_work(catalog, main, language):
    with override(language):
        paths = [reverse("catalog:workload", args=[slug]) for slug in PROFILES]
        index = reverse("catalog:workload_list")
    html = main("catalog:workload_list", language=language)
    assert all(f'href="{path}"' in html for path in paths)
    assert f'href="{index}"' in main("catalog:home", language=language)


# Stages


@pytest.mark.parametrize(
    ("view_name", "stages"),
    [("catalog:training", ["training", "fine_tuning"]), ("catalog:inference", ["inference"])],
)
def test_a_stage_leads_to_its_kinds_of_work(catalog, main, view_name, stages):
    html = main(view_name)
    for profile in WorkloadProfile.objects.published():
        path = reverse("catalog:workload", args=[profile.slug])
        with override("en"):
            path = reverse("catalog:workload", args=[profile.slug])
        assert (f'href="{path}"' in html) == (profile.stage in stages), profile.slug


@pytest.mark.parametrize(
    ("view_name", "query"),
    [
        ("catalog:training", "stage=training"),
        ("catalog:inference", "stage=inference"),
        ("catalog:inference", "stage=inference&rack_units=2"),
        ("catalog:edge", "site=edge"),
        ("catalog:mixed", "stage=mixed"),
    ],
)
def test_a_page_leads_to_its_list_which_is_not_empty(catalog, client, main, view_name, query):
    with override("en"):
        path = f"{reverse('catalog:server_list')}?{query}"
    assert f'href="{path}"' in main(view_name)
    response = client.get(path)
    assert response.status_code == 200
    assert servers_in(response.content.decode())


# Outside the data centre


def test_servers_of_the_edge_page_are_those_of_the_filtered_list(catalog, main):
    listed = servers_in(main("catalog:server_list", query="?site=edge"))
    assert set(servers_in(section(main("catalog:edge"), "which"))) == set(listed)


def test_a_server_made_for_the_edge_joins_the_page(db, main):
    server = ServerFactory(for_edge=True, temperature_min_c=-20, temperature_max_c=60, depth_mm=300)
    html = main("catalog:edge")
    assert server.slug in servers_in(html)
    assert "300\u202fmm" in html
    assert "−20\u202f°C" in html


def test_an_edge_page_without_servers_says_where_to_look(db, main):
    assert "The catalog has no server for such places now." in main("catalog:edge")


# Both at once


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_worked_example_is_that_of_the_advice(catalog, main, language):
    with override(language):
        example = services.scenario({"stage": "mixed", "workload": "chat", "method": "lora"}, 1)
        html = main("catalog:mixed", language=language)
        assert example["plans"]["verdict"]["label"] in html
        for way in example["plans"]["ways"]:
            assert way["label"] in html
        assert f"{reverse('recommender:plans')}?stage=mixed&workload=chat&method=lora" in html


def test_servers_for_both_are_marked_for_both(catalog, main):
    slugs = servers_in(section(main("catalog:mixed"), "which"))
    rows = Server.objects.filter(slug__in=slugs)
    assert rows
    assert all(row.for_fine_tuning and row.for_inference for row in rows)


def test_a_mixed_page_of_an_empty_catalog_stands(db, main):
    assert "No server of the catalog is marked for both now." in main("catalog:mixed")


@pytest.mark.usefixtures("catalog")
def test_a_brief_is_begun_from_the_page_of_a_kind_of_work_with_that_work(client):
    page = client.get("/en/work/chat/").content.decode()
    assert 'href="/en/briefs/new/?stage=inference&amp;workload=chat"' in page
    made = client.get("/en/briefs/new/?stage=inference&workload=chat")
    assert (made.status_code, made.templates[0].name) == (200, "briefs/new.html")
