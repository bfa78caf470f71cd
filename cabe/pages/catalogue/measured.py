"""Published measurements of a model beside our predictions."""

from __future__ import annotations

from cabe.facts.models import Model
from cabe.pages.catalogue.entry import Entry
from cabe.pages.measurements import PointRow, point_row


def measured(entry: Entry, model: Model) -> list[PointRow]:
    """Every point of a model that is compared, in the order of the file."""
    site, language = entry.catalogue.site, entry.language
    return [point_row(one, site, language) for one in entry.catalogue.measured.get(model.id, ())]
