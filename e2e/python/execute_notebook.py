"""Executes a notebook in a kernel of this environment: `execute_notebook.py NOTEBOOK OUTPUT`. An error of a cell ends it with 1."""

from __future__ import annotations

import sys

import nbformat
from nbclient import NotebookClient

source, target = sys.argv[1:]
notebook = nbformat.read(source, as_version=4)
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
nbformat.write(notebook, target)
