"""Values as they are typed, shown in the help of every figure’s input beside its unit."""

from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import get_language, gettext_lazy as _

from aiservers.numbers import as_typed

EXAMPLES = {
    "AIModel": {
        "released_year": "2025",
        "released_month": "7",
        "parameters": "70553706496",
        "active_parameters": "3300000000",
        "num_layers": "80",
        "hidden_size": "8192",
        "num_attention_heads": "64",
        "num_kv_heads": "8",
        "head_dim": "128",
        "intermediate_size": "28672",
        "vocab_size": "128256",
        "max_context": "131072",
        "experts": "128",
        "experts_per_token": "8",
        "shared_experts": "1",
        "moe_intermediate_size": "768",
        "first_dense_layers": "3",
        "mtp_parameters": "11500000000",
        "gflop_per_image": "4.1",
    },
    "CacheGroup": {
        "layers": "80",
        "kv_heads": "8",
        "head_dim": "128",
        "latent_dim": "512",
        "rope_dim": "64",
        "window": "1024",
        "state_bytes": "1048576",
        "tokens_per_entry": "1",
    },
    "ModelPart": {
        "parameters": "630000000",
    },
    "MeasuredWeights": {
        "gib": "131.4",
    },
    "BenchmarkResult": {
        "value": "34864.1",
        "gpu_count": "8",
        "servers": "1",
        "input_tokens": "1024",
        "output_tokens": "512",
        "sequence_tokens": "8192",
        "sample_work": "20",
        "concurrency": "64",
    },
    "Enclosure": {
        "rack_units": "6",
        "trays": "6",
    },
    "Server": {
        "launch_year": "2025",
        "launch_month": "5",
        "rack_units": "2",
        "height_mm": "86.5",
        "width_mm": "445",
        "depth_mm": "763.7",
        "weight_max_kg": "38.8",
        "sockets_min": "1",
        "sockets_max": "2",
        "cpu_max_cores": "144",
        "cpu_max_tdp_w": "350",
        "memory_slots": "32",
        "memory_speed_mts": "6400",
        "bays_2_5": "24",
        "bays_3_5": "12",
        "bays_nvme": "24",
        "pcie_gen": "5",
        "pcie_slots": "10",
        "ocp_slots": "2",
        "card_max_w": "600",
        "psu_count": "4",
        "temperature_min_c": "5",
        "temperature_max_c": "45",
        "temperature_sure_c": "30",
    },
    "PowerSupply": {
        "power_w": "2700",
    },
    "Variant": {
        "rack_units": "2",
        "bays_2_5": "16",
        "bays_3_5": "8",
        "bays_nvme": "16",
    },
    "SlotAlternative": {
        "count": "8",
        "card_max_w": "75",
    },
    "GPU": {
        "launch_year": "2024",
        "launch_month": "3",
        "devices_per_board": "4",
        "slots_wide": "2",
        "length_mm": "267",
        "memory_gb": "80",
        "memory_gib_usable": "79.65",
        "bandwidth_gbs": "3350",
        "fp64_tflops": "34",
        "fp32_tflops": "67",
        "tf32_tflops": "494.5",
        "fp16_tflops": "989.5",
        "bf16_tflops": "989.5",
        "fp8_tflops": "1979",
        "fp4_tflops": "9000",
        "int8_tops": "1979",
        "int4_tops": "1248",
        "nvlink_gbs_total": "900",
        "nvlink_generation": "4",
        "bridge_max_gpus": "2",
        "pcie_gen": "5",
        "pcie_lanes": "16",
        "fabric_gbs_total": "896",
        "tdp_w": "700",
        "tdp_min_w": "200",
        "nvenc": "3",
        "nvdec": "7",
    },
    "GPUOption": {
        "min_count": "1",
        "max_count": "8",
        "link_gbs": "900",
        "link_max_gpus": "8",
        "card_power_cap_w": "450",
        "ambient_max_c": "30",
        "min_sockets": "2",
        "min_psu_w": "2400",
    },
    "WorkloadProfile": {
        "gpus_min": "1",
        "gpus_max": "8",
        "rack_units_min": "2",
        "rack_units_max": "8",
    },
}


written = lazy(lambda number: as_typed(number, get_language()), str)


def add_examples(form):
    """Put an example into the help of each figure’s input of a form class."""
    examples = EXAMPLES.get(form._meta.model.__name__, {})
    for name, example in examples.items():
        if field := form.base_fields.get(name):
            text, says = format_lazy(_("Example: {example}."), example=written(example)), field.help_text
            field.help_text = format_lazy("{says} {text}", says=says, text=text) if says else text
    return form
