"""Widgets that know Qt and values, no engine and no panel."""
