"""What is built: articles with their figures and calculators, the language choice and the page for lost readers."""

from cabe.pages.check import check_html
from cabe.pages.read import read_site
from cabe.pages.render import render
from cabe.pages.site import Site, address

__all__ = ["Site", "address", "check_html", "read_site", "render"]
