"""Pages made from facts alone: one for each model and each device, in every language, and the overviews of them.

    catalogue_of   the estimates that all pages show, in a few passes over columns
    KINDS          by kind of page: the ids that have one, the template, and what it fills in
    shared_out     every page as path and bytes, made by several processes

A new kind of page is a row of KINDS, its folder and names among the words, and a template.
"""

from cabe.pages.catalogue.estimates import Catalogue, catalogue_of
from cabe.pages.catalogue.jobs import Finished, shared_out

__all__ = ["Catalogue", "Finished", "catalogue_of", "shared_out"]
