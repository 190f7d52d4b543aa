"""Widgets that compare two Requests, and show the Request of a past moment."""
