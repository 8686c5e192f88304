# `make run` is all that a new machine needs: git, make and Python 3 are enough.
UV = sh .ci/uv
RUN = $(UV) run --no-sync
PORT = 8000

.PHONY: run setup install test test-long lint fmt check messages lighthouse

run: setup ## serve the site at http://127.0.0.1:8000/
	$(RUN) manage.py runserver 127.0.0.1:$(PORT)

setup: install .env ## everything but serving; keeps what is already there
	$(RUN) manage.py messages --compile
	$(RUN) manage.py migrate --verbosity 0
	$(RUN) manage.py load_catalog
	@echo "Ready. Commands: $$(command -v uv >/dev/null && uv --version >/dev/null 2>&1 && echo uv || echo .uv/bin/uv) run manage.py COMMAND"

install:
	$(UV) sync --locked $(if $(wildcard .venv),--quiet)

.env:
	@umask 077; $(RUN) python -c 'import secrets; print("SECRET_KEY=" + secrets.token_urlsafe(50), "DEBUG=true", sep="\n")' > $@
	@echo "Wrote .env: a random secret, SQLite, this machine only, debug pages."

test: install ## SQLite, PostgreSQL where one answers, a real browser where there is one
	@.ci/test

test-long: install ## more examples for the generated tests
	@HYPOTHESIS_PROFILE=long .ci/test

lint: install
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

fmt: install
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

# As in production, whatever .env and the environment say, with a database of its own.
check: export ENV_FILE = /dev/null
check: export DEBUG = false
check: export SITE_URL = https://servers.example.com
check: export SECRET_KEY = $(shell head -c 48 /dev/urandom | base64)
check: export DATABASE_URL = sqlite:///$(CURDIR)/check.sqlite3
check: install ## migrations, production settings, translations
	$(RUN) manage.py messages --compile
	$(RUN) manage.py makemigrations --check --dry-run
	$(RUN) manage.py check --deploy --fail-level WARNING
	$(RUN) manage.py messages --check
	@rm -f check.sqlite3*
	$(RUN) manage.py migrate --verbosity 0
	$(RUN) manage.py load_catalog --verbosity 0
	$(RUN) manage.py check_translations && rm -f check.sqlite3*

messages: install .env ## bring locale/ up to date with code and templates
	$(RUN) manage.py messages

lighthouse: install ## speed, accessibility and search marks of the main pages; needs npm and a quiet machine
	@$(RUN) python .ci/lighthouse.py $(ARGS)
