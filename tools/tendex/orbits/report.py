"""Table and picture of a loop."""

import numpy as np

from tendex.waves.pictures import plots

HEAD = ("member", "e of dD/dt", "+-", "e of Omega", "+-", "e_gw", "anomaly", "p tangential", "p radial", "periods", "t/M")
ROW = "{:>6}  {:>10}  {:>9}  {:>10}  {:>9}  {:>9}  {:>7}  {:>13}  {:>13}  {:>7}  {:>7}"


def row(member):
    f, w = member["fit"], member["waves"]
    return ROW.format(member["number"], f"{f['e']:.6f}", f"{f['e_error']:.6f}", f"{f['e_frequency']:.6f}",
                      f"{f['e_frequency_error']:.6f}", "-" if "none" in w else f"{w['e_gw']:.6f}", f"{member['anomaly']:.1f}",
                      f"{member['tangential']:.9f}", f"{member['radial']:.4e}", f"{f['periods']:.2f}",
                      f"{member['t_end']:.4g}")


def line(loop, member):
    """What is said of a member when it has been fitted."""
    f = member["fit"]
    said = f"{loop.name}_{member['number']}: e = {f['e']:.6f} +- {f['e_error']:.6f}"
    if loop.goal.eccentric:
        said += f", mean anomaly {member['anomaly']:.1f} degrees"
    if f["e"] < 2 * f["e_error"]:
        said += "; this is within twice its error"
    return said


def table(loop):
    rows = [row(m) for m in loop.members if m["fit"]]
    return "\n".join([f"{loop.file.name}: {loop.goal} at t = 0 is asked for; momenta in M, anomalies in degrees",
                      ROW.format(*HEAD), *rows])


def draw(loop):
    """orbit.png: the rate of each member's separation about its trend, with its fit, and the eccentricities."""
    done = [m for m in loop.members if m["fit"]]
    with plots.style():
        figure, axes = plots.plt.subplots(1, 2, figsize=(10, 4), layout="constrained", width_ratios=(2, 1))
        colours = plots.plt.cm.viridis(np.linspace(0, 0.85, len(done)))
        for member, colour in zip(done, colours):
            f = member["swing"]
            axes[0].plot(f["t"], f["oscillation"], color=colour, label=f"member {member['number']}, e = {member['fit']['e']:.2g}")
            axes[0].plot(f["t"], f["fitted"], color=colour, ls="--", lw=1)
        axes[0].set_title("dD/dt less trend; dashed: fit")
        axes[0].set_xlabel("time   [M]")
        axes[0].legend(loc="best")
        numbers = [m["number"] for m in done]
        axes[1].errorbar(numbers, [m["fit"]["e"] for m in done], [m["fit"]["e_error"] for m in done], fmt="o-",
                         color=plots.BLUE, label="of dD/dt")
        axes[1].plot(numbers, [m["fit"]["e_frequency"] for m in done], "s--", color=plots.RED, label="of Omega")
        axes[1].axhline(loop.allowed, color="0.5", lw=1)
        axes[1].set_yscale("log")
        axes[1].set_xticks(numbers)
        axes[1].set_xlim(min(numbers, default=0) - 0.2, max(numbers, default=0) + 0.2)  # all of a marker is seen
        axes[1].set_xlabel("member")
        axes[1].set_title(f"eccentricity; line: {loop.allowed:.3g}")
        axes[1].legend(loc="best")
        plots.save(figure, [loop.folder / "orbit.png"])
