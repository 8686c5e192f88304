"""Addresses of the catalog's pages; their words are translated under the context "path"."""

app_name = "catalog"
urlpatterns = []
