"""The page about the API: where it is, what it promises, and two requests to try."""

from django.shortcuts import render
from django.views.decorators.http import require_safe

from aiservers import caching, throttling
from aiservers.bodies import MAX_BODY
from aiservers.paging import DEFAULT_LIMIT, MAX_LIMIT


@require_safe
def api(request):
    address = request.build_absolute_uri(caching.API_PATH)
    context = {
        "address": address,
        "description": f"{caching.API_PATH}openapi.json",
        "limits": {
            "read": throttling.READ.limit,
            "memory": throttling.COMPUTE.limit,
            "advice": throttling.ADVISE.limit,
            "body": MAX_BODY // 1024,
            "rows": DEFAULT_LIMIT,
            "most": MAX_LIMIT,
            "seconds": caching.PUBLIC_SECONDS,
        },
        "examples": [
            f"curl '{address}memory?model=llama-3.1-8b&concurrency=32&gpu=nvidia-l40s'",
            f'curl -H \'Content-Type: application/json\' -d \'{{"workload": "chat", "concurrency": 32}}\' '
            f"'{address}recommendations?language=en'",
        ],
    }
    return render(request, "catalog/api.html", context)
