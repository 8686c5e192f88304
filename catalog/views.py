"""The catalog's pages: what is asked is read here, what is shown comes from filters and selectors."""

from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def home(request):
    return render(request, "catalog/home.html")


server_list = server = gpu_list = gpu = training = inference = legal = home
