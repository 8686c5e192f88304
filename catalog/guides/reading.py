"""What the live blocks of one page read: each table once, for all of them."""

from django.utils.functional import cached_property
from django.utils.translation import gettext

from catalog import selectors
from catalog.filtering import facts
from catalog.guides import blocks
from catalog.guides.blocks import BlockError
from catalog.models import GPU, AIModel, Server, WorkloadProfile

SUBJECTS = ("server", "gpu", "ai_model", "workload")


class Reader:
    """The published rows that the blocks of one page name; read when the first of them is shown."""

    def __init__(self):
        self._servers = set()  # slugs
        self._others = set()  # slugs of GPUs or AI models
        self.kept = {}  # what kinds of blocks share among the blocks of a page

    @cached_property
    def facts(self):
        """What the list of servers filters by, kept per process."""
        return facts.load()

    @cached_property
    def server_facts(self):
        return {server.slug: server for server in self.facts.servers}

    @cached_property
    def profile_slugs(self):
        return {work.slug for work in self.facts.workloads}

    def want_servers(self, slugs):
        """Say which servers a block will show.

        Raises:
            BlockError: one of them is not published.
        """
        slugs = list(slugs)
        for slug in slugs:
            if slug not in self.server_facts:
                raise BlockError(gettext("There is no published server “%(slug)s”.") % {"slug": slug})
        self._servers.update(slugs)

    def want(self, slug):
        """Say that a block will show a figure of a server, GPU, AI model or kind of work."""
        if slug in self.server_facts:
            self._servers.add(slug)
        elif slug not in self.profile_slugs:
            self._others.add(slug)

    @cached_property
    def servers(self):
        """{slug: server} of the wanted servers, as lists print them."""
        if not self._servers:
            return {}
        rows = Server.objects.for_cards().filter(slug__in=self._servers).prefetch_related("power_supplies")
        return {row.slug: row for row in rows}

    @cached_property
    def cards(self):
        return {slug: selectors.server_card(row) for slug, row in self.servers.items()}

    @cached_property
    def gpus(self):
        return self._rows(GPU, self._others)

    @cached_property
    def ai_models(self):
        return self._rows(AIModel, self._others - self.gpus.keys())

    def _rows(self, model, slugs):
        if not slugs:
            return {}
        return {row.slug: row for row in model.objects.published().filter(slug__in=slugs)}

    @cached_property
    def workloads(self):
        """{slug: profile} of all published kinds of work, with what they ask."""
        return {row.slug: row for row in WorkloadProfile.objects.for_page()}

    def subject(self, slug):
        """Return (kind, row) of what a slug names.

        Raises:
            BlockError: nothing published has that name.
        """
        if slug in self.server_facts:
            return "server", self.servers[slug]
        if slug in self.profile_slugs:
            return "workload", self.workloads[slug]
        if slug in self.gpus:
            return "gpu", self.gpus[slug]
        if slug in self.ai_models:
            return "ai_model", self.ai_models[slug]
        raise BlockError(
            gettext("There is no published server, GPU, AI model or kind of work “%(slug)s”.")
            % {"slug": slug}
        )

    def known(self):
        """Return {kind: slugs} of the subjects that were wanted and exist; for links."""
        return {
            "server": self.server_facts.keys(),
            "workload": self.profile_slugs,
            "gpu": self.gpus.keys(),
            "ai_model": self.ai_models.keys(),
        }


def changed_at(server):
    """Return when a server, or one of the rows that its card prints, was saved last."""
    rows = [server, *server.cooling_options.all(), *server.power_supplies.all()]
    for variant in server.variants.all():
        rows += [variant, *variant.slot_alternatives.all()]
        for option in variant.gpu_options.all():
            rows += [option, option.gpu]
    return max(row.updated_at for row in rows)


def show_all(calls, reader=None):
    """Return {key: Shown, or the error that stood in the way} of blocks, in the active language.

    Every block is prepared before the first is shown, so that they are read together.
    """
    reader = reader or Reader()
    found, prepared = {}, {}
    unique = {call.key: call for call in calls}
    for key, call in unique.items():
        kind = blocks.named(call.kind, inline=call.inline)
        try:
            if kind is None:
                raise BlockError(
                    gettext("There is no live figure “%(name)s”; there are: %(names)s.")
                    % {"name": call.kind, "names": ", ".join(blocks.names(inline=call.inline))}
                )
            prepared[key] = kind, kind.prepare(call.text, reader)
        except Exception as error:  # a block never takes the page with it
            found[key] = error
    for key, (kind, value) in prepared.items():
        try:
            found[key] = kind.show(value, reader)
        except Exception as error:
            found[key] = error
    return found
