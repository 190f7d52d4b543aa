"""The steps of a build: wheel, frozen bundle, Linux packages. They run with Python's standard library alone."""
