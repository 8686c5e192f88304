"""Models known by their size only, held against the catalog's own models."""

import pytest
from hypothesis import given, settings, strategies as st

from recommender import adapters
from recommender.sizing.caches import cache_bytes, cache_bytes_per_token
from recommender.sizing.memory import inference_memory, max_requests
from recommender.sizing.shapes import contradicts, layers_of, parameters_of, usual_shape, with_dimensions
from recommender.sizing.specs import Layout, SizingError
from tests.recommender.advice import advice
from tests.sizing.memory_examples import H200

pytestmark = pytest.mark.usefixtures("catalog")
ALONE = Layout(1, 1, 1, 0, False)
LENGTHS = (4096, 8192, 32_768)


def published():
    return tuple(adapters.load_specs().models.values())


def sized(*, mixtures):
    return [
        model
        for model in published()
        if model.generates_tokens and model.cache_known and model.cache_groups and model.is_moe == mixtures
    ]


def guess_of(model, *, known=None):
    active = model.active_parameters if model.is_moe else None
    return usual_shape(model.parameters, active, known=published() if known is None else known)


def covers(model, *, known=None):
    """Tell whether the guess for a model's size covers its true cache, at short and at long requests."""
    guess = guess_of(model, known=known)
    for tokens in LENGTHS:
        asked = {"tokens": tokens, "requests": 1, "kv_precision": "bf16"}
        true, found = cache_bytes(model, **asked).typical, cache_bytes(guess, **asked)
        if not found.low * (1 - 1e-9) <= true <= found.high * (1 + 1e-9):
            return False
    return True


@pytest.mark.parametrize("mixtures", [False, True], ids=["dense", "mixtures"])
def test_a_guess_covers_nine_in_ten_models_of_the_catalog(mixtures):
    models = sized(mixtures=mixtures)
    assert len(models) > 50
    assert sum(covers(model) for model in models) >= 0.9 * len(models)


def test_it_covers_nine_in_ten_dense_models_that_it_has_not_seen():
    models = sized(mixtures=False)
    known = published()
    unseen = [covers(model, known=[one for one in known if one.slug != model.slug]) for model in models]
    assert sum(unseen) >= 0.9 * len(models)


def test_a_token_of_a_guess_takes_what_most_models_of_that_size_take():
    for size, usual in ((8e9, 131_072), (70e9, 327_680)):  # Llama 3's 8B and 70B, and most since
        assert cache_bytes_per_token(usual_shape(size, known=published()), "bf16") == pytest.approx(usual)


def test_what_is_known_leaves_less_open():
    guess = usual_shape(8e9, known=published())
    heads = with_dimensions(guess, {"num_layers": 32, "num_kv_heads": 8}, published())
    whole = with_dimensions(guess, {"num_layers": 32, "num_kv_heads": 8, "head_dim": 128}, published())
    widths = [one.cache_spread.high / one.cache_spread.low for one in (guess, heads)]
    assert widths[1] < widths[0] / 4
    asked = {"tokens": 1000, "requests": 1, "kv_precision": "bf16"}
    assert cache_bytes(whole, **asked).typical == 131_072 * 1000
    assert cache_bytes(whole, **asked).low == 131_072 * 1000


def test_layers_and_width_make_a_size():
    guess = usual_shape(70e9, known=published())
    # Llama 3.3 70B has 80 layers of 8192; 32 of 4096 are an 8B model.
    assert not contradicts(parameters_of({"num_layers": 80, "hidden_size": 8192}, guess, published()), 70e9)
    assert contradicts(parameters_of({"num_layers": 32, "hidden_size": 4096}, guess, published()), 70e9)
    assert parameters_of({"num_layers": 80}, guess, published()) is None
    assert parameters_of({"num_layers": 80, "hidden_size": 8192}, guess, ()) is None


def test_the_layers_of_published_models_bound_those_of_a_size():
    """Llama 3.3 70B and Qwen2.5 72B have 80 layers, no model of that size has 3."""
    fewest, most = layers_of(usual_shape(70e9, known=published()), published())
    assert 10 < fewest <= 80 <= most < 300
    assert layers_of(usual_shape(70e9), ()) is None


def test_hardly_any_model_of_the_catalog_contradicts_itself():
    dense = [model for model in sized(mixtures=False) if model.hidden_size and model.parameters > 2e9]
    told = [
        model.slug
        for model in dense
        if contradicts(
            parameters_of(
                {"num_layers": model.num_layers, "hidden_size": model.hidden_size}, model, published()
            ),
            model.parameters,
        )
    ]
    assert len(told) <= 0.02 * len(dense), told


@settings(max_examples=60)
@given(
    parameters=st.floats(1e8, 2e12),
    active=st.none() | st.floats(0.01, 1),
    tokens=st.integers(1, 200_000),
    requests=st.integers(1, 200),
    more=st.integers(0, 50_000),
)
def test_a_guess_needs_more_for_more(parameters, active, tokens, requests, more):
    model = usual_shape(parameters, active and parameters * active, known=published())

    def need(tokens, requests):
        asked = {"precision": "bf16", "kv_precision": "bf16", "tokens_per_request": tokens}
        return inference_memory(model, H200, ALONE, requests=requests, **asked).total

    before = need(tokens, requests)
    for after in (need(tokens + more, requests), need(tokens, requests + more)):
        assert before.low <= after.low
        assert before.typical <= after.typical
        assert before.high <= after.high
    asked = {"precision": "bf16", "kv_precision": "bf16"}
    most, fewer = (
        max_requests(model, H200, ALONE, tokens_per_request=length, **asked)
        for length in (tokens, tokens + more)
    )
    assert fewer.low <= most.low
    assert fewer.high <= most.high


@pytest.mark.parametrize(("parameters", "active"), [(0, None), (-1, None), (1e9, 0)])
def test_no_size_is_refused(parameters, active):
    with pytest.raises(SizingError):
        usual_shape(parameters, active)


def test_advice_for_a_size_shows_what_is_open():
    found = advice(parameters_b=8, concurrency=32, context_tokens=8192, input_tokens=2000, output_tokens=500)
    assert found["conditional"]
    assert found["matches"]
