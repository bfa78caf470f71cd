"""What is said: languages with their words and numbers, and the pages that people write."""

from cabe.words.checks import Known, check_pages
from cabe.words.content import HOME, Chapter, Navigation, Page, read_navigation, read_pages
from cabe.words.expressions import Functions, Markdown, fill
from cabe.words.languages import Language, read_languages
from cabe.words.markdown import inline_html, outline, to_html, words_in

__all__ = [
    "HOME",
    "Chapter",
    "Functions",
    "Known",
    "Language",
    "Markdown",
    "Navigation",
    "Page",
    "check_pages",
    "fill",
    "inline_html",
    "outline",
    "read_languages",
    "read_navigation",
    "read_pages",
    "to_html",
    "words_in",
]
