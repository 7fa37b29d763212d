"""Tables that we map: what lies in their files, what the log answers, what a removal leaves."""

import json
import logging

import pyarrow.parquet as pq
import pytest

from puredelta.log.reader import open_table
from puredelta.table.check import check_table
