"""The files as a Dataset of schema.org, for search engines: JSON-LD in the data page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cabe.pages.downloads.described import fields, files_of
from cabe.pages.downloads.whole import LICENCE_ADDRESS
from cabe.pages.site import Download, Site, link
from cabe.words import Language
from cabe.words import numbers as written

FORMATS = {"csv": "text/csv", "json": "application/json"}


def dataset(site: Site, language: Language, files: Sequence[Download], here: str) -> dict[str, Any]:
    """The Dataset; addresses are relative to the page at `here`, absolute where the site has an address."""
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": language.word("data.dataset.name"),
        "description": language.word("data.dataset.description"),
        **({"url": site.base_url + here} if site.base_url else {}),
        "inLanguage": language.tag,
        "license": LICENCE_ADDRESS,
        "isAccessibleForFree": True,
        "dateModified": site.facts.read,
        "version": site.version,
        "variableMeasured": [
            {"@type": "PropertyValue", "name": name, "unitText": unit, "description": meaning}
            for name, unit, meaning in fields(site, language, "estimates")
        ],
        "distribution": [_distribution(site, language, one, here) for one in files_of(files, language)],
    }


def _distribution(site: Site, language: Language, one: Download, here: str) -> dict[str, str]:
    return {
        "@type": "DataDownload",
        "name": one.path.rpartition("/")[2],
        "description": language.word(f"data.files.{one.name}"),
        "encodingFormat": FORMATS[one.path.rpartition(".")[2]],
        "contentSize": written.file_size(len(one.content), language.locale),
        "contentUrl": site.base_url + one.path if site.base_url else link(here, one.path),
    }
