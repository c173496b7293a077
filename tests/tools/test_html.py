"""Pages for browsers."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import synthetic  # noqa: E402
import test_show  # noqa: E402
from tendex.base.folder import TRACKS  # noqa: E402
from tendex.waves.commands import show  # noqa: E402
from tendex.waves.pictures import html, html_panels  # noqa: E402
from tendex.waves.reading import live  # noqa: E402


class Browser(unittest.TestCase):
    make, shown = test_show.Pages.make, test_show.Pages.shown

    def page(self, script="/*library*/"):
        """(text of the page, {title: panel}), with a stand-in for the library."""
        with mock.patch.object(html, "library", lambda: script):
            out, err = self.shown("--html", str(self.folder / "page.html"))
        self.assertEqual((err, out.splitlines()[-1].strip()), ("", str(self.folder / "page.html")))
        self.assertFalse((self.folder / "analysis").exists())
        text = (self.folder / "page.html").read_text()
        data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])
        return text, {panel["title"]: panel for panel in data}

    def test_a_page(self):
        """One file that needs nothing else, with the numbers of the run."""
        self.make(name="a <b> & c", common=190.0, remnant=(0.95, 0.6238))
        text, panels = self.page("var s = '</script>'")
        self.assertEqual(text.count("<script"), text.count("</script>"))
        self.assertNotRegex(text, r"(src|href)\s*=|@import|url\(|https?:")
        self.assertIn("<h1>a &lt;b&gt; &amp; c</h1>", text)
        self.assertNotIn("@", re.sub("@media", "", text))
        self.assertEqual(list(panels), [
            "Strain at infinity", "Amplitudes: strain at infinity", "Ψ<sub>4</sub> through r = 100 M",
            "Amplitudes: Ψ<sub>4</sub> through r = 100 M", "Frequency, l = 2, m = 2", "Tracks and horizons",
            "Separation of the punctures", "Masses of the horizons", "Spins of the horizons",
            "Energy: initial data less waves, and the horizon's",
            "Angular momentum: initial data less waves, and the horizon's", "Constraints", "Speed", "Grid, by level",
            "Where the time went"])
        curve = panels["Strain at infinity"]["traces"][0]
        u, h = np.array(curve["x"]), np.array(curve["y"])
        middle = (u > 60) & (u < 220)
        np.testing.assert_allclose(h[middle], synthetic.Chirp().strain(u[middle], 2, 2).real, atol=0.03)
        self.assertEqual((curve["name"], curve["visible"]), ("2, 2", True))
        masses = {one["name"]: one["y"][-1] for one in panels["Masses of the horizons"]["traces"]}
        self.assertEqual(masses, {"hole 1": 0.5, "hole 2": 0.5, "common": 0.95})
        self.assertEqual(panels["Separation of the punctures"]["moments"], [[190.0, "common horizon"]])
        waves, horizon = (panels["Energy: initial data less waves, and the horizon's"]["traces"][i] for i in (0, -1))
        self.assertAlmostEqual(waves["y"][0], 0.99, places=6)
        self.assertLess(waves["y"][-1], 0.985)
        self.assertEqual((horizon["x"][0], set(horizon["y"])), (190.0, {0.95}))
        x, y = (np.array(panels["Tracks and horizons"]["traces"][0][axis]) for axis in "xy")
        np.testing.assert_allclose(np.hypot(x, y)[0], 4)

    def test_balance_of_a_hole_that_moves(self):
        """Its energy has the kinetic one, its angular momentum x × P."""
        self.make(log=False, l_max=2, radii=(60.0,), remnant=(0.9, 0.5), drift=((0.0, 2.0, 0.0), (0.0, 0.0, 0.0)))
        data = self.folder / "TwoPunctures.bbh"
        data.write_text(data.read_text().replace("momentum1x = 0\n", "momentum1x = 0.3\n"))
        folder = live.Live(self.folder)
        panels = html_panels.of_balance(folder, show.wave_data(folder))
        energy, spin = (panel["traces"][-1] for panel in panels)
        self.assertAlmostEqual(energy["y"][-1], np.hypot(0.9, 0.3), places=5)
        self.assertAlmostEqual(spin["y"][-1], 0.5 * 0.9**2 - 2 * 0.3, places=4)

    def test_a_page_of_little(self):
        self.make(radii=(100.0,), log=False)
        synthetic.make_three(self.folder, 40.0, 70.0)
        _, panels = self.page()
        self.assertEqual(len(panels["Distance to the nearest puncture"]["traces"]), 3)
        for name in (TRACKS, "horizons.asc", live.MODES, "waves/areal_radius.asc", "constraints.asc", "summary.json"):
            (self.folder / name).unlink()
        text, panels = self.page()
        self.assertEqual(panels, {})
        self.assertIn('<p class="missing">Missing: ', text)

    def test_numbers(self):
        self.assertEqual(html_panels.numbers([1 / 3, np.nan, np.inf, 1e-300]), [0.3333333, None, None, 1e-300])
        self.assertEqual(html.embedded({"a": "</script><!--"}), '{"a":"<\\/script><\\!--"}')
        self.assertEqual(len(html_panels.trace(np.arange(9999.0), np.arange(9999.0), "a", "0.5")["x"]), 3333)

    def test_without_plotly(self):
        self.make(radii=(100.0,))
        with mock.patch.dict(sys.modules, {"plotly": None, "plotly.offline": None}):
            self.assertRegex(self.shown("--html", str(self.folder / "p.html"), status=1)[1],
                             "--html needs plotly.*apt install python3-plotly")
        self.assertFalse((self.folder / "p.html").exists())

    @unittest.skipUnless(shutil.which("chromium") and importlib.util.find_spec("plotly"), "no chromium, or no plotly")
    def test_a_browser_draws_it(self):
        self.make(common=190.0)
        self.shown("--html", str(self.folder / "page.html"))
        done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/profile",
                               "--virtual-time-budget=20000", "--dump-dom", f"file://{self.folder}/page.html"],
                              capture_output=True, text=True, check=True)
        drawn = re.sub(r"<script.*?</script>", "", done.stdout, flags=re.S)
        self.assertIn('data-ready="yes"', drawn)
        self.assertEqual(drawn.count("<section"), 15)
        self.assertEqual(len(re.findall(r'class="xtitle"', drawn)), 15)


if __name__ == "__main__":
    unittest.main()
