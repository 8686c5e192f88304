"""What the API tells about the catalog. Null: not published, or not known; units stand in the names."""

from catalog.api_schemas.ai_models import AIModelDetail, AIModelPage
from catalog.api_schemas.gpus import GPUDetail, GPUPage
from catalog.api_schemas.servers import ServerDetail, ServerPage
from catalog.api_schemas.work import BenchmarkResultPage, WorkloadProfileOut, WorkloadProfilePage

__all__ = [
    "AIModelDetail",
    "AIModelPage",
    "BenchmarkResultPage",
    "GPUDetail",
    "GPUPage",
    "ServerDetail",
    "ServerPage",
    "WorkloadProfileOut",
    "WorkloadProfilePage",
]
