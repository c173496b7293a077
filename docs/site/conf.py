"""How Sphinx makes the site, see docs/site/build."""

import re
import sys
from pathlib import Path

from docutils import nodes

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))
import generate  # noqa: E402

project = "Tendex"
version = release = generate.version()
extensions = ["myst_parser", "sphinx.ext.mathjax"]
highlight_language = "none"    # of blocks that name none: commands and what they print

# As GitHub reads the pages: $formulae$, and anchors of headings.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
smartquotes = False

myst_update_mathjax = False
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS_CHTML"
mathjax2_config = {
    "CommonHTML": {"scale": 92},
    "messageStyle": "none",
    "showMathMenu": False,
    "tex2jax": {"inlineMath": [[r"\(", r"\)"]], "displayMath": [[r"\[", r"\]"]], "ignoreClass": "content", "processClass": "math"},
}

html_theme = "furo"
html_title = f"Tendex {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False
html_show_sourcelink = False
html_show_copyright = False


def read_as_github_does(app, name, source):
    """Blocks marked `math' are formulae. Links that show the name of a page show its title here."""
    text = re.sub(r"^```math$", "```{math}", source[0], flags=re.M)
    text = re.sub(r"\[[\w/]+\.md\]\(([\w./]+\.md(?:#[\w-]+)?)\)", r"[](\1)", text)
    source[0] = text.replace("# Tendex", "# Overview", 1) if name == "README" else text


def shape_tables(app, doctree):
    """Markdown gives every table a head, also where its cells are empty. Long names of rows get room, see site.css."""
    for head in list(doctree.findall(nodes.thead)):
        if not head.astext().strip():
            head.parent.remove(head)
    for table in doctree.findall(nodes.table):
        rows = list(table.findall(nodes.row))
        if len(rows[0]) >= 5 and max(len(row[0].astext()) for row in rows) > 20:
            table["classes"].append("long-names")


def setup(app):
    app.connect("source-read", read_as_github_does)
    app.connect("doctree-read", shape_tables)
