#!/usr/bin/env python
"""Run administrative commands: `uv run manage.py COMMAND`."""

import os
import sys


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aiservers.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed here. Run `make setup`, then `uv run manage.py …`.")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
