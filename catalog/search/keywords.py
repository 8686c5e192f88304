"""What readers call a kind of page or a fact that columns state: words to be found by, never shown.

English ones are found in every language, the others in their own.
"""

SERVER = {
    "en": "server machine AI",
    "es": "servidor máquina equipo IA",
    "ru": "сервер машина ИИ",
}
GPU = {
    "en": "GPU card graphics accelerator",
    "es": "GPU tarjeta gráfica acelerador aceleradora",
    "ru": "GPU видеокарта карта ускоритель графический процессор",
}
AI_MODEL = {"en": "AI model", "es": "modelo de IA", "ru": "модель ИИ"}
# The page of a model answers "which server for it?" and how much memory it takes; that of a work the first.
AI_MODEL_ANSWERS = {"en": "server memory", "es": "servidor memoria", "ru": "сервер память"}
PROFILE = {"en": "workload kind of work", "es": "carga de trabajo", "ru": "вид работы нагрузка задача"}
PROFILE_ANSWERS = {"en": "server", "es": "servidor", "ru": "сервер"}
# Columns of a server that are yes or no.
SERVER_FLAGS = {
    "for_training": {"en": "training train", "es": "entrenamiento entrenar", "ru": "обучение обучать"},
    "for_fine_tuning": {
        "en": "fine-tuning fine tuning",
        "es": "ajuste fino afinar fine-tuning",
        "ru": "дообучение дообучать файнтюнинг",
    },
    "for_inference": {"en": "inference serving", "es": "inferencia", "ru": "инференс вывод"},
    "for_edge": {"en": "edge", "es": "edge borde", "ru": "периферийный"},
    "for_hpc": {
        "en": "HPC scientific computing",
        "es": "HPC cálculo científico",
        "ru": "HPC научные расчёты",
    },
    "short_depth": {"en": "short depth", "es": "poca profundidad", "ru": "малая глубина"},
}
SERVER_KINDS = {
    "rack": {"en": "rack", "es": "rack", "ru": "стоечный стойка"},
    "tray": {"en": "tray", "es": "bandeja", "ru": "лоток"},
    "edge": {"en": "edge box", "es": "edge equipo compacto", "ru": "периферийный"},
    "tower": {"en": "tower", "es": "torre", "ru": "башня напольный"},
}
COOLING = {
    "air": {"en": "air cooling cooled", "es": "refrigeración por aire", "ru": "воздушное охлаждение"},
    "liquid": {
        "en": "liquid water cooling cooled",
        "es": "refrigeración líquida agua",
        "ru": "жидкостное водяное охлаждение",
    },
}
STAGES = {
    "training": SERVER_FLAGS["for_training"],
    "fine_tuning": SERVER_FLAGS["for_fine_tuning"],
    "inference": SERVER_FLAGS["for_inference"],
    "mixed": {
        code: f"{SERVER_FLAGS['for_fine_tuning'][code]} {SERVER_FLAGS['for_inference'][code]}"
        for code in ("en", "es", "ru")
    },
    "development": {"en": "development pilot", "es": "desarrollo piloto", "ru": "разработка пилот"},
}
AI_MODEL_KINDS = {
    "llm": {
        "en": "LLM large language model chat",
        "es": "LLM modelo de lenguaje",
        "ru": "LLM языковая модель",
    },
    "vlm": {
        "en": "VLM vision language multimodal",
        "es": "VLM visión lenguaje multimodal",
        "ru": "VLM мультимодальная",
    },
    "embedding": {"en": "embedding embeddings", "es": "embeddings", "ru": "эмбеддинги"},
    "reranker": {"en": "reranker reranking", "es": "reordenación", "ru": "ранжирование"},
    "asr": {"en": "ASR speech recognition", "es": "voz reconocimiento", "ru": "распознавание речи"},
    "image_generation": {
        "en": "image generation diffusion",
        "es": "generación de imágenes difusión",
        "ru": "генерация изображений картинок диффузия",
    },
    "vision": {
        "en": "computer vision image detection",
        "es": "visión imágenes detección",
        "ru": "зрение изображения",
    },
}
