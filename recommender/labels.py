"""Names of codes, criteria, states and figures, and why each value stands in for an answer."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WHY_DEFAULT: dict[str, Promise] = {
    "model": _("No model was named: a usual one of middle size stands in for it."),
    "stage": _("Nothing was said about the work: serving a model is the most frequent."),
    "precision": _("Most models are served in the type in which they were published."),
    "kv_precision": _("Engines keep the cache in 16 bits by themselves."),
    "engine": _("The most widely used engine."),
    "input_tokens": _("A usual prompt with some context."),
    "output_tokens": _("A usual answer of one page at most."),
    "prefix_percent": _("Nothing shared: the safe side."),
    "concurrency": _("A small team at the same time."),
    "context_tokens": _("Prompt and answer together, as no longest context was given."),
    "from_rate": _("Requests per second times the time that each takes, from the time targets."),
    "from_users": _("People × active share × requests per minute × peak factor ÷ 60."),
    "from_gb": _("Four bytes of text count as one token."),
    "from_parameters": _(
        "About 20 tokens per parameter make the most of the compute; many models are trained on more."
    ),
    "shortened": _("Shortened to what the model or the longest context can take."),
    "active_percent": _("Usual for chat and search: a fifth of all people in the peak hour."),
    "requests_per_user_minute": _("Between chat (0.4) and search in documents (1)."),
    "peak_factor": _("Peaks are usually 1.5 to 2.5 times the average."),
    "ttft_ms": _("People wait up to two seconds for the first word without complaint."),
    "tpot_ms": _("At least as fast as people read."),
    "queue_seconds": _("What people in a dialogue hardly notice."),
    "availability": _("Nothing was said: no spare server is counted."),
    "streams": _("A usual small site."),
    "frames_per_second": _("Enough for people and vehicles."),
    "audio_streams": _("A small call centre."),
    "images_per_minute": _("A small team at the same time."),
    "requests_per_second": _("A search box of a middle-sized company."),
    "method": _("The usual way for this stage."),
    "optimizer": _("The usual optimizer, 16 bytes for each trained parameter."),
    "lora_rank": _("The usual rank, on all linear layers."),
    "micro_batch": _("The least memory."),
    "sequence_tokens": _("A usual length."),
    "global_batch": _("A usual step for this method."),
    "dataset_tokens": _("A usual set of examples for fine-tuning."),
    "epochs": _("Usual for this stage."),
    "target_hours": _("Usual for this stage; it orders and never rules out."),
    "priority": _("No criterion was put first."),
    "qlora": _("QLoRA keeps the weights in four bits."),
}

# Reasons of values that are worked out from other answers.
COMPUTED = frozenset({"from_rate", "from_users", "from_gb", "from_parameters", "context_tokens"})

TO_MEASURE: dict[str, Promise] = {
    "model": _("Which model it will be: memory and speed follow from it."),
    "training_model": _("Which model is trained: memory and time follow from it."),
    "concurrency": _("How many requests run at the same time at the peak: count them in a pilot."),
    "context_tokens": _("How long contexts get: take the longest prompts and answers of a week."),
    "input_tokens": _("How long prompts are: take the median and the longest of a week."),
    "output_tokens": _("How long answers are: take the median and the longest of a week."),
    "ttft_ms": _("How long people wait for the first word without complaint."),
    "tpot_ms": _("How fast the text must come."),
    "availability": _("What may happen when a server is lost."),
    "method": _("How the model is adapted: full fine-tuning takes many times the memory of LoRA."),
    "dataset_tokens": _("How many tokens the data has: run the tokenizer over it."),
    "target_hours": _("How long a training cycle may take."),
    "epochs": _("How many passes over the data are needed."),
    "sequence_tokens": _("How long the training sequences are."),
    "streams": _("How many streams are analysed at the same time."),
    "frames_per_second": _("How many frames per second are enough: test with your own scenes."),
    "audio_streams": _("How many conversations are transcribed at the same time."),
    "images_per_minute": _("How many images are made per minute at the peak."),
}
TO_MEASURE_ELSE = _("This answer is a guess: find out the real value.")

CODE_LABELS: dict[str, Promise] = {
    "memory": _("Memory"),
    "temperature": _("Temperature"),
    "depth": _("Depth"),
    "rack_units": _("Height"),
    "power": _("Power available"),
    "cooling": _("Cooling"),
    "cpu_vendor": _("Processors"),
    "gpu_vendor": _("GPU"),
    "latency": _("Response time"),
    "throughput": _("Throughput"),
    "interconnect": _("Link"),
    "no_gpu": _("GPU"),
    "precision": _("Precision"),
    "site": _("Site"),
    "training_time": _("Training time"),
}
CRITERIA_LABELS: dict[str, Promise] = {
    "throughput": _("Throughput"),
    "latency": _("Response time"),
    "concurrency": _("Simultaneous requests"),
    "availability": _("Availability"),
    "running_cost": _("Running cost"),
    "headroom": _("Memory headroom"),
    "footprint": _("Space, cards and power"),
    "growth": _("Room to grow"),
}
ORIGIN_LABELS: dict[str, Promise] = {
    "given": _("your answer"),
    "hypothesis": _("your guess"),
    "profile": _("typical for this work"),
    "default": _("our assumption"),
}
STATE_LABELS: dict[str, Promise] = {
    "fits": _("Fits"),
    "fits_if": _("Fits only if"),
}
MEMORY_LABELS: dict[str, Promise] = {
    "weights": _("Weights"),
    "kv_cache": _("KV cache"),
    "activations": _("Activations"),
    "optimizer": _("Optimizer states"),
    "gradients": _("Gradients"),
    "overhead": _("Engine reserve"),
}
FIGURE_LABELS: dict[str, Promise] = {
    "ttft": _("Time to first token"),
    "tpot": _("Time per output token"),
    "output_tokens": _("Output"),
    "throughput": _("Throughput"),
    "training_hours": _("Time of one training cycle"),
    "power": _("Power at load"),
}
EVIDENCE_LABELS: dict[str, Promise] = {
    "measured_here": _("measured here"),
    "measured_elsewhere": _("measured elsewhere"),
    "computed": _("estimate"),
    "unknown": _("not known"),
}
