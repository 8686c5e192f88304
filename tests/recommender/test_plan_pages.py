"""The pages beside the results: the ways row by row, and what to measure."""

import re

import pytest
from django.urls import reverse
from django.utils.translation import override

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]

BOTH = "stage=mixed&workload=rag&model=llama-3.3-70b&concurrency=20&method=qlora&documents=100000"


def get(client, name, query, language="en"):
    with override(language):
        return client.get(f"{reverse(f'recommender:{name}')}?{query}")


@pytest.mark.parametrize("language", ["es", "ru", "en"])
@pytest.mark.parametrize("name", ["plans", "measuring"])
def test_both_pages_open_in_each_language(client, name, language):
    response = get(client, name, BOTH, language)
    assert response.status_code == 200
    assert f'lang="{language}"' in response.content.decode()


def test_the_table_has_a_header_for_each_row_and_way_and_a_label_in_each_cell(client):
    html = get(client, "plans", BOTH).content.decode()
    table = html[html.index('class="table-cards ways"') : html.index("</table>")]
    assert table.count('scope="col"') == 3
    assert table.count('scope="row"') == table.count("<tr>") - 1
    assert table.count("data-label=") == 3 * table.count('scope="row"')
    for resource in ("Memory", "Compute", "Disks", "Network"):
        assert f'<th scope="row">{resource}</th>' in table


def test_the_result_page_names_the_verdict_and_links_to_the_table(client):
    html = get(client, "results", BOTH).content.decode()
    assert "/en/results/plans/?" in html
    assert "What would turn it" in html
    section = re.search(r'<section class="plans".*?</section>', html, re.S)
    assert len(section[0].encode()) <= 8_000  # of the 120,000 bytes that a result page may have


@pytest.mark.parametrize(("concurrency", "said"), [("20", False), ("20..4000", True)])
def test_advice_that_holds_at_the_easier_end_only_says_so(client, concurrency, said):
    query = BOTH.replace("concurrency=20", f"concurrency={concurrency}") + "&rack_units=8"
    html = get(client, "plans", query).content.decode()
    verdict = html[html.index("What is advised") : html.index("What would turn it")]
    assert ("Fits only at the easier end of the ranges" in verdict) is said


def test_the_same_server_twice_is_written_once(client):
    """A small model is served and trained on the same kind of server, of which two are bought."""
    html = get(client, "plans", "stage=mixed&one_node=separate").content.decode()
    row = html[html.index(">What it takes</th>") :]
    cell = re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)[1]
    assert "each" in cell
    assert cell.count("ThinkSystem") == 1


def test_numbers_of_the_comparison_are_written_as_the_language_does(client):
    html = get(client, "plans", BOTH, "ru").content.decode()
    assert re.search(r"\d,\d+\N{NARROW NO-BREAK SPACE}ГиБ", html)


def test_bad_answers_are_named_and_the_rest_is_kept(client):
    response = get(client, "plans", f"{BOTH}&growth_percent=much&nothing=1")
    assert response.status_code == 200
    assert 'role="alert"' in response.content.decode()


def test_nothing_fits_is_said(client):
    for name in ("plans", "measuring"):
        assert get(client, name, "stage=inference&model=llama-3.3-70b&power_kw=0.1").status_code == 200


def test_the_answers_stay_in_every_link(client):
    html = get(client, "plans", BOTH).content.decode()
    links = re.findall(r"<main.*?</main>", html, re.S)[0]
    addresses = re.findall(r'href="([^"]*results[^"]*)"', links)
    assert addresses
    assert all("llama-3.3-70b" in address for address in addresses)


def test_streams_are_counted_in_the_form_that_the_language_asks_for(client):
    html = get(client, "measuring", "stage=inference&workload=speech&audio_streams=4", "ru").content.decode()
    for counted in ("1 поток<", "2 потока<", "4 потока<", "6 потоков<"):
        assert counted in html.replace("\N{NO-BREAK SPACE}", " ")
