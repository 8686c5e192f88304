"""What stands in for an answer that nobody gave, and which words decide the kind of work."""

from recommender.answers import EMBEDDINGS, IMAGES, SPEECH, TOKENS, VISION
from recommender.sizing.specs import ModelKind

# Stand in where neither the reader nor a profile of the catalog says anything: our judgement, from the
# ranges that sizing questionnaires name. Each is shown as a default.
DEFAULTS: dict[str, str] = {
    "precision": "auto",
    "kv_precision": "auto",
    "engine": "vllm",
    "input_tokens": "2000",
    "output_tokens": "500",
    "prefix_percent": "0",
    "concurrency": "10",
    "active_percent": "20",
    "requests_per_user_minute": "0.5",
    "peak_factor": "2",
    "ttft_ms": "2000",
    "tpot_ms": "100",
    "queue_seconds": "2",
    "availability": "single",
    "streams": "16",
    "frames_per_second": "15",
    "audio_streams": "10",
    "images_per_minute": "10",
    "optimizer": "adamw",
    "lora_rank": "16",
    "micro_batch": "1",
    "sequence_tokens": "4096",
    "priority": "balanced",
}
# Where the stage changes what is usual.
STAGE_DEFAULTS: dict[str, dict[str, str]] = {
    "development": {"concurrency": "2"},
    "training": {
        "method": "pretraining",
        "epochs": "1",
        "target_hours": "720",
        "global_batch": "1024",
    },
    "fine_tuning": {
        "method": "lora",
        "dataset_tokens": "10000000",
        "epochs": "3",
        "target_hours": "24",
        "global_batch": "16",
    },
    "mixed": {
        "method": "lora",
        "dataset_tokens": "10000000",
        "epochs": "3",
        "target_hours": "24",
        "global_batch": "16",
    },
}
MODEL_DEFAULTS = {
    TOKENS: "qwen3-32b",
    EMBEDDINGS: "bge-m3",
    SPEECH: "whisper-large-v3",
    IMAGES: "sdxl-base-1.0",
    VISION: "yolo11",
}
TRAINING_MODEL_DEFAULT = "llama-3.1-8b"
DEVELOPMENT_MODEL_DEFAULT = "llama-3.1-8b"
WELL_KNOWN = ("llama-3.1-8b", "qwen3.5-27b", "llama-3.3-70b")  # stand in before others, where they can
# Small, middle, large: what a model that is not decided yet may become.
ENVELOPE = ("llama-3.1-8b", "qwen3-32b", "llama-3.3-70b")
UNNAMED_MODEL_B = 8  # where the catalog has no model of that kind
TOKENS_PER_PARAMETER = 20  # of training from scratch (Hoffmann et al., 2022, arXiv:2203.15556)
BYTES_PER_TOKEN = 4  # of English text, about; other languages need fewer

KIND_OF_MODEL = {
    "llm": TOKENS,
    "vlm": TOKENS,
    "embedding": EMBEDDINGS,
    "reranker": EMBEDDINGS,
    "asr": SPEECH,
    "image_generation": IMAGES,
    "vision": VISION,
}
KIND_OF_WORKLOAD = {
    "vision": VISION,
    "speech": SPEECH,
    "image_generation": IMAGES,
    "embeddings": EMBEDDINGS,
}
KIND_OF_LOAD = {
    "streams": VISION,
    "frames_per_second": VISION,
    "audio_streams": SPEECH,
    "images_per_minute": IMAGES,
}
MODEL_OF_KIND: dict[str, ModelKind] = {
    EMBEDDINGS: "embedding",
    SPEECH: "asr",
    IMAGES: "image_generation",
    VISION: "vision",
}
TRAINING_KEYS = ("method", "dataset_tokens", "dataset_gb", "epochs", "target_hours", "global_batch")

# The harder end of a range: the larger one, except here.
LOW_IS_HARDER = frozenset(
    {
        "prefix_percent",
        "ttft_ms",
        "tpot_ms",
        "target_hours",
        "queue_seconds",
        "rack_units",
        "max_depth_mm",
        "power_kw",
        "temperature_min_c",
        "global_batch",
        "network_gbe",
        "storage_gbs",
        "feed_voltage",
    }
)
