"""Where this user's own files live: settings, private state. Nothing of a constellation is ever among them."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_config_path, user_data_path, user_state_path

PROGRAM_FOLDER = "context-inspector"


def config_folder() -> Path:
    """Settings and the window's preferences. Not made here."""
    return user_config_path(PROGRAM_FOLDER, appauthor=False)


def state_folder() -> Path:
    """Private state: drafts, logs. Not made here."""
    return user_state_path(PROGRAM_FOLDER, appauthor=False)


def data_folder() -> Path:
    """Files made for the user, such as the sample constellation. Not made here."""
    return user_data_path(PROGRAM_FOLDER, appauthor=False)
