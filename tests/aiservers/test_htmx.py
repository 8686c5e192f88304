"""Which part of a page htmx gets."""

import pytest
from django.test import RequestFactory
from django_htmx.middleware import HtmxDetails

from aiservers.htmx import template_for


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, "catalog/server_list.html"),
        ({"HX-Request": "true"}, "catalog/server_list.html#results"),
        ({"HX-Request": "true", "HX-Boosted": "true"}, "catalog/server_list.html"),
        ({"HX-Request": "true", "HX-History-Restore-Request": "true"}, "catalog/server_list.html"),
    ],
)
def test_only_a_swap_gets_a_partial(headers, expected):
    request = RequestFactory().get("/", headers=headers)
    request.htmx = HtmxDetails(request)
    assert template_for(request, "catalog/server_list.html", partial="results") == expected
