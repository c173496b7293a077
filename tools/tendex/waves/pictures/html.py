"""One page for browsers, with everything in it: plots that zoom, show values and switch curves on and off."""

import html
import json

from tendex.base.files import write
from tendex.waves.pictures import html_panels, page, plots
from tendex.waves.signal.modes import WaveError

NEEDS = ("--html needs plotly, whose JavaScript goes into the page: install it (Debian, Ubuntu: apt install python3-plotly; "
         "elsewhere: pip install plotly)")


def library():
    """The text of plotly's JavaScript. Raises WaveError where it is not installed."""
    try:
        from plotly.offline import get_plotlyjs
        return get_plotlyjs()
    except (ImportError, OSError) as e:
        raise WaveError(f"{NEEDS}: {e}") from e


def panels(made, tried):
    """[{title, ...}] of a page.Page; tried(make, *args): what it makes, or None."""
    folder, waves, holes, cost = made.folder, made.waves, made.holes, made.cost
    found = html_panels.of_waves(waves) if waves else []
    found += html_panels.of_holes(holes) if holes else []
    if waves and (folder.path / "energy.asc").exists() and folder.has_holes:
        found += tried(html_panels.of_balance, folder, waves) or []
    return found + html_panels.of_cost(cost, cost.log)


def save(file, made, tried):
    """The page.Page as a file."""
    script = library()
    found = panels(made, tried)
    write(file, text(made, found, script))


def embedded(data):
    """JSON that may stand in a script of a page."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("</", "<\\/").replace("<!--", "<\\!--")


def text(made, found, script):
    f = made.folder
    end = f" of {f.t_end:g} M" if f.t_end else " M"
    words = {"name": f.name, "about": page.about(f), "made": made.made_by(), "clock": made.clock(),
             "state": f.state + (f": {f.why}" if f.why else ""), "reached": f"t = {f.reached:.6g}{end}",
             "colour": html_panels.colour(plots.STATES[f.state])}
    result = PAGE
    for key, value in words.items():
        result = result.replace(f"@{key}@", html.escape(str(value)))
    lines = [f'<p class="missing">Missing: {html.escape(line)}</p>' for line in f.missing]
    lines += [f"<p>{html.escape(line)}</p>" for line in f.notes]
    result = result.replace("@foot@", "\n".join(lines)).replace("@data@", embedded(found))
    return result.replace("@library@", script.replace("</script", "<\\/script"))


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@name@</title>
<style>
:root { --ink: #1a1a1a; --faint: #666; --line: #e3e3e3 }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 28px 36px 20px; max-width: 1760px; background: #fff; color: var(--ink);
       font: 14px/1.45 "DejaVu Sans", "Helvetica Neue", Arial, sans-serif }
header { display: flex; justify-content: space-between; gap: 24px; align-items: flex-start; margin-bottom: 18px;
         border-bottom: 1px solid var(--line); padding-bottom: 14px; flex-wrap: wrap }
h1 { font-size: 26px; margin: 0 0 4px } h2 { font-size: 14px; margin: 0 0 2px 8px }
header p { margin: 0 } .faint { color: var(--faint); font-size: 12px }
.right { text-align: right } .reached { font-size: 19px; font-variant-numeric: tabular-nums }
.state { display: inline-block; color: #fff; background: @colour@; border-radius: 4px; padding: 1px 9px; margin-top: 4px }
main { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 22px 20px }
section.wide { grid-column: span 2 }
.plot { height: 330px } section.equal { grid-row: span 2 } section.equal .plot { height: 712px }
footer { border-top: 1px solid var(--line); margin-top: 18px; padding-top: 10px; color: var(--faint); font-size: 12px }
footer p { margin: 2px 0 } .missing { color: #D55E00 }
@media (max-width: 1150px) { main { grid-template-columns: repeat(2, minmax(0, 1fr)) } }
@media (max-width: 760px) { main { grid-template-columns: minmax(0, 1fr) } section.wide { grid-column: auto }
  section.equal .plot { height: 90vw } body { padding: 16px } }
</style>
</head>
<body>
<header>
<div><h1>@name@</h1><p>@about@</p><p class="faint">@made@</p></div>
<div class="right"><p class="reached">@reached@</p><p><span class="state">@state@</span></p><p class="faint">@clock@</p></div>
</header>
<main id="panels"></main>
<footer>
@foot@
<p>Drag: zoom. Double click: all of it again. Click on a name: hide or show a curve; double click: it alone.</p>
<p>R: areal radius of a sphere, r: its coordinate radius; r* = R + 2E ln(R/2E - 1), E the ADM energy; lengths and times in M,
the run's unit.</p>
</footer>
<script id="data" type="application/json">@data@</script>
<script>@library@</script>
<script>
"use strict";
(function () {
  const ink = "#1a1a1a", font = {family: '"DejaVu Sans", "Helvetica Neue", Arial, sans-serif', size: 12, color: ink};
  const log = range => range && range.map(Math.log10);
  function axis(title, more) {
    return Object.assign({title: {text: title, font: {size: 12}, standoff: 8}, gridcolor: "#ececec", zerolinecolor: "#cfcfcf",
      linecolor: "#555", showline: true, ticks: "outside", ticklen: 4, tickcolor: "#555", automargin: true,
      exponentformat: "power"}, more);
  }
  function layout(p) {
    const x = {range: p.x_range || undefined}, y = {};
    if (p.y_range) y.range = p.log ? log(p.y_range) : p.y_range;
    if (p.log) {
      const decades = y.range ? y.range[1] - y.range[0] : 0;
      Object.assign(y, {type: "log"}, decades > 1.5 ? {dtick: Math.ceil(decades / 7)} : {});
    }
    if (p.equal) Object.assign(y, {scaleanchor: "x", scaleratio: 1});
    if (p.bars) Object.assign(y, {showline: false, ticks: ""});
    const result = {font: font, margin: {l: 64, r: 34, t: 26, b: 46}, xaxis: axis(p.x, x), yaxis: axis(p.y, y),
      hovermode: p.equal || p.bars ? "closest" : "x unified", hoverlabel: {font: {size: 11}}, paper_bgcolor: "#fff",
      plot_bgcolor: "#fff", modebar: {orientation: "v", bgcolor: "rgba(0,0,0,0)"}, showlegend: p.traces.length > 1,
      legend: {orientation: "h", x: 0, y: 1.01, yanchor: "bottom", font: {size: 11}}, shapes: [], annotations: []};
    if (p.legend) result.legend.title = {text: p.legend + "  ", font: {size: 11}};
    (p.moments || []).forEach(function (m) {
      result.shapes.push({type: "line", x0: m[0], x1: m[0], yref: "paper", y0: 0, y1: 1,
        line: {color: "#8c8c8c", width: 1, dash: "dash"}});
      result.annotations.push({x: m[0], yref: "paper", y: 1, xanchor: "left", yanchor: "top", showarrow: false,
        text: m[1] + ", t = " + m[0].toPrecision(4) + " M", font: {size: 10.5, color: "#666"}});
    });
    return result;
  }
  const main = document.getElementById("panels");
  JSON.parse(document.getElementById("data").textContent).forEach(function (p) {
    const box = document.createElement("section"), title = document.createElement("h2"), plot = document.createElement("div");
    title.innerHTML = p.title;
    plot.className = "plot";
    box.className = (p.wide ? "wide " : "") + (p.equal ? "equal" : "");
    box.append(title, plot);
    main.append(box);
    Plotly.newPlot(plot, p.traces, layout(p), {responsive: true, displaylogo: false, displayModeBar: "hover",
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"], toImageButtonOptions: {format: "svg"}});
  });
  document.body.dataset.ready = "yes";
})();
</script>
</body>
</html>
"""
