"""Which of the figures that an import brings readers would see though no source states them."""

from collections import defaultdict

from catalog import checking, publishing, stating
from catalog.models import Evidence, GPUOption, Variant
from catalog.sheets.comparing import CHANGED, NEW

OWNERS = {Variant: "server", GPUOption: "variant__server"}  # whose pages show a row


def note(outcome):
    """Say at each new figure whether a source states it, once the file's own evidence is in."""
    kinds = {model: kind for kind, model in Evidence.subject_models().items()}
    for sheet in outcome.sheets:
        if sheet.resource.model in kinds:
            note_sheet(sheet, kinds[sheet.resource.model])


def note_sheet(sheet, kind):
    model = sheet.resource.model
    lines = [*sheet.of(NEW), *sheet.of(CHANGED)]
    queryset = model._base_manager.select_related(OWNERS[model]) if model in OWNERS else model._base_manager
    rows = queryset.in_bulk([line.pk for line in lines])
    figures = {name for name in model.evidence_fields() if stating.is_column(model, name)}
    kept = defaultdict(list)
    evidence = Evidence.objects.filter(**{f"{kind}__in": rows}, kept=True)
    for pk, name, stated in evidence.values_list(kind, "field", "stated"):
        kept[pk, name].append(stated)
    for line in lines:
        row = rows[line.pk]
        for change in line.changes if publishing.is_public(row) else ():
            name = change.column.column_name
            if name in figures and not checking.states(row, name, kept[line.pk, name]):
                change.doubt = checking.not_stated(kept[line.pk, name])
