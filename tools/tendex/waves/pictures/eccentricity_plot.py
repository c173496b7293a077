"""The picture of `tendex-waves eccentricity'."""

from tendex.waves.pictures import plots
from tendex.waves.signal.modes import WaveError


def draw(fit, name, file):
    """Separation, its rate, what the rate oscillates about its trend with the fit, and what is left."""
    t = fit.track.t
    with plots.style():
        figure, axes = plots.plt.subplots(2, 2, figsize=(9.5, 5.8), layout="constrained", sharex=True)
        axes[0, 0].plot(t, fit.track.distance, color=plots.BLUE)
        axes[0, 0].set_title(f"{name}: separation, M")
        axes[0, 1].plot(t, fit.track.rate, color=plots.BLUE, label="tracks")
        axes[0, 1].plot(t, fit.track.rate - fit.oscillation, color=plots.RED, ls="--", label="trend")
        axes[0, 1].set_title("dD/dt")
        axes[1, 0].plot(t, fit.oscillation, color=plots.BLUE, label="tracks")
        axes[1, 0].plot(t, fit.fitted, color=plots.RED, ls="--", label=f"fit, e = {fit.e:.3g}")
        axes[1, 0].set_title("dD/dt less trend")
        axes[1, 1].plot(t, fit.oscillation - fit.fitted, color=plots.GREEN)
        axes[1, 1].set_title("dD/dt less trend and oscillation")
        for ax in (axes[0, 1], axes[1, 0]):
            ax.legend(loc="best")
        for ax in axes[1]:
            ax.set_xlabel("time   [M]")
        try:
            plots.save(figure, [file])
        except ValueError as e:  # of matplotlib: a suffix that it does not know
            raise WaveError(f"{file}: {e}") from e
