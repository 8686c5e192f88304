"""Settings: one file; deployments differ by environment variables (.env.example), bad values fail loudly."""

from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
ENV_FILE = Path(env.str("ENV_FILE", default=str(BASE_DIR / ".env")))
if ENV_FILE.is_file():
    env.read_env(ENV_FILE)  # what the environment sets already stays

if not env.str("SECRET_KEY", default=""):
    raise ImproperlyConfigured(
        f"SECRET_KEY is not set: neither in the environment nor in {ENV_FILE}. "
        "For development, run `make setup`, which writes that file. For production, see .env.example."
    )
SECRET_KEY = env.str("SECRET_KEY")
DEBUG = env.bool("DEBUG", default=False)

# The site and whose it is
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000" if DEBUG else "").rstrip("/")
if urlsplit(SITE_URL).scheme not in {"http", "https"} or urlsplit(SITE_URL).path:
    raise ImproperlyConfigured(
        f"SITE_URL is {SITE_URL!r}; it must be the public address without a path, like https://servers.example.com."
    )
VENDOR_NAME = env.str("VENDOR_NAME", default="AI Servers")
VENDOR_LOGO = env.str("VENDOR_LOGO", default="")  # a file under static/, never another host's
if ":" in VENDOR_LOGO or VENDOR_LOGO.startswith("/"):
    raise ImproperlyConfigured(
        f"VENDOR_LOGO is {VENDOR_LOGO!r}; it must be a path below static/, like img/logo.svg."
    )
SALES_CONTACT = env.str("SALES_CONTACT", default="")  # an e-mail address, an https address or a phone number
RELEASE = env.str("RELEASE", default="")  # names the deployed version where several hosts serve the same

# Who may ask, and through what
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[urlsplit(SITE_URL).hostname])
ALLOWED_HOSTS += ["127.0.0.1", "localhost", "[::1]"]  # health checks from this machine
HTTPS = urlsplit(SITE_URL).scheme == "https"
try:
    TRUSTED_PROXIES = [ip_network(network) for network in env.list("TRUSTED_PROXIES", default=[])]
except ValueError as error:
    raise ImproperlyConfigured(f"TRUSTED_PROXIES must be addresses or networks: {error}") from error
if TRUSTED_PROXIES:
    # aiservers.middleware.trusted_proxy has removed the header where anybody else sent it.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

INSTALLED_APPS = [
    "modeltranslation",  # before the admin, whose classes it extends
    "aiservers.staff.apps.StaffAdminConfig",  # django.contrib.admin with our site
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    "whitenoise.runserver_nostatic",  # runserver serves static files as production does
    "django.contrib.staticfiles",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "axes",
    "django_filters",
    "django_htmx",
    "import_export",
    "aiservers",
    "catalog",
    "recommender",
    "aiservers.staff",
]

MIDDLEWARE = [
    "aiservers.middleware.trusted_proxy",
    "aiservers.middleware.request_log",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "aiservers.middleware.CompressPublic",
    "aiservers.caching.CachingMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "aiservers.middleware.api_language",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "aiservers.staff.sessions.absolute_end",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",  # last: it answers instead of a sign-in that was one failure too many
]

ROOT_URLCONF = "aiservers.urls"
WSGI_APPLICATION = "aiservers.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "aiservers.context_processors.site",
            ],
        },
    },
]

# Data
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}")}
DATABASES["default"]["ATOMIC_REQUESTS"] = False
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Readers do not wait for a writer, and writers wait for one another instead of failing half way.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,  # seconds
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)  # seconds
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {"default": env.cache("CACHE_URL", default="locmemcache://")}

# Briefs, and what is sent to sales
BRIEF_DAYS = env.int("BRIEF_DAYS", default=180)  # until a brief expires; its owner can renew it
CONTACT_DAYS = env.int("CONTACT_DAYS", default=365)  # until purge_briefs deletes who sent it
if BRIEF_DAYS < 1 or CONTACT_DAYS < 1:
    raise ImproperlyConfigured("BRIEF_DAYS and CONTACT_DAYS must be whole days, 1 or more.")
RECHECK_DAYS = env.int("RECHECK_DAYS", default=365)  # until a figure asks staff to look at its source again
if RECHECK_DAYS < 1:
    raise ImproperlyConfigured("RECHECK_DAYS must be whole days, 1 or more.")
LEADS_EMAIL = env.list("LEADS_EMAIL", default=[])  # told of every new lead
DEFAULT_FROM_EMAIL = env.str("FROM_EMAIL", default="aiservers@localhost")
_mail = env.email("EMAIL_URL", default="consolemail://" if DEBUG else "smtp://localhost:25")
MAILERS = {"default": {"BACKEND": _mail["EMAIL_BACKEND"]}}
if _mail["EMAIL_BACKEND"].endswith("smtp.EmailBackend"):
    MAILERS["default"]["OPTIONS"] = {
        "host": _mail["EMAIL_HOST"],
        "port": _mail["EMAIL_PORT"] or 25,
        "username": _mail["EMAIL_HOST_USER"] or "",
        "password": _mail["EMAIL_HOST_PASSWORD"] or "",
        "use_tls": _mail.get("EMAIL_USE_TLS", False),
        "use_ssl": _mail.get("EMAIL_USE_SSL", False),
        "timeout": 10,  # seconds: a reader waits for it
    }

# Languages, numbers, time
LANGUAGE_CODE = "es"
LANGUAGES = [("es", _("Spanish")), ("ru", _("Russian")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_PATH = "/admin/"  # readers' language is in the address
FORMAT_MODULE_PATH = "aiservers.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="Europe/Madrid")

MODELTRANSLATION_DEFAULT_LANGUAGE = "es"
MODELTRANSLATION_ENABLE_FALLBACKS = False
MODELTRANSLATION_AUTO_POPULATE = False

# Static files: hashed names and compressed in production, straight from the folders in development
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(BASE_DIR / "staticfiles")))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# Security
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health/"]  # probes come from inside, without TLS
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000 if HTTPS else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.bool("HSTS_SUBDOMAINS", default=HTTPS)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_PATH = "/admin/"  # staff's session never reaches the pages that caches keep
CSRF_COOKIE_HTTPONLY = True
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000  # a server's form sends eleven inputs for each row of evidence
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Who works here: staff/ has the pages, axes counts failures, django-otp checks codes
STAFF_TWO_FACTOR = env.str("STAFF_TWO_FACTOR", default="optional")
if STAFF_TWO_FACTOR not in {"optional", "required"}:
    raise ImproperlyConfigured(f"STAFF_TWO_FACTOR is {STAFF_TWO_FACTOR!r}; it must be optional or required.")
OTP_TOTP_ISSUER = VENDOR_NAME
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = env.int("SIGN_IN_FAILURES", default=5)
AXES_COOLOFF_TIME = timedelta(minutes=env.int("LOCK_MINUTES", default=15))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # nobody locks a colleague out from elsewhere
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # the time that the page names stays true
AXES_CLIENT_IP_CALLABLE = "aiservers.staff.sign_in.client_address"  # behind our own trusted_proxy
AXES_LOCKOUT_CALLABLE = "aiservers.staff.sign_in.locked_out"
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "code", "csrfmiddlewaretoken"]
AXES_DISABLE_ACCESS_LOG = True  # our own audit log says it
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# Sessions exist below /admin/ only: each request there sets the idle time back
SESSION_COOKIE_AGE = 60 * env.int("SESSION_IDLE_MINUTES", default=480)
SESSION_LONGEST_SECONDS = 3600 * env.int("SESSION_HOURS", default=24)
SESSION_SAVE_EVERY_REQUEST = True
SESSION_EXPIRE_AT_BROWSER_CLOSE = env.bool("SESSION_ENDS_WITH_BROWSER", default=False)
AUDIT_DAYS = env.int("AUDIT_DAYS", default=365)  # until purge_audit deletes an entry of the audit log
for _name in ("SIGN_IN_FAILURES", "LOCK_MINUTES", "SESSION_IDLE_MINUTES", "SESSION_HOURS", "AUDIT_DAYS"):
    if env.int(_name, default=1) < 1:
        raise ImproperlyConfigured(f"{_name} must be a whole number, 1 or more.")

# Logs: one JSON object a line on standard error
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"private": {"()": "aiservers.logs.HidePrivateParts"}},
    "formatters": {"json": {"()": "aiservers.logs.JSONFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["private"]}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        "django": {"level": "INFO"},
        "axes": {"level": "WARNING"},  # the audit log has the rest
        "django.request": {"level": "ERROR"},  # every answer has its line in aiservers.access
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # scanners, answered with 400
        "django.server": {"handlers": ["stderr"], "level": "ERROR", "propagate": False},
    },
}
