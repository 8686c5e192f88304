from urllib.parse import urlencode

import pytest
from django.utils.translation import override

from tests.pages import LANGUAGES, Document, Page
from tests.recommender.advice import advice

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]

TRAINING = (
    "stage=fine_tuning&model=llama-3.1-8b&method={method}&dataset_tokens=50000000&epochs=3&target_hours=24"
)


def page_of(client, query, language="en"):
    return client.get(f"{Page('recommender:workings').path(language)}?{query}").content.decode()


def test_a_cycle_has_its_gpu_hours_and_nothing_else_is_made_up(client):
    html = page_of(client, TRAINING.format(method="full"))
    assert html.count("GPU hours of one cycle") > 1
    assert "Part of them that the experiments take" not in html
    assert "Time to write one checkpoint" not in html


@pytest.mark.parametrize("way", ["by_schedule", "yes"])
def test_only_gpus_that_train_have_gpu_hours(client, way):
    """Beside a service they are those that it leaves; by turns all of the server."""
    answers = {
        "stage": "mixed",
        "model": "llama-3.1-8b",
        "method": "full",
        "concurrency": 10,
        "one_node": way,
    }
    match = advice("en", dataset_tokens=50_000_000, **answers)["matches"][0]
    served = 1  # one GPU holds 16 GB of weights and ten requests
    gpus = match["gpus_per_server"] - (served if way == "yes" else 0)
    html = page_of(client, urlencode(answers | {"dataset_tokens": 50_000_000}))
    first = html.partition("GPU hours of one cycle")[2]
    assert f" × {gpus}\n" in first
    assert match["servers"] == 1


def test_experiments_stand_against_the_hours(client):
    query = f"{TRAINING.format(method='lora')}&maintenance_hours=10&experiments_per_month="
    few, many = page_of(client, f"{query}2"), page_of(client, f"{query}5000")
    assert "All of them fit in the hours of the month." in few
    assert "= (730 − 10) × (1 − 0)" in few
    assert "They do not all fit in the hours of the month." in many


def test_beside_a_service_only_the_nights_are_left(client):
    """Eight hours of 365 / 12 nights: 243 h, as in the comparison; where both run at once all 730 h."""
    mixed = "stage=mixed&model=llama-3.1-8b&concurrency=4&dataset_tokens=5000000&experiments_per_month=2"
    assert "Hours of the month that training may take" in page_of(client, mixed)
    assert "= 243\u202fh" in page_of(client, mixed)
    assert "= 730\u202fh" in page_of(client, f"{mixed}&one_node=yes")


def test_checkpoints_of_the_whole_model_wait_for_the_storage(client):
    query = "&storage_gbs=2&checkpoint_minutes=30"
    whole = page_of(client, TRAINING.format(method="full") + query)
    # 8.03 billion parameters of 14 bytes at 2 GB/s
    assert "56.2\u202fs" in whole
    assert "÷ (1,800 + 56.2" in whole
    assert "Time to write one checkpoint" not in page_of(client, TRAINING.format(method="lora") + query)


def test_a_checkpoint_is_as_large_as_the_calculator_says(client):
    """States in 8 bit: 2 + 6 bytes a parameter, wherever a checkpoint is named."""
    query = TRAINING.format(method="full") + "&optimizer=adamw_8bit&storage_gbs=2&experiments_per_month=2"
    html = page_of(client, query)
    assert "= 64,242,089,984 ÷ 2,000,000,000" in html
    results = client.get(f"{Page('recommender:results').path('en')}?{query}").content.decode()
    assert "A full checkpoint takes 64.2" in results
    address = f"{Page('recommender:calculator').path('en')}?{query}&gpu=nvidia-h200-sxm-141gb&gpus=8"
    assert "= 64.2 GB" in client.get(address).content.decode().replace("\u202f", " ")
    assert "hours of one cycle with its checkpoints" in html


def test_a_service_has_no_month_of_training(client):
    html = page_of(client, "stage=inference&workload=chat&model=llama-3.1-8b&concurrency=8")
    assert "A month of training" not in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_reads_in_every_language(client, language):
    query = TRAINING.format(method="full") + "&storage_gbs=1.5..3&experiments_per_month=2..4"
    with override(language):
        document = Document(page_of(client, query, language))
    assert not [text for text in document.texts if "None" in text]
