"""Pages whose tables are made of records: between <!-- table WORDS --> and <!-- end of table -->."""

import re

SECTION = re.compile(r"(<!-- table ([^\n]+?) -->)\n.*?(<!-- end of table -->)", re.S)


def filled(text, lines_of):
    """The text with lines_of(WORDS) in each place of a table."""
    return SECTION.sub(lambda found: "\n".join([found[1], "", *lines_of(found[2]), "", found[3]]), text)


def asked(text):
    """WORDS of all places of tables."""
    return [found[2] for found in SECTION.finditer(text)]


def changed(texts):
    """[(file, text)] of {file: text} that have another text, or are not there."""
    return [(file, text) for file, text in texts.items() if not file.exists() or file.read_text() != text]
