"""Widgets that know Qt and values: no engine, no panel."""
