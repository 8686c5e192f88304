"""Rates of work that makes no text: images, speech, pictures, encoders.

Predicted as the site does, from stored results of the same model on other cards; those of the case's own log
or table are left out by the shelf.
"""

from dataclasses import replace

from recommender.evaluation import spellings
from recommender.evaluation.cases import Question, Refused
from recommender.evaluation.scores import Prediction
from recommender.evaluation.shelf import Shelf
from recommender.sizing import measured, throughput
from recommender.sizing.specs import AIModelSpec, GPUSpec, Precision, Range

# What a data set's sample is: steps of denoising, seconds of speech.
IMAGE_STEPS = {"COCO-2014 prompts, 1024x1024, 20 steps": 20}
CLIP_SECONDS = {"LibriSpeech, ~30 s clips": 30.0}


def model_of(question: Question, shelf: Shelf) -> AIModelSpec | None:
    """Return a model that makes no text, with its stored results; None: a language model.

    One that is not in the catalog is known by its results alone.

    Raises:
        Refused: neither the model nor results of it are in the catalog.
    """
    results = shelf.measured(question)
    try:
        model = shelf.model(question)
    except Refused:
        if not any(result.unit == measured.SAMPLES for result in results):
            raise
        return AIModelSpec(question.model, "vision", parameters=0, measured=results)
    return None if model.generates_tokens else replace(model, measured=results)


def predict(question: Question, figure: str, model: AIModelSpec, shelf: Shelf) -> Prediction:
    """Return samples a second over all GPUs.

    Raises:
        Refused: other figures, or work whose sample is not known.
    """
    if figure != measured.SAMPLES:
        raise Refused(f"figure not predicted for this kind of model: {figure}")
    runtime, _version = spellings.runtime(question.text("engine"), spellings.SUBMISSIONS)
    tuned = runtime.engine == "tensorrt_llm"
    weights = spellings.look_up(spellings.WEIGHTS, question.precision.get("weights"), "weights precision")
    found = _per_card(question, model, shelf.card(question).spec, weights.precision, tuned)
    if found is None:
        raise Refused("the work of one sample or the card's rate is not published")
    return Prediction(found.scaled(question.gpu_count), model.kind)


def _per_card(
    question: Question, model: AIModelSpec, card: GPUSpec, precision: Precision, tuned: bool
) -> Range | None:
    data = question.text("dataset", "")
    limited = question.text("scenario", "") in measured.LIMITED
    if model.kind == "vision":
        return throughput.vision_frames_per_s(model, card, precision, limited=limited, tuned=tuned)
    if model.kind == "asr":
        seconds = spellings.look_up(CLIP_SECONDS, data, "data set")
        heard = throughput.audio_seconds_per_s(model, card, precision, limited=limited, tuned=tuned)
        return heard and heard.scaled(1 / seconds)
    if model.kind == "image_generation":
        steps = spellings.look_up(IMAGE_STEPS, data, "data set")
        images = throughput.images_per_minute(
            model, card, precision, steps=steps, limited=limited, tuned=tuned
        )
        return images and images.scaled(1 / 60)
    longest = question.number("max_sequence_length")
    return throughput.texts_per_s(
        model, card, precision, longest_tokens=longest, limited=limited, tuned=tuned
    )
