"""The catalog in a real browser: filters with and without scripts, the way back, phones, keyboard, paper."""

import re

import pytest
from django.urls import reverse
from django.utils.translation import override
from playwright.sync_api import expect

LISTS = {"es": "/es/servidores/", "ru": "/ru/servery/", "en": "/en/servers/"}
COUNTS = {"es": "9 servidores", "ru": "9 серверов", "en": "9 servers"}  # with training among their work
TYPED = {"es": "1.500,5", "ru": "1 500,5", "en": "1,500.5"}
SHOWN = {"es": "1500,5", "ru": "1500,5", "en": "1500.5"}


def show(page):
    page.locator(".filters button").click()


def unfold(page, facet):
    page.locator(f".facet:has(#facet-{facet}) > summary").click()


@pytest.mark.parametrize("language", LISTS)
def test_filters_swap_the_list_and_keep_the_address(page, language):
    page.goto(LISTS[language])
    page.evaluate("window.stays = true")
    page.select_option("#id_stage", "training")
    show(page)
    expect(page.locator("#count")).to_have_text(COUNTS[language])
    assert page.url.endswith(f"{LISTS[language]}?stage=training")
    assert page.evaluate("window.stays") is True  # the page itself was not loaded again
    expect(page.locator("#live")).to_have_text(COUNTS[language])
    expect(page.locator("#results tbody tr")).to_have_count(9)
    for other, path in LISTS.items():
        if other != language:
            expect(page.locator(f"#languages a[hreflang={other}]")).to_have_attribute(
                "href", f"{path}?stage=training"
            )


@pytest.mark.parametrize("language", LISTS)
def test_the_same_without_scripts(page_without_scripts, language):
    page = page_without_scripts
    page.goto(LISTS[language])
    page.select_option("#id_stage", "training")
    show(page)
    expect(page.locator("#count")).to_have_text(COUNTS[language])
    assert page.url.endswith("?stage=training")
    expect(page.locator("#id_stage")).to_have_value("training")


@pytest.mark.parametrize("language", LISTS)
def test_a_number_is_typed_as_the_language_writes_it(page, language):
    page.goto(LISTS[language])
    unfold(page, "gpu_memory")
    page.fill("#id_gpu_memory_min", TYPED[language])
    show(page)
    expect(page.locator(".active-filters")).to_be_visible()
    assert page.url.endswith("?gpu_memory_min=1500.5")
    expect(page.locator("#id_gpu_memory_min")).to_have_value(SHOWN[language])


@pytest.mark.parametrize("scripts", [True, False])
def test_a_number_that_cannot_be_read_has_its_message_beside_the_field(page, page_without_scripts, scripts):
    page = page if scripts else page_without_scripts
    page.goto(LISTS["en"])
    page.select_option("#id_stage", "training")
    unfold(page, "gpu_memory")
    page.fill("#id_gpu_memory_min", "lots")
    page.keyboard.press("Enter")
    field = page.locator("#id_gpu_memory_min")
    expect(field).to_have_value("lots")
    expect(field).to_have_accessible_description(re.compile("This is not a number"))
    expect(page.locator("#count")).to_have_text(COUNTS["en"])


@pytest.mark.parametrize("language", LISTS)
def test_the_focus_stays_where_the_reader_was(page, language):
    page.goto(LISTS[language])
    unfold(page, "gpu_memory")
    page.fill("#id_gpu_memory_min", "100")
    page.keyboard.press("Enter")
    expect(page.locator(".active-filters")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "id_gpu_memory_min"
    page.locator(".filters button").focus()
    with page.expect_response(re.compile(LISTS[language])):
        page.keyboard.press("Enter")
    expect(page.locator(".active-filters")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('.filters button') !== null")


@pytest.mark.parametrize("language", LISTS)
def test_a_facet_stays_unfolded_while_its_counts_follow(page, language):
    page.goto(LISTS[language])
    unfold(page, "rack_units")
    unfold(page, "cooling")
    one_unit = page.locator("#facet-rack_units label", has_text="1U")
    air = page.locator("#facet-cooling label").first
    before = air.inner_text()
    one_unit.locator("input").check()
    show(page)
    expect(page.locator(".active-filters li")).to_have_count(1)
    expect(air).not_to_have_text(before)
    expect(one_unit.locator("input")).to_be_checked()
    expect(page.locator("#facet-rack_units label", has_text="8U").locator("input")).to_be_enabled()
    expect(page.locator("#facet-gpu input:disabled").first).to_be_attached()
    page.go_back()
    expect(page.locator(".active-filters")).to_have_count(0)
    expect(page.locator("#facet-rack_units input:checked")).to_have_count(0)


@pytest.mark.parametrize("language", LISTS)
def test_the_back_button_brings_back_the_whole_page(page, language):
    page.goto(LISTS[language])
    everything = page.locator("#count").inner_text()
    page.select_option("#id_stage", "training")
    show(page)
    expect(page.locator("#count")).to_have_text(COUNTS[language])
    page.locator("#results tbody a").first.click()
    expect(page.locator("h1")).to_have_text("ThinkSystem SC777 V4")
    page.go_back()
    expect(page.locator("#count")).to_have_text(COUNTS[language])
    expect(page.locator(".site-header")).to_be_visible()
    page.go_back()
    expect(page.locator("#count")).to_have_text(everything)
    expect(page.locator(".site-header")).to_be_visible()


# Filters apply as they change


@pytest.mark.parametrize("language", LISTS)
def test_a_filter_applies_as_it_changes_and_the_reader_stays_where_they_are(page, language):
    page.goto(LISTS[language])
    steps = page.evaluate("history.length")
    unfold(page, "rack_units")
    one_unit = page.locator("#facet-rack_units label", has_text="1U").locator("input")
    one_unit.focus()
    page.evaluate("window.scrollTo(0, 500)")
    page.keyboard.press("Space")
    expect(page.locator(".active-filters li")).to_have_count(1)
    page.wait_for_url("**?rack_units=1")
    assert page.evaluate("document.activeElement === document.querySelector('#facet-rack_units :checked')")
    assert page.evaluate("window.scrollY") == 500
    expect(page.locator("#live")).to_have_text(page.locator("#count").inner_text())
    expect(page.locator("#found-count")).to_have_text(
        f"({re.match(r'[0-9]+', page.locator('#count').inner_text())[0]})"
    )
    show(page)  # the button stays, and makes no second step of it
    expect(page.locator(".filters.htmx-request")).to_have_count(0)
    assert page.evaluate("history.length") == steps + 1
    page.go_back()
    expect(page.locator(".active-filters")).to_have_count(0)
    expect(page.locator("#facet-rack_units input:checked")).to_have_count(0)


@pytest.mark.parametrize("language", LISTS)
def test_a_number_applies_when_typing_rests(page, language):
    page.goto(LISTS[language])
    unfold(page, "gpu_memory")
    field = page.locator("#id_gpu_memory_min")
    with page.expect_request(re.compile("gpu_memory_min")) as asked:
        field.press_sequentially(TYPED[language], delay=60)
    assert asked.value.url.count("gpu_memory_min=1") == 1
    page.wait_for_url("**?gpu_memory_min=1500.5")
    expect(field).to_have_value(SHOWN[language])
    expect(field).to_be_focused()


def test_an_older_answer_does_not_undo_what_was_changed_since(page):
    """The first answer comes while a second box is already ticked and not yet asked for."""
    waiting = []
    page.goto(LISTS["en"])
    unfold(page, "rack_units")
    page.route("**/en/servers/?*", lambda route: route.continue_() if waiting else waiting.append(route))
    first, second = page.locator("#facet-rack_units input:enabled").all()[:2]
    first.check()
    while not waiting:
        page.wait_for_timeout(20)
    second.check()
    waiting[0].continue_()
    expect(page.locator(".active-filters li")).to_have_count(2)
    expect(page.locator("#facet-rack_units input:checked")).to_have_count(2)


def test_on_a_phone_the_button_leads_from_the_drawer_to_what_was_found(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(LISTS["ru"])
    drawer = page.locator(".filters > details")
    drawer.locator("> summary").click()
    page.select_option("#id_stage", "training")
    expect(page.locator("#found-count")).to_have_text("(9)")
    assert drawer.get_attribute("open") is not None  # more filters may follow
    show(page)
    expect(page.locator("#count")).to_be_in_viewport()
    expect(page.locator("#id_stage")).to_be_hidden()
    expect(drawer.locator("> summary")).to_be_focused()
    drawer.locator("> summary").click()
    unfold(page, "gpu_memory")
    page.fill("#id_gpu_memory_min", "много")
    page.keyboard.press("Enter")
    expect(page.locator("#facet-gpu_memory .field-error")).to_be_visible()  # not behind a closed drawer


# Marks


def mark(page, number):
    box = page.locator("#results .compare input").nth(number)
    box.check()
    expect(page.locator(f"#results .compare input[value={box.get_attribute('value')}]")).to_be_checked()
    return box


@pytest.mark.parametrize("language", LISTS)
def test_marks_go_along_to_pages_filters_languages_and_the_comparison(page, language):
    page.goto(LISTS[language])
    chips = page.locator(".marked li")
    mark(page, 0).focus()
    expect(chips).to_have_count(1)
    assert page.evaluate("document.activeElement.name") == "compare"
    page.locator(".pages a[rel=next]").click()
    expect(chips).to_have_count(1)
    mark(page, 2)
    expect(chips).to_have_count(2)
    assert "page=2" in page.url
    page.select_option("#id_stage", "training")
    page.wait_for_url("**?*stage=training*")
    expect(chips).to_have_count(2)
    other = "ru" if language != "ru" else "en"
    page.locator(f"#languages a[hreflang={other}]").click()
    expect(chips).to_have_count(2)
    page.locator(".compare-go button").first.click()
    page.wait_for_url("**?server=*")
    expect(page.locator(".compare-table thead th")).to_have_count(2)


def test_a_fifth_mark_cannot_be_made_until_one_is_taken_back(page):
    page.goto(LISTS["es"])
    for number in range(4):
        mark(page, number)
        expect(page.locator(".marked li")).to_have_count(number + 1)
    expect(page.locator("#results .compare input:enabled")).to_have_count(4)
    page.locator(".marked li a").first.click()
    expect(page.locator(".marked li")).to_have_count(3)
    expect(page.locator("#results .compare input:disabled")).to_have_count(0)


@pytest.mark.parametrize("language", LISTS)
def test_marks_without_scripts(page_without_scripts, language):
    page = page_without_scripts
    page.goto(LISTS[language])
    page.locator("#results .compare input").nth(0).check()
    page.locator(".compare-go button[name=page]").click()
    expect(page.locator(".marked li")).to_have_count(1)
    page.locator(".pages a[rel=next]").click()
    page.locator("#results .compare input").nth(1).check()
    page.locator(".compare-go button[name=to]").click()
    assert page.url.count("server=") == 2
    expect(page.locator(".compare-table thead th")).to_have_count(2)


# Changed and gone on before the answer


@pytest.fixture
def held(page):
    """A page whose lists never answer a script, as if the network took its time."""
    page.route("**/*", lambda route: None if route.request.headers.get("hx-request") else route.continue_())
    yield page
    page.unroute_all(behavior="ignoreErrors")


WAYS_ON = [".pages a[rel=next]", ".server-table thead a >> nth=1", "#languages a[hreflang=en]"]


@pytest.mark.parametrize("way", WAYS_ON)
def test_a_mark_goes_along_with_a_link_that_is_faster(held, way):
    held.goto(LISTS["es"])
    box = held.locator("#results .compare input").first
    slug = box.get_attribute("value")
    box.check()
    leads_to = held.locator(way).get_attribute("href")
    held.locator(way).click()
    expect(held.locator(".marked li")).to_have_count(1)
    assert f"compare={slug}" in held.url
    assert set(leads_to.partition("?")[2].split("&")) - {""} <= set(held.url.partition("?")[2].split("&"))
    held.go_back()
    expect(held.locator(f"#results .compare input[value={slug}]")).to_be_checked()


def test_a_mark_taken_back_stays_away(held):
    held.goto(f"{LISTS['es']}?sort=-name")
    first, second = (box.get_attribute("value") for box in held.locator("#results .compare input").all()[:2])
    held.goto(f"{LISTS['es']}?compare={first}&compare={second}&sort=-name")
    held.locator(f"#results .compare input[value={first}]").uncheck()
    held.locator(".pages a[rel=next]").click()
    expect(held.locator(".marked li")).to_have_count(1)
    assert "page=2" in held.url
    assert "sort=-name" in held.url
    assert f"compare={second}" in held.url


@pytest.mark.parametrize("way", WAYS_ON)
def test_a_filter_goes_along_with_a_link_that_is_faster(held, way):
    held.goto(f"{LISTS['es']}?gpu_memory_min=0.5")
    held.select_option("#id_stage", "training")
    held.locator(way).click()
    expect(held.locator("#id_stage")).to_have_value("training")
    expect(held.locator(".active-filters li")).to_have_count(2)
    assert "page=2" not in held.url  # it was a page of another list
    assert "gpu_memory_min=0.5" in held.url
    assert ("sort=" in held.url) == ("thead" in way)
    if "next" not in way:  # which led to the list that was asked for itself
        held.go_back()
        expect(held.locator("#id_stage")).to_have_value("training")
    held.go_back()
    expect(held.locator("#id_stage")).to_have_value("")


def test_a_file_is_of_the_list_that_was_asked_for(held):
    held.goto(f"{LISTS['es']}?compare=thinksystem-sr675-v3")
    link = held.locator("#results a[download]").first
    for stage in ("training", "inference"):
        held.select_option("#id_stage", stage)
        with held.expect_download() as file:
            link.click()
        assert set(file.value.url.partition("?")[2].split("&")) == {"lang=es", f"stage={stage}"}


def test_the_questionnaire_takes_the_filters_that_were_asked_for(held):
    held.goto(f"{LISTS['es']}?rack_units=8")
    held.select_option("#id_stage", "training")
    held.locator(".ways-on a.button").click()
    held.wait_for_url("**/cuestionario/**")
    assert set(held.url.partition("?")[2].split("&")) == {"rack_units=8", "stage=training"}


def test_clearing_the_filters_clears_what_was_just_changed(held):
    held.goto(f"{LISTS['es']}?rack_units=8")
    held.select_option("#id_stage", "training")
    held.locator(".count + a").click()
    expect(held.locator(".active-filters")).to_have_count(0)
    assert held.url.endswith(LISTS["es"])


def test_the_comparison_opens_while_a_list_is_on_its_way(held):
    held.goto(LISTS["es"])
    slugs = [box.get_attribute("value") for box in held.locator("#results .compare input").all()[:2]]
    for slug in slugs:
        held.locator(f"#results .compare input[value={slug}]").check()
    held.select_option("#id_stage", "training")
    held.wait_for_timeout(400)  # the list is asked for
    held.locator(".compare-go button").click()
    held.wait_for_url("**?server=*")
    assert all(slug in held.url for slug in slugs)


def test_the_way_back_from_a_server_has_what_was_just_changed(held):
    held.goto(LISTS["es"])
    held.select_option("#id_stage", "training")
    held.locator("#results tbody th a").first.click()
    held.go_back()
    expect(held.locator("#id_stage")).to_have_value("training")
    expect(held.locator("#count")).to_have_text(COUNTS["es"])


def test_a_filter_taken_away_by_its_chip_is_away_though_another_was_just_set(held):
    held.goto(f"{LISTS['es']}?gpu_memory_min=1500.5&rack_units=8")
    held.select_option("#id_stage", "training")
    held.locator(".active-filters a", has_text="1500,5").click()
    expect(held.locator("#id_stage")).to_have_value("training")
    assert sorted(held.url.partition("?")[2].split("&")) == ["rack_units=8", "stage=training"]


@pytest.mark.parametrize("language", LISTS)
@pytest.mark.parametrize("failure", ["no network", "an error"])
def test_a_list_that_does_not_come_says_so_and_can_be_asked_for_again(new_context, language, failure):
    page = new_context().new_page()  # not watched: the browser itself notes a failed request
    page.goto(LISTS[language])
    counted = page.locator("#count").inner_text()
    answer = (
        (lambda route: route.abort())
        if failure == "no network"
        else (lambda route: route.fulfill(status=500))
    )
    page.route(re.compile("stage=training"), answer)
    expect(page.locator("#not-loaded")).to_be_hidden()
    page.select_option("#id_stage", "training")
    expect(page.locator("#not-loaded")).to_be_in_viewport()
    expect(page.locator("#live")).to_have_text(page.locator("#not-loaded p").inner_text())
    expect(page.locator("#count")).to_have_text(counted)
    page.unroute_all()
    page.locator("#not-loaded button").click()
    expect(page.locator("#count")).to_have_text(COUNTS[language])
    expect(page.locator("#not-loaded")).to_be_hidden()


@pytest.mark.parametrize("language", LISTS)
def test_a_wrong_number_is_said_with_the_count(page, language):
    page.goto(LISTS[language])
    unfold(page, "gpu_memory")
    page.fill("#id_gpu_memory_min", "?")
    page.keyboard.press("Enter")
    wrong = page.locator("#facet-gpu_memory .errorlist li")
    expect(wrong).to_be_visible()
    spoken = page.locator("#live").inner_text()
    assert spoken.startswith(page.locator("#count").inner_text())
    assert wrong.inner_text() in spoken


@pytest.mark.parametrize("language", LISTS)
def test_the_list_on_paper_has_its_filters_and_fits(page, language):
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    page.goto(f"{LISTS[language]}?gpu_vendor=nvidia&compare=thinksystem-sr675-v3")
    expect(page.locator(".active-filters").first).to_be_visible()
    for part in (".marked", ".compare input", ".compare-go", "#results > .spread a", ".filters"):
        expect(page.locator(part).first).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
    assert page.evaluate(CUT_WORDS)["cut"] == []


def test_a_shared_address_opens_the_same_list_in_another_language(page):
    page.goto(f"{LISTS['en']}?stage=training&rack_units=8")
    here = page.locator("#results tbody th a").all_text_contents()
    page.locator("#languages a[hreflang=ru]").click()
    assert page.url.endswith("/ru/servery/?stage=training&rack_units=8")
    assert page.locator("#results tbody th a").all_text_contents() == here
    assert page.locator("html").get_attribute("lang") == "ru"


def test_a_phone_has_the_filters_in_a_drawer(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(LISTS["es"])
    expect(page.locator("#id_stage")).to_be_hidden()
    page.locator(".filters > details > summary").click()
    page.select_option("#id_stage", "training")
    show(page)
    expect(page.locator("#count")).to_have_text(COUNTS["es"])
    mark(page, 0)
    expect(page.locator(".marked li")).to_have_count(1)
    reached = ".filters select, .filters button, .site-nav a, .active-filters a, .count + a"
    heights = page.locator(reached).evaluate_all(
        "elements => elements.map(element => element.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44


@pytest.mark.parametrize("language", ["es", "ru"])
@pytest.mark.parametrize(
    ("view_name", "args"),
    [
        ("catalog:home", []),
        ("catalog:server_list", []),
        ("catalog:server", ["thinksystem-sr675-v3"]),
        ("catalog:server", ["thinksystem-sd665-n-v3"]),
        ("catalog:server", ["thinksystem-sr645-v3"]),
        ("catalog:inference", []),
        ("catalog:gpu_list", []),
    ],
)
def test_no_page_scrolls_sideways(page, view_name, args, language):
    with override(language):
        path = reverse(view_name, args=args)
    page.goto(path)
    for width in (320, 360, 640, 800, 920, 1024, 1180, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


CUT_WORDS = r"""() => {
    const top = (node, at) => {
        const letter = document.createRange();
        letter.setStart(node, at);
        letter.setEnd(node, at + 1);
        return Array.from(letter.getClientRects()).at(-1).top;
    };
    const words = { whole: 0, cut: [] };
    for (const cell of document.querySelectorAll(".server-table :is(th, td)")) {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const node = texts.currentNode;
            if (node.parentElement.closest(".compare-label")) continue;
            for (const word of node.data.matchAll(/\p{L}{2,}/gu)) {
                const end = word.index + word[0].length - 1;
                if (top(node, word.index) === top(node, end)) words.whole += 1;
                else words.cut.push(word[0]);
            }
        }
    }
    return words;
}"""


@pytest.mark.parametrize("language", LISTS)
def test_no_word_of_the_list_is_cut(page, language):
    """A soft hyphen is no letter: what stands before it and what stands after it are words here."""
    page.goto(LISTS[language])
    for width in (1180, 1280, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        words = page.evaluate(CUT_WORDS)
        assert words["cut"] == []
        assert words["whole"] > 200


def test_the_keyboard_skips_to_the_content_and_sees_where_it_is(page):
    page.goto("/en/")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    expect(skip).to_have_text("Skip to content")
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    width = page.evaluate("""() => {
        const tile = document.activeElement.closest('.tile');
        return getComputedStyle(tile || document.activeElement).outlineWidth;
    }""")
    assert width == "2px"


def test_an_evidence_mark_leads_to_its_source(page):
    page.goto("/en/servers/thinksystem-sr675-v3/")
    mark = page.locator("dl.facts .evidence-maker").first
    name = mark.get_attribute("href").removeprefix("#")
    mark.click()
    expect(page.locator(f"#{name}")).to_be_in_viewport()


def test_paper_has_no_navigation_and_black_on_white(page):
    page.emulate_media(media="print", color_scheme="dark")
    page.goto("/en/servers/thinksystem-sr680a-v3/")
    for part in (".site-nav", ".languages", ".button-primary"):
        expect(page.locator(part).first).to_be_hidden()
    colours = page.evaluate("""() => {
        const style = getComputedStyle(document.body);
        return [style.color, style.backgroundColor];
    }""")
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]


@pytest.mark.parametrize("path", ["/en/work/llm_pretraining/", "/en/memory/?model=llama-3.3-70b"])
def test_paper_offers_no_brief_to_be_made(page, path):
    page.goto(path)
    expect(page.locator(".brief-actions")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".brief-actions")).to_be_hidden()
