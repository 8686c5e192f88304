"""Lighthouse on the production server of this machine: a table, and a failure where a page misses its mark.

    make lighthouse                       every page, in every language
    make lighthouse ARGS="--runs 3"       the median of three runs a page, for a machine that is not quiet
    make lighthouse ARGS="--only home"    pages whose name begins so

It needs npm and Chromium (or CHROME_PATH), and nothing else at work on the machine: the speed is that of a
slow telephone, reckoned from what the run itself takes. Lighthouse is fetched into .lighthouse/, where data
and static files of the run lie too.
"""

import argparse
import json
import os
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".lighthouse"
PACKAGE = "lighthouse@12.2.3"
LANGUAGES = ["es", "ru", "en"]
CHROME_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage "
    "--disable-background-networking --disable-component-update --disable-sync"
)
CHAT = "stage=inference&workload=chat&model=llama-3.3-70b&concurrency=32&context_tokens=8000"
# name: (view, its arguments, query, whether search engines may list it)
PAGES = {
    "home": ("catalog:home", {}, "", True),
    "list": ("catalog:server_list", {}, "", True),
    "server": ("catalog:server", {"slug": "thinksystem-sr675-v3"}, "", True),
    "gpu": ("catalog:gpu", {"slug": "nvidia-h200-sxm-141gb"}, "", True),
    "model": ("catalog:ai_model", {"slug": "llama-3.3-70b"}, "", True),
    "calculator": ("recommender:calculator", {}, "", True),
    "results": ("recommender:results", {}, CHAT, False),
}
# name of a figure: (the mark, whether more is better)
MARKS = {
    "performance": (98, True),
    "accessibility": (100, True),
    "best-practices": (100, True),
    "seo": (100, True),
    "KB": (100, False),
    "requests": (15, False),
    "LCP s": (1.5, False),
    "CLS": (0.01, False),
}
ATTEMPTS = 3  # of a report
CATEGORIES = ["performance", "accessibility", "best-practices", "seo"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1, help="runs a page, of which the median counts")
    parser.add_argument("--only", default="", help="pages whose name begins so")
    parser.add_argument("--keep", action="store_true", help="keep the reports in .lighthouse/reports/")
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    lighthouse = install()
    port = free_port()
    print(f"load before: {load()}", flush=True)
    missed = []
    with server(port) as address_of:
        print("".join(f"{name:>16}" for name in ["page", *MARKS]), flush=True)
        for name, (view, arguments, query, indexed) in PAGES.items():
            if not name.startswith(options.only):
                continue
            for language in LANGUAGES:
                path = address_of(view, arguments, query, language)
                url = f"http://127.0.0.1:{port}{path}"
                urlopen(url).read()  # what a process keeps after its first page is there
                label = f"{name} {language}"
                reports = [report(lighthouse, url) for _run in range(options.runs)]
                if options.keep:
                    keep(label, reports)
                figures = median(reports)
                wrong = [key for key in MARKS if (indexed or key != "seo") and misses(key, figures[key])]
                cells = [f"{figures[key]:g}{'!' if key in wrong else ''}" for key in MARKS]
                print("".join(f"{cell:>16}" for cell in [label, *cells]), flush=True)
                missed += [f"{label}: {key} {figures[key]:g}, the mark is {MARKS[key][0]}" for key in wrong]
                missed += [f"{label}: {text}" for text in faults(reports[0], wrong)]
    print(f"load after: {load()}")
    print("\n".join(missed) or "Every page meets its marks.")
    return 1 if missed else 0


def install():
    """Return the program, fetched where it or its version is missing."""
    program = FOLDER / "node_modules" / ".bin" / "lighthouse"
    package = FOLDER / "node_modules" / "lighthouse" / "package.json"
    version = json.loads(package.read_text())["version"] if package.exists() else ""
    if f"lighthouse@{version}" != PACKAGE:
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", FOLDER, PACKAGE]
        subprocess.run(command, check=True)
    return program


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def server(port):
    """Run the site as in production, with data and static files of its own; yield what finds addresses."""
    os.environ |= {
        "ENV_FILE": "/dev/null",
        "DEBUG": "false",
        "SITE_URL": f"http://127.0.0.1:{port}",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DATABASE_URL": f"sqlite:///{FOLDER / 'lighthouse.sqlite3'}",
        "STATIC_ROOT": str(FOLDER / "static"),
        "DJANGO_SETTINGS_MODULE": "aiservers.settings",
        "LOG_LEVEL": "WARNING",
    }
    sys.path.insert(0, str(ROOT))
    import django
    from django.core.management import call_command
    from django.urls import reverse
    from django.utils.translation import override

    shutil.rmtree(FOLDER / "static", ignore_errors=True)
    django.setup()
    call_command("messages", compile=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("migrate", verbosity=0)
    call_command("load_catalog", verbosity=0)

    def address_of(view, arguments, query, language):
        with override(language):
            path = reverse(view, kwargs=arguments)
        return f"{path}?{query}" if query else path

    granian = ["granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command = [sys.executable, "-m", *granian, "--workers", "1", "--blocking-threads", "4"]
    with (
        open(FOLDER / "server.log", "w") as log,
        subprocess.Popen(
            [*command, "aiservers.wsgi:application"], cwd=ROOT, stdout=log, stderr=log
        ) as running,
    ):
        try:
            wait_for(f"http://127.0.0.1:{port}/health/ready", running)
            yield address_of
        finally:
            running.terminate()


def wait_for(url, running):
    for _try in range(120):
        if running.poll() is not None:
            break
        try:
            with urlopen(url):
                return
        except URLError:
            time.sleep(0.25)
    raise SystemExit(f"The server did not start; see {FOLDER / 'server.log'}.")


def report(lighthouse, url):
    """Return Lighthouse's report of one page, on its mobile preset; it may lose a trace."""
    only = f"--only-categories={','.join(CATEGORIES)}"
    command = [lighthouse, url, "--quiet", "--output=json", only, f"--chrome-flags={CHROME_FLAGS}"]
    environment = os.environ | {
        "CHROME_PATH": os.environ.get("CHROME_PATH") or shutil.which("chromium") or ""
    }
    for _attempt in range(ATTEMPTS):
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if not done.returncode:
            return json.loads(done.stdout)
    raise SystemExit(f"Lighthouse failed on {url}:\n{done.stderr}")


def figures_of(found):
    audits = found["audits"]
    sent = audits["network-requests"]["details"]["items"]
    figures = {key: round(found["categories"][key]["score"] * 100) for key in CATEGORIES}
    return figures | {
        "KB": round(sum(item["transferSize"] for item in sent) / 1000, 1),
        "requests": len(sent),
        "LCP s": round(audits["largest-contentful-paint"]["numericValue"] / 1000, 2),
        "CLS": round(audits["cumulative-layout-shift"]["numericValue"], 4),
    }


def median(reports):
    runs = [figures_of(found) for found in reports]
    return {key: statistics.median(run[key] for run in runs) for key in MARKS}


def misses(key, value):
    mark, more_is_better = MARKS[key]
    return value < mark if more_is_better else value > mark


def faults(found, wrong):
    """Say which audits cost a category its points."""
    for key in set(wrong) & set(CATEGORIES):
        for reference in found["categories"][key]["auditRefs"]:
            audit = found["audits"][reference["id"]]
            if (
                reference["weight"]
                and (audit["score"] or 0) < 1
                and audit["scoreDisplayMode"] != "notApplicable"
            ):
                yield f"{key}: {audit['title']} {audit.get('displayValue', '')}".rstrip()


def keep(label, reports):
    folder = FOLDER / "reports"
    folder.mkdir(exist_ok=True)
    for number, found in enumerate(reports, 1):
        name = f"{label.replace(' ', '-')}-{number}.json"
        (folder / name).write_text(json.dumps(found))


def load():
    return ", ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    sys.exit(main())
