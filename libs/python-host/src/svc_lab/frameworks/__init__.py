"""Devices whose instruments are driven by a framework. Each module needs the framework that it is named for."""
