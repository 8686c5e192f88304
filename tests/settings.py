"""The project's settings, with everything that a deployment decides decided for the tests.

DATABASE_URL stays what the environment says, so that the same tests run on both databases.
"""

import os

os.environ |= {
    "ENV_FILE": os.devnull,  # nobody's .env decides what the tests see
    "SECRET_KEY": "only-for-tests-and-long-enough-to-be-accepted-by-the-checks",
    "DEBUG": "false",
    "SITE_URL": "http://testserver",
    "ALLOWED_HOSTS": "testserver,localhost,127.0.0.1",
    "VENDOR_NAME": "Test Vendor",
    "VENDOR_LOGO": "",
    "SALES_CONTACT": "sales@vendor.example",
    "TRUSTED_PROXIES": "",
    "CACHE_URL": "locmemcache://",
    "RELEASE": "test",
    "TIME_ZONE": "Europe/Madrid",
    "LOG_LEVEL": "INFO",
    "LEADS_EMAIL": "leads@vendor.example",
    "EMAIL_URL": "consolemail://",
}
os.environ.setdefault("DATABASE_URL", "sqlite:///:memory:")

from aiservers.settings import *  # noqa: F403
from aiservers.settings import STORAGES

# Straight from the folders: collecting is tested on its own.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick: nothing to protect here
