"""Recorded games as tables: Parquet files that Polars, pandas, DuckDB and others read (docs/data.md)."""

from ursuppe_lab.data.export import Exported, export_records

__all__ = ["Exported", "export_records"]
