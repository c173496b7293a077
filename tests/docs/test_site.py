"""The documentation as a site (docs/site/build): no warnings, links and anchors lead somewhere, every page is at most two clicks
from the front page, formulae are rendered, and nothing is taken from the network. Exit status 77 (skipped) without Sphinx and
the other packages that the site takes. With TENDEX_CHECKERS_REQUIRED set that is a failure."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "docs/site/build"
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "path", "source", "wbr"}


class Page(HTMLParser):
    """Of a page: anchors, links, what it loads, formulae, tables that do not scroll, and its text less code and formulae."""

    def __init__(self, path):
        super().__init__()
        self.open, self.ids, self.links, self.loads, self.formulae, self.tables, self.text = [], set(), [], [], [], 0, ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        a = {key: value or "" for key, value in attributes}
        self.ids.add(a.get("id"))
        if tag == "a" and "href" in a:
            self.links.append(a["href"])
        elif tag in ("script", "img", "link"):
            self.loads += [a[key] for key in ("src", "href") if key in a]
        classes = a.get("class", "").split()
        if tag == "table" and not any("table-wrapper" in outer for _, outer in self.open):
            self.tables += 1
        if "math" in classes:
            self.formulae.append("")
        if tag not in VOID:
            self.open.append((tag, classes))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if any("math" in classes for _, classes in self.open):
            self.formulae[-1] += data
        elif not any(tag in ("code", "pre", "script", "style") for tag, _ in self.open):
            self.text += data


def formulae_of(markdown):
    """How many formulae a page has as GitHub reads it."""
    text, blocks = re.subn(r"^```math\n.*?^```", "", markdown, flags=re.S | re.M)
    text = re.sub(r"^```.*?^```|^(?: {4}|\t)[^\n]*$|(`+).+?\1", "", text, flags=re.S | re.M)
    text, display = re.subn(r"\$\$.+?\$\$", "", text, flags=re.S)
    return blocks + display + len(re.findall(r"\$[^$]+\$", text))


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {str(path.relative_to(SITE)): Page(path) for path in SITE.rglob("*.html")}
        files = [f for pattern in ("*.md", "docs/*.md", "docs/guide/*.md", "docs/studies/*.md", "docs/systems/*.md", "container/*.md", "docs/*.1") for f in ROOT.glob(pattern)]
        names = [f.relative_to(ROOT) for f in files]
        cls.sources = {str((name if name.suffix == ".md" else Path("docs/man", name.name)).with_suffix(".html")): f
                       for name, f in zip(names, files)}

    def target(self, page, link):
        """The file, from the top of the site, and the anchor to which a link of a page leads."""
        path, _, anchor = link.partition("#")
        path = unquote(path.partition("?")[0])
        return os.path.normpath(Path(page).parent / path) if path else page, unquote(anchor)

    def inner(self, links):
        return [link for link in links if not re.match(r"\w+:|//", link)]

    def test_every_page_is_there(self):
        self.assertEqual(set(self.pages) - {"index.html", "search.html"}, set(self.sources))

    def test_links_and_anchors_lead_somewhere(self):
        broken = []
        for name, page in self.pages.items():
            for link in self.inner(page.links + page.loads):
                path, anchor = self.target(name, link)
                ids = self.pages[path].ids if path in self.pages else ()
                if path.startswith("..") or not (SITE / path).is_file() or anchor and anchor not in ids:
                    broken.append(f"{name}: {link}")
        self.assertEqual(broken, [])

    def test_nothing_comes_from_the_network(self):
        for name, page in self.pages.items():
            self.assertEqual(page.loads, self.inner(page.loads), name)

    def test_every_page_is_within_two_clicks(self):
        reached = {"index.html"}
        for _ in range(2):
            reached |= {self.target(name, link)[0] for name in reached & set(self.pages) for link in self.inner(self.pages[name].links)}
        self.assertEqual(set(self.sources) - reached, set())

    def test_formulae(self):
        known = (SITE / "_static/mathjax/config/TeX-AMS_CHTML.js").read_text(encoding="utf-8")
        total = 0
        for name, source in self.sources.items():
            page = self.pages[name]
            total += len(page.formulae)
            if source.suffix == ".md":
                self.assertEqual(len(page.formulae), formulae_of(source.read_text(encoding="utf-8")), name)
            self.assertNotIn("$", page.text, name)
            for formula in page.formulae:
                self.assertRegex(formula.strip(), r"(?s)^\\\(.*\\\)$|^\\\[.*\\\]$", name)
                self.assertEqual(formula.count("{"), formula.count("}"), f"{name}: {formula}")
                words = {"".join(w) for w in re.findall(r"\\([A-Za-z]+)|\\begin\{(\w+)\}", formula)}
                self.assertEqual({w for w in words if not re.search(rf'[{{,]"?(?:\\\\)?{w}"?:', known)}, set(), f"{name}: {formula}")
            if page.formulae:
                self.assertTrue(any("MathJax.js?config=TeX-AMS_CHTML" in load for load in page.loads), name)
        self.assertGreater(total, 400)

    def test_tables_scroll(self):
        self.assertEqual({name for name, page in self.pages.items() if page.tables}, set())

    def test_search_knows_every_page(self):
        index = (SITE / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
        self.assertEqual({f"{name}.html" for name in index["docnames"]}, set(self.sources) | {"index.html"})
        found = index["terms"]["alcubierr"]    # one page as a number, several as a list
        self.assertIn(index["docnames"].index("docs/numerics"), found if isinstance(found, list) else [found])

    def test_a_folder_that_cannot_be_made_is_an_error(self):
        p = subprocess.run([BUILD, "/dev/null/site"], capture_output=True, text=True)
        self.assertEqual(p.returncode, 4)
        self.assertRegex(p.stderr, "^docs/site/build: cannot write the site: .*/dev/null/site")

    def test_other_folders_are_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "mine.txt").touch()
            p = subprocess.run([BUILD, folder], capture_output=True, text=True)
            self.assertEqual((p.returncode, os.listdir(folder)), (2, ["mine.txt"]))
            self.assertRegex(p.stderr, "holds no earlier site; name a new or an empty folder")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tendex-test-site-") as top:
        SITE = Path(top, "site")
        built = subprocess.run([BUILD, SITE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if built.returncode == 77:
            print(built.stdout, end="")
            sys.exit(1 if os.environ.get("TENDEX_CHECKERS_REQUIRED") else 77)
        if (built.returncode, built.stdout) != (0, f"open {SITE}/index.html\n"):
            sys.exit(f"docs/site/build ended with {built.returncode} and said:\n{built.stdout}")
        unittest.main()
