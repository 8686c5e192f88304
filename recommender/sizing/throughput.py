"""Rates of work that is not token by token: video frames, speech, images, embeddings.

All by FLOP counts and the share of the printed dense rate that such pipelines reach; wide, because
decoding video, resizing, sampling and small batches count as much as the card.
"""

from recommender.sizing import speed_constants as c
from recommender.sizing.latency import BITS, computing_precision
from recommender.sizing.specs import AIModelSpec, GPUSpec, Precision, Range, SizingError

_VISION_TOKENS = (
    197  # 224 x 224 pixels in patches of 16 x 16, and one for the class (Dosovitskiy et al., 2020)
)
_WHISPER_WINDOW_S = 30.0  # Whisper reads its input in windows of 30 s (Radford et al., 2022)
_WHISPER_WINDOW_POSITIONS = 1500
_SPEECH_TOKENS_PER_S = 4.0  # 150 words a minute, about 1.5 tokens each
_SDXL_STEP_FLOP = 2 * 6.0e12  # one 1024 x 1024 step, with and without the prompt (Podell et al., 2023)
_LATENT_TOKENS = 4096 + 512  # 1024 x 1024 pixels, 16 x 16 a token, and the prompt, in diffusion transformers


def vision_frames_per_s(model: AIModelSpec, gpu: GPUSpec, precision: Precision) -> Range | None:
    """Return images or video frames that one card takes [1/s]; None: rate or model not known."""
    _expect(model, "vision")
    if model.gflop_per_image is not None:
        flop = model.gflop_per_image * 1e9
    elif model.num_layers and model.hidden_size:
        attention = 4.0 * model.num_layers * model.hidden_size * _VISION_TOKENS
        flop = (2.0 * model.parameters + attention) * _VISION_TOKENS
    else:
        return None
    return _per_second(gpu, precision, flop, c.VISION_UTILIZATION)


def audio_seconds_per_s(model: AIModelSpec, gpu: GPUSpec, precision: Precision) -> Range | None:
    """Return seconds of speech that one card transcribes in a second; None: rate not known."""
    _expect(model, "asr")
    hidden = model.hidden_size or 1280
    encoder = 32 * 12 * hidden * hidden  # the encoder keeps its 32 layers in all large versions
    decoder = max(float(model.parameters) - encoder, 0.0)
    attention = 4.0 * 32 * _WHISPER_WINDOW_POSITIONS**2 * hidden
    flop = (
        2.0 * encoder * _WHISPER_WINDOW_POSITIONS
        + attention
        + 2.0 * decoder * _SPEECH_TOKENS_PER_S * _WHISPER_WINDOW_S
    )
    windows = _per_second(gpu, precision, flop, c.WHISPER_UTILIZATION)
    return windows.scaled(_WHISPER_WINDOW_S) if windows else None


def images_per_minute(
    model: AIModelSpec, gpu: GPUSpec, precision: Precision, *, steps: int = 30
) -> Range | None:
    """Return 1024 x 1024 images a minute on one card with that many denoising steps; None: rate not known."""
    _expect(model, "image_generation")
    computing = computing_precision(gpu, precision)
    if computing is None:
        return None
    share = c.DIFFUSION_UTILIZATION[min(BITS[computing], 16)]
    if model.num_layers is None or model.hidden_size is None:
        step = _SDXL_STEP_FLOP  # the convolutional model of the catalogue
    else:
        # Text encoders are part of the published size, so the denoiser's work comes from its shape.
        width = model.hidden_size
        step = model.num_layers * (24.0 * width * width + 4.0 * _LATENT_TOKENS * width) * _LATENT_TOKENS
        share = Range(
            share.low / 2, share.typical, share.high
        )  # some models run each step twice for guidance
    images = _per_second(gpu, precision, step * steps, share)
    return images.scaled(60.0) if images else None


def embedding_tokens_per_s(
    model: AIModelSpec, gpu: GPUSpec, precision: Precision, *, input_tokens: float = 512
) -> Range | None:
    """Return tokens that one card embeds or reranks [1/s]; None: rate not known."""
    _expect(model, "embedding", "reranker")
    layers, hidden = model.num_layers or 0, model.hidden_size or 0
    embedding = (model.vocab_size or 0) * hidden
    flop = 2.0 * max(model.parameters - embedding, model.parameters * 0.2)
    flop += 4.0 * layers * hidden * input_tokens
    return _per_second(gpu, precision, flop, c.ENCODER_UTILIZATION)


def _expect(model: AIModelSpec, *kinds: str) -> None:
    if model.kind not in kinds:
        raise SizingError(f"{model.slug} is {model.kind}, not {' or '.join(kinds)}")


def _per_second(gpu: GPUSpec, precision: Precision, flop: float, share: Range) -> Range | None:
    """Return how often one card does that much work in a second, or None."""
    computing = computing_precision(gpu, precision)
    rate = gpu.dense_flops.get(computing) if computing else None
    if not rate or flop <= 0:
        return None
    return share.scaled(rate / flop)
