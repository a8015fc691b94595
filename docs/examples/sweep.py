"""Run a scene over a grid of values in several processes.
You see a table of sliding distances, one row per friction, one column per time step."""

import tempfile

import footfall

FRICTIONS, STEPS = [0.3, 0.5, 0.7], [2e-3, 1e-3, 5e-4]

if __name__ == "__main__":  # each process imports this file, and must not begin a sweep
    results = footfall.sweep(
        "cube/sliding",
        {"world.terrain.friction": FRICTIONS, "time_step": STEPS},
        duration=2.5,
        keep="state",  # also where each run ended
        output=tempfile.mkdtemp() + "/slid",  # the same call goes on there after a stop
        progress=False,
    )
    x = results.q.sel(position="cube/x").transpose("friction", "time_step")
    print("friction  " + "  ".join(f"{1e3 * step:4.1f} ms" for step in STEPS) + "  closed form")
    for row in x:
        # The cube's own side has 0.5: a pair has the harmonic mean of both sides.
        mu = 2.0 / (1.0 / float(row.friction) + 1.0 / 0.5)
        cells = "  ".join(f"{value:5.3f} m" for value in row.values)
        print(f"{float(row.friction):8.1f}  {cells}  {6.0**2 / (2.0 * mu * 9.81):.3f} m")
