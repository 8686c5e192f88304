"""Servers, what they are built of, and the GPUs that they take."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from catalog.models.base import (
    Fact,
    FigureRule,
    Named,
    above_zero,
    flag,
    in_order,
    keep_slug_once_published,
    month,
    number,
    one_of,
    prose,
    real,
    signed,
    slug_field,
    words,
)
from catalog.querysets import GPUQuerySet, ServerQuerySet


class Lifecycle(models.TextChoices):
    CURRENT = "current", _("can be ordered")
    PREVIOUS = "previous", _("previous generation, no longer ordered")
    WITHDRAWN = "withdrawn", _("withdrawn")


class Manufacturer(Named):
    slug = slug_field()
    makes_servers = models.BooleanField(_("makes servers"), default=False)
    makes_processors = models.BooleanField(_("makes processors"), default=False)
    makes_gpus = models.BooleanField(_("makes GPUs"), default=False)
    website = models.URLField(_("website"), blank=True, default="")

    class Meta:
        verbose_name = _("manufacturer")
        verbose_name_plural = _("manufacturers")
        ordering = ["sort_key"]


class Enclosure(Named):
    """The chassis that trays need: a tray is never bought or racked alone."""

    manufacturer = models.ForeignKey(
        Manufacturer, models.PROTECT, related_name="enclosures", verbose_name=_("manufacturer")
    )
    slug = slug_field()
    rack_units = models.PositiveIntegerField(_("height, U"))
    trays = models.PositiveIntegerField(_("tray positions"))
    note = prose(_("note"))

    class Meta:
        verbose_name = _("enclosure")
        verbose_name_plural = _("enclosures")
        ordering = ["sort_key"]
        constraints = above_zero("enclosure", "rack_units", "trays")


class Server(Named):
    """A server as sold; facts are typed columns (null: not published), their sources are Evidence rows."""

    class Kind(models.TextChoices):
        RACK = "rack", _("rack server")
        TRAY = "tray", _("tray for an enclosure")
        EDGE = "edge", _("edge box")
        TOWER = "tower", _("tower")

    EVIDENCE_RELATIONS = ("power_supplies", "cooling_options")
    NOT_FIGURES = (*Fact.NOT_FIGURES, "manufacturer", "family")
    NOTES = (
        "form_note",
        "cpu_note",
        "memory_note",
        "storage_note",
        "pcie_note",
        "network_note",
        "gpu_note",
        "power_note",
        "cooling_note",
        "environment_note",
        "availability_note",
    )

    manufacturer = models.ForeignKey(
        Manufacturer, models.PROTECT, related_name="servers", verbose_name=_("manufacturer")
    )
    slug = slug_field()
    family = words(_("family"), max_length=60)
    generation = words(_("generation"), max_length=20)
    machine_types = words(_("machine types"), _("Codes, parted by commas."), max_length=120)
    kind = models.CharField(_("form"), max_length=10, choices=Kind.choices)
    launch_year = number(_("launch year"))
    launch_month = number(_("launch month"))
    lifecycle = models.CharField(
        _("lifecycle"), max_length=10, choices=Lifecycle.choices, default=Lifecycle.CURRENT
    )
    successor = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="predecessors",
        verbose_name=_("successor"),
        help_text=_("The server that takes its place."),
    )
    is_published = models.BooleanField(_("published"), default=False)

    enclosure = models.ForeignKey(
        Enclosure, models.PROTECT, null=True, blank=True, related_name="servers", verbose_name=_("enclosure")
    )
    rack_units = number(_("height, U"), _("Of a tray: of the tray alone."))
    height_mm = real(_("height, mm"))
    width_mm = real(_("width, mm"))
    depth_mm = real(_("depth, mm"))
    weight_max_kg = real(_("weight at most, kg"))
    short_depth = flag(_("short depth"))
    form_note = prose(_("note on the form"))

    cpu_manufacturer = models.ForeignKey(
        Manufacturer,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="processor_servers",
        verbose_name=_("maker of the processors"),
    )
    sockets_min = number(_("processors, at least"))
    sockets_max = number(_("processors, at most"))
    cpu_generations = words(_("processor generations"), _("One a line."), max_length=300)
    cpu_max_cores = number(_("cores per processor, at most"))
    cpu_max_tdp_w = number(_("TDP per processor, at most, W"))
    cpu_note = prose(_("note on the processors"))

    memory_type = words(_("memory type"), max_length=20)
    memory_slots = number(_("memory slots"))
    memory_max_gb = number(_("memory at most, GB"), _("1 TB counts as 1024 GB."))
    memory_speed_mts = number(_("memory speed, MT/s"))
    memory_note = prose(_("note on the memory"))

    bays_2_5 = number(_("2.5-inch bays, at most"))
    bays_3_5 = number(_("3.5-inch bays, at most"))
    bays_nvme = number(_("NVMe bays, at most"))
    storage_note = prose(_("note on the storage"))

    pcie_gen = number(_("PCIe generation"))
    pcie_slots = number(_("PCIe slots"))
    pcie_note = prose(_("note on the slots"))
    ocp_slots = number(_("OCP slots"))
    network_note = prose(_("note on the network"))

    module_max_count = number(_("SXM or OAM modules, at most"), _("0: takes none."))
    card_max_w = number(_("power per card or module, at most, W"))
    gpu_note = prose(_("note on the GPUs"))

    psu_count = number(_("power supplies"))
    power_note = prose(_("note on the power supply"))
    cooling_note = prose(_("note on the cooling"))

    temperature_min_c = signed(_("room temperature from, °C"))
    temperature_max_c = signed(_("room temperature up to, °C"))
    temperature_conditional = flag(
        _("temperature depends on the configuration"),
        _("Yes: the highest temperature holds only with some processors, memory, cards and supplies."),
    )
    temperature_sure_c = signed(
        _("room temperature for every configuration, up to, °C"),
        _("The lowest of the maker's limits, where they depend on the configuration."),
    )
    ashrae_class = words(_("ASHRAE class"), max_length=60)
    environment_note = prose(_("note on the environment"))

    for_training = models.BooleanField(_("for training"), default=False)
    for_fine_tuning = models.BooleanField(_("for fine-tuning"), default=False)
    for_inference = models.BooleanField(_("for inference"), default=False)
    for_edge = models.BooleanField(_("for the edge"), default=False)
    for_hpc = models.BooleanField(_("for scientific computing"), default=False)

    summary = prose(_("summary"), _("For whom the server is, in one or two sentences."))
    availability_note = prose(_("note on the availability"))

    objects = ServerQuerySet.as_manager()

    class Meta:
        verbose_name = _("server")
        verbose_name_plural = _("servers")
        permissions = [("publish_server", _("Can publish servers"))]
        ordering = ["sort_key"]
        constraints = [
            one_of("server", "kind", "rack tray edge tower"),
            one_of("server", "lifecycle", "current previous withdrawn"),
            *above_zero(
                "server",
                "rack_units",
                "height_mm",
                "width_mm",
                "depth_mm",
                "weight_max_kg",
                "sockets_min",
                "cpu_max_cores",
                "cpu_max_tdp_w",
                "memory_slots",
                "memory_max_gb",
                "memory_speed_mts",
                "pcie_gen",
                "card_max_w",
                "psu_count",
            ),
            in_order("server", "sockets_min", "sockets_max"),
            in_order("server", "temperature_min_c", "temperature_max_c"),
            in_order("server", "temperature_sure_c", "temperature_max_c"),
            month("server", "launch"),
            models.CheckConstraint(
                condition=~Q(kind="tray") | Q(enclosure__isnull=False),
                name="server_tray_has_enclosure",
                violation_error_message=_("A tray needs the enclosure that it is racked in."),
            ),
            models.CheckConstraint(
                condition=Q(kind="tray") | Q(enclosure__isnull=True),
                name="server_only_tray_has_enclosure",
                violation_error_message=_("Only a tray has an enclosure."),
            ),
            models.CheckConstraint(
                condition=Q(successor__isnull=True) | ~Q(successor=F("id")),
                name="server_not_its_own_successor",
                violation_error_message=_("A server is not its own successor."),
            ),
        ]

    @property
    def can_be_ordered(self):
        return self.lifecycle == Lifecycle.CURRENT

    @property
    def needs_water(self):
        """Whether every known way to cool it needs a water loop; None: the cooling is not published."""
        kinds = {option.kind for option in self.cooling_options.all()}
        return kinds == {CoolingOption.Kind.DIRECT_WATER} if kinds else None

    def clean(self):
        keep_slug_once_published(self)


class PowerSupply(Fact):
    """One size of power supply that the server is offered with."""

    PART_OF = ("server",)

    server = models.ForeignKey(
        Server, models.CASCADE, related_name="power_supplies", verbose_name=_("server")
    )
    power_w = models.PositiveIntegerField(_("power, W"))

    class Meta:
        verbose_name = _("power supply")
        verbose_name_plural = _("power supplies")
        ordering = ["power_w"]
        constraints = [
            models.UniqueConstraint(
                fields=["server", "power_w"],
                name="powersupply_once_per_server",
                violation_error_message=_("This size is listed already."),
            ),
            *above_zero("powersupply", "power_w"),
        ]

    def __str__(self):
        return f"{self.power_w} W"


class CoolingOption(Fact):
    """One way to cool the server. Only direct water: it needs a water loop; no rows: not published."""

    PART_OF = ("server",)

    class Kind(models.TextChoices):
        AIR = "air", _("air")
        CLOSED_LOOP = "closed_loop", _("closed liquid loop inside, no water from the building")
        WATER_MODULE = "water_module", _("optional water module for the processors")
        DIRECT_WATER = "direct_water", _("direct water from the building")

    server = models.ForeignKey(
        Server, models.CASCADE, related_name="cooling_options", verbose_name=_("server")
    )
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)

    class Meta:
        verbose_name = _("cooling option")
        verbose_name_plural = _("cooling options")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["server", "kind"],
                name="coolingoption_once_per_server",
                violation_error_message=_("This kind of cooling is listed already."),
            ),
            one_of("coolingoption", "kind", "air closed_loop water_module direct_water"),
        ]

    def __str__(self):
        return self.get_kind_display()


class Variant(Fact):
    """A base model that is ordered apart, with its own slots, bays and GPUs; every server has one."""

    PART_OF = ("server",)
    EVIDENCE_RELATIONS = ("slot_alternatives",)
    NOT_FIGURES = (*Fact.NOT_FIGURES, "server", "is_default")

    server = models.ForeignKey(Server, models.CASCADE, related_name="variants", verbose_name=_("server"))
    slug = slug_field(unique=False)
    name = models.CharField(_("name"), max_length=120)
    rack_units = number(_("height, U"), _("Empty: the server's."))
    bays_2_5 = number(_("2.5-inch bays, at most"), _("Empty: the server's."))
    bays_3_5 = number(_("3.5-inch bays, at most"), _("Empty: the server's."))
    bays_nvme = number(_("NVMe bays, at most"), _("Empty: the server's."))
    lifecycle = models.CharField(
        _("lifecycle"), max_length=10, choices=Lifecycle.choices, default=Lifecycle.CURRENT
    )
    is_default = models.BooleanField(_("shown first"), default=False)
    note = prose(_("note"))

    class Meta:
        verbose_name = _("variant")
        verbose_name_plural = _("variants")
        ordering = ["-is_default", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["server", "slug"],
                name="variant_slug_once_per_server",
                violation_error_message=_("This server has a variant with that slug already."),
            ),
            models.UniqueConstraint(
                fields=["server"],
                condition=Q(is_default=True),
                name="variant_one_shown_first",
                violation_error_message=_("Only one variant of a server is shown first."),
            ),
            one_of("variant", "lifecycle", "current previous withdrawn"),
            *above_zero("variant", "rack_units"),
        ]

    def __str__(self):
        return self.name


class SlotAlternative(Fact):
    """One way to fill the slots: “8 single-wide” and “3 double-wide” are two rows that never add up."""

    PART_OF = ("variant",)

    class Width(models.TextChoices):
        SINGLE = "single", _("single-wide")
        DOUBLE = "double", _("double-wide")

    variant = models.ForeignKey(
        Variant, models.CASCADE, related_name="slot_alternatives", verbose_name=_("variant")
    )
    width = models.CharField(_("width"), max_length=10, choices=Width.choices)
    count = models.PositiveIntegerField(_("cards, at most"))
    card_max_w = number(_("power per card, at most, W"))

    class Meta:
        verbose_name = _("slot alternative")
        verbose_name_plural = _("slot alternatives")
        ordering = ["width", "count"]
        constraints = [
            models.UniqueConstraint(
                fields=["variant", "width", "count"],
                name="slotalternative_once_per_variant",
                violation_error_message=_("This alternative is listed already."),
            ),
            one_of("slotalternative", "width", "single double"),
            *above_zero("slotalternative", "count", "card_max_w"),
        ]

    def __str__(self):
        return f"{self.count} × {self.get_width_display()}"


# Of the printed number read as GiB, a driver reports 93.7 % (error correction on) to all; the number read as
# 10^9 bytes is 93.13 % of it, so that whoever writes GB for GiB stays below.
LEAST_USABLE = 0.9345
LARGEST_MEMORY_GB = 4096  # what is in MB or in GB of a rack lies above


class GPU(Named):
    """One accelerator. Memory, bandwidth and (dense) rates are per device, form and power per board."""

    class MarketState(models.TextChoices):
        CURRENT = "current", _("current")
        PREVIOUS = "previous", _("previous")
        LEGACY = "legacy", _("legacy")

    class Form(models.TextChoices):
        SXM = "sxm", _("SXM module")
        OAM = "oam", _("OAM module")
        SUPERCHIP = "superchip", _("superchip")
        PCIE = "pcie", _("PCIe card")

    # Identity and our own judgement need no source.
    NOT_FIGURES = (*Fact.NOT_FIGURES, "manufacturer", "market_state", "serves_language_models")

    manufacturer = models.ForeignKey(
        Manufacturer, models.PROTECT, related_name="gpus", verbose_name=_("manufacturer")
    )
    slug = slug_field()
    architecture = words(_("architecture"), max_length=60)
    launch_year = number(_("launch year"))
    launch_month = number(_("launch month"))
    market_state = models.CharField(
        _("market state"),
        max_length=10,
        choices=MarketState.choices,
        help_text=_("Our judgement; it moves places in an order and never rejects."),
    )
    devices_per_board = models.PositiveIntegerField(_("devices per board"), default=1)
    form = words(_("form"), max_length=10, choices=Form.choices)
    slots_wide = number(_("slots wide"))
    full_height = flag(_("full height"))
    length_mm = real(_("length, mm"))

    memory_gb = models.PositiveIntegerField(
        _("memory, GB"), help_text=_("Per device, as printed by the maker; a label, never converted.")
    )
    memory_gib_usable = real(_("usable memory, GiB"), _("Per device, what the driver reports."))
    memory_basis = words(_("basis of the usable memory"))
    memory_type = words(_("memory type"), max_length=20)
    ecc = flag(_("ECC"))
    bandwidth_gbs = real(_("memory bandwidth, GB/s"))

    fp64_tflops = real(_("FP64, TFLOPS"))
    fp32_tflops = real(_("FP32, TFLOPS"))
    tf32_tflops = real(_("TF32, TFLOPS"), _("Dense."))
    fp16_tflops = real(_("FP16, TFLOPS"), _("Dense."))
    bf16_tflops = real(_("BF16, TFLOPS"), _("Dense."))
    fp8_tflops = real(_("FP8, TFLOPS"), _("Dense."))
    fp4_tflops = real(_("FP4, TFLOPS"), _("Dense."))
    int8_tops = real(_("INT8, TOPS"), _("Dense."))
    int4_tops = real(_("INT4, TOPS"), _("Dense."))
    tflops_basis = words(_("basis of the rates"), max_length=120)
    compute_capability = words(_("compute capability"), max_length=20)
    native_precisions = words(_("native precisions"), _("Words, parted by spaces."), max_length=120)

    nvlink_gbs_total = real(_("NVLink, GB/s"), _("Per GPU, all links, both directions."))
    nvlink_generation = number(_("NVLink generation"))
    bridge_max_gpus = number(_("GPUs that a bridge joins"))
    pcie_gen = number(_("PCIe generation"))
    pcie_lanes = number(_("PCIe lanes"))
    fabric_name = words(_("other fabric"))
    fabric_gbs_total = real(_("other fabric, GB/s"), _("Per GPU, all links, both directions."))

    tdp_w = number(_("TDP, W"), _("Per board; of a superchip: per GPU."))
    tdp_min_w = number(_("lowest power limit, W"))
    cooling = words(_("cooling"), max_length=60)
    mig_instances = number(_("MIG instances"), _("0: cannot be divided."))
    nvenc = number(_("video encoders"))
    nvdec = number(_("video decoders"))
    video_other = words(_("other video engines"))

    serves_language_models = models.BooleanField(
        _("serves language models"),
        default=True,
        help_text=_("No: a graphics or desktop-virtualisation card, never offered for language models."),
    )
    is_published = models.BooleanField(_("published"), default=False)
    lifecycle_note = prose(_("note on the lifecycle"))
    note = prose(_("note"))

    objects = GPUQuerySet.as_manager()

    class Meta:
        verbose_name = _("GPU")
        verbose_name_plural = _("GPUs")
        permissions = [("publish_gpu", _("Can publish GPUs"))]
        ordering = ["sort_key"]
        constraints = [
            one_of("gpu", "market_state", "current previous legacy"),
            one_of("gpu", "form", "sxm oam superchip pcie"),
            *above_zero(
                "gpu",
                "devices_per_board",
                "slots_wide",
                "length_mm",
                "memory_gb",
                "memory_gib_usable",
                "bandwidth_gbs",
                "fp64_tflops",
                "fp32_tflops",
                "tf32_tflops",
                "fp16_tflops",
                "bf16_tflops",
                "fp8_tflops",
                "fp4_tflops",
                "int8_tops",
                "int4_tops",
                "nvlink_gbs_total",
                "fabric_gbs_total",
                "tdp_w",
                "tdp_min_w",
            ),
            in_order("gpu", "tdp_min_w", "tdp_w"),
            # A driver never reports more GiB than the printed number.
            in_order("gpu", "memory_gib_usable", "memory_gb"),
            FigureRule(
                condition=Q(memory_gib_usable__gt=F("memory_gb") * LEAST_USABLE),
                name="gpu_memory_gib_usable_is_in_gib",
                violation_error_message=_(
                    "memory_gib_usable is too far below memory_gb: a driver reports no less than 0.9345 of "
                    "the printed number. Is it in GiB (2³⁰ bytes)?"
                ),
            ),
            FigureRule(
                condition=Q(memory_gb__lte=LARGEST_MEMORY_GB),
                name="gpu_memory_gb_is_in_gb",
                violation_error_message=_(
                    "memory_gb is too large for one device. Is it in GB, and per device?"
                ),
            ),
            month("gpu", "launch"),
            models.CheckConstraint(
                condition=Q(bridge_max_gpus__isnull=True) | Q(bridge_max_gpus__gte=2),
                name="gpu_bridge_joins_two",
                violation_error_message=_("A bridge joins at least two GPUs."),
            ),
        ]

    @property
    def devices_per_card(self):
        """GPUs that one counted card brings: superchips are counted, and rated in watts, per GPU."""
        return 1 if self.form == self.Form.SUPERCHIP else self.devices_per_board

    def clean(self):
        keep_slug_once_published(self)


class GPUOption(Fact):
    """A GPU that a variant takes, how many, and the conditions of that number (all of them hold at once).

    Several rows for one GPU are alternatives: “two at 600 W, or four capped at 450 W”.
    """

    PART_OF = ("variant",)

    class Link(models.TextChoices):
        NVSWITCH = "nvswitch", _("NVLink with switches")
        NVLINK = "nvlink", _("NVLink on the board")
        FABRIC = "fabric", _("the maker's own fabric")
        BRIDGE = "bridge", _("NVLink bridge")
        PCIE = "pcie", _("PCIe")

    class Basis(models.TextChoices):
        MAKER = "maker", _("the maker's own list")
        BENCHMARK = "benchmark", _("a published benchmark on this server")
        DEPLOYED = "deployed", _("a running installation")
        PRESET = "preset", _("a configurator preset")
        DERIVED = "derived", _("derived, confirm with the vendor")

    NOT_FIGURES = (*Fact.NOT_FIGURES, "variant", "gpu", "basis", "position", "min_count")

    variant = models.ForeignKey(
        Variant, models.CASCADE, related_name="gpu_options", verbose_name=_("variant")
    )
    gpu = models.ForeignKey(GPU, models.PROTECT, related_name="options", verbose_name=_("GPU"))
    min_count = models.PositiveIntegerField(_("cards, at least"), default=1)
    max_count = number(_("cards, at most"), _("Empty: the count is not published."))
    fixed = models.BooleanField(
        _("fixed count"), default=False, help_text=_("Ordered with this number only.")
    )
    link = words(_("link between the GPUs"), max_length=10, choices=Link.choices)
    link_gbs = real(_("rate of the link, GB/s"), _("Per GPU, both directions, of this board in this server."))
    link_max_gpus = number(_("GPUs that the link joins"))
    lifecycle = models.CharField(
        _("lifecycle"), max_length=10, choices=Lifecycle.choices, default=Lifecycle.CURRENT
    )
    card_power_cap_w = number(_("power limit per card, W"))
    ambient_max_c = signed(_("room at most, °C"))
    min_sockets = number(_("processors needed"))
    min_psu_w = number(_("smallest power supply, W"))
    blocks_bays = flag(_("takes the place of drive bays"))
    not_in_quiet_modes = models.BooleanField(
        _("not in quiet modes"),
        default=False,
        help_text=_("A quiet acoustic mode of the server excludes the card: choose the mode first."),
    )
    special_order = models.BooleanField(
        _("special order"), default=False, help_text=_("Sold only on a base model of its own.")
    )
    special_base_model = words(_("base model of the special order"), max_length=40)
    basis = models.CharField(_("known from"), max_length=10, choices=Basis.choices)
    position = models.PositiveIntegerField(_("place in the list"), default=0)
    note = prose(_("note"))

    class Meta:
        verbose_name = _("GPU option")
        verbose_name_plural = _("GPU options")
        ordering = ["position", "id"]
        constraints = [
            one_of("gpuoption", "link", "nvswitch nvlink fabric bridge pcie"),
            one_of("gpuoption", "lifecycle", "current previous withdrawn"),
            one_of("gpuoption", "basis", "maker benchmark deployed preset derived"),
            *above_zero(
                "gpuoption",
                "min_count",
                "max_count",
                "link_gbs",
                "card_power_cap_w",
                "min_sockets",
                "min_psu_w",
            ),
            in_order("gpuoption", "min_count", "max_count"),
            models.CheckConstraint(
                condition=Q(fixed=False) | Q(max_count__isnull=False, min_count=F("max_count")),
                name="gpuoption_fixed_is_one_number",
                violation_error_message=_(
                    "A fixed option has one number: at least and at most are the same."
                ),
            ),
            models.CheckConstraint(
                condition=Q(link_max_gpus__isnull=True) | Q(link_max_gpus__gte=2),
                name="gpuoption_link_joins_two",
                violation_error_message=_("A link joins at least two GPUs."),
            ),
        ]

    def __str__(self):
        return f"{self.gpu} ({self.variant})"

    @property
    def can_be_ordered(self):
        return self.lifecycle == Lifecycle.CURRENT

    @property
    def is_derived(self):
        return self.basis == self.Basis.DERIVED

    def takes(self, gpus):
        """Tell whether so many GPUs can be ordered; of cards without a published maximum any number can."""
        cards, left = divmod(gpus, self.gpu.devices_per_card)
        return not left and self.min_count <= cards and (self.max_count is None or cards <= self.max_count)
