"""Makes the pictures of docs/how-to/look-in-a-notebook.md: `python tools/docs_pictures.py`.

Writes a table of invented flights, draws its pictures, and takes photographs of tables as a browser
shows them. Needs matplotlib and deltalake, and Chromium for the photographs.
"""

import argparse
import shutil
import subprocess
import tempfile
from datetime import date, timedelta
from pathlib import Path

import deltalake
import matplotlib as mpl
import numpy as np
import pyarrow as pa
from PIL import Image, ImageOps

import puredelta

PICTURES = Path(__file__).parents[1] / "docs/how-to/pictures"

# A short name, as it stands in each picture.
TABLE = Path(tempfile.gettempdir()) / "flights"

# What JupyterLab does to tables, so that a photograph looks as in a notebook.
STYLE = """
body { font: 13px/1.3 'DejaVu Sans', sans-serif; margin: 8px; width: 800px; }
tbody tr:nth-child(odd) { background: #f5f5f5; }
thead { border-bottom: 1px solid #bdbdbd; }
"""


def write_flights() -> None:
    """Write two weeks of flights, delete some, and make one day much larger than the others."""
    shutil.rmtree(TABLE, ignore_errors=True)
    random = np.random.default_rng(7)
    for number in range(14):
        append(date(2026, 1, 1) + timedelta(number % 7), int(random.lognormal(9.2, 0.8)), random)
    deltalake.DeltaTable(str(TABLE)).delete("delay > 60")
    append(date(2026, 1, 3), 90_000, random)


def append(day: date, count: int, random: np.random.Generator) -> None:
    """Append the flights of a day."""
    rows = pa.table(
        {
            "day": [day] * count,
            "carrier": random.choice(["AA", "DL", "UA", "WN"], count),
            "delay": random.normal(10, 30, count).round(1),
            "flight": random.integers(1, 9000, count),
        }
    )
    deltalake.write_deltalake(str(TABLE), rows, partition_by=["day"], mode="append")


def draw(table: puredelta.OpenTable) -> None:
    """Draw the four pictures; the same table gives the same files."""
    mpl.rcParams["svg.hashsalt"] = "puredelta"
    figures = {
        "versions": table.plot.versions(),
        "sizes": table.plot.sizes(),
        "partitions": table.plot.partitions(),
        "files-read": table.plot.files_read([("day", ">=", date(2026, 1, 5))]),
    }
    for name, figure in figures.items():
        figure.savefig(PICTURES / f"{name}.svg", metadata={"Date": None})


def photograph(name: str, html: str, browser: str) -> None:
    """Take a photograph of HTML in a page 816 pixels wide, as high as it is."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(
            f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{html}", encoding="utf-8"
        )
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        picture = PICTURES / f"{name}.png"
        size = "--window-size=816,1600"
        subprocess.run(
            [browser, *options, size, f"--screenshot={picture}", page.as_uri()],
            check=True,
            capture_output=True,
        )
    with Image.open(picture) as page_image:
        found = page_image.convert("RGB")
    inverted = ImageOps.invert(found)
    _, _, _, bottom = inverted.getbbox() or (0, 0, 0, found.height)
    found.crop((0, 0, found.width, bottom + 8)).quantize(32).save(picture, optimize=True)


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", default=shutil.which("chromium"), help="a Chromium")
    browser = parser.parse_args().browser
    PICTURES.mkdir(exist_ok=True)
    write_flights()
    table = puredelta.open_table(TABLE)
    draw(table)
    if browser is None:
        print("no Chromium: the photographs of tables are left as they are")
        return
    photograph("history", table.inspect.history(4)._repr_html_(), browser)
    photograph("files", table.inspect.files()._repr_html_(), browser)


if __name__ == "__main__":
    main()
