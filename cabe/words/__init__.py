"""What is said: languages with their words and numbers, and the pages that people write."""

from cabe.words.checks import Known, check_pages, fence_faults
from cabe.words.content import HOME, Chapter, Navigation, Page, read_navigation, read_pages
from cabe.words.expressions import Functions, Linked, Markdown, fill
from cabe.words.languages import Language, folders, is_code, read_languages
from cabe.words.markdown import Fence, inline_html, inline_plain, outline, to_html, unlinked, words_in

__all__ = [
    "HOME",
    "Chapter",
    "Fence",
    "Functions",
    "Known",
    "Language",
    "Linked",
    "Markdown",
    "Navigation",
    "Page",
    "check_pages",
    "fence_faults",
    "fill",
    "folders",
    "inline_html",
    "inline_plain",
    "is_code",
    "outline",
    "read_languages",
    "read_navigation",
    "read_pages",
    "to_html",
    "unlinked",
    "words_in",
]
