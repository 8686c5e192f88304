"""Spreadsheets of the catalog: out to XLSX and CSV, and back in after a dry run that names every change."""
