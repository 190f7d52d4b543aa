"""The rules that put a piece into a Request or leave a candidate out. Their ids are stable."""

from __future__ import annotations

from enum import StrEnum


class InRule(StrEnum):
    """Why a piece is in. Worded under ``rule.ID``."""

    PERSONA = "persona"
    INSTRUCTION = "instruction"
    CORE = "core_always"
    PINNED = "working_pinned"
    FITS = "working_fits"
    LOG_RECENT = "log_recent"
    ATTACHED = "shared_attached"
    CONSTELLATION = "shared_by_constellation"
    HINT = "hint_for_block"
    SUMMARY = "summary_of_left_out"
    EVENT = "event_recent"
    SCRATCHPAD = "scratchpad_block"
    RETRIEVED = "retrieved_by_caller"
    TOOL = "tool_offered"
    OWN_TOOL = "tool_of_provider_offered"
    TOOL_RULE = "tool_rule"
    EXTRA_SECTION = "section_by_caller"
    CUSTOM_SECTION = "section_of_layout"
    ADDITIONAL = "instruction_by_caller"
    HISTORY_ACTIVE = "history_active_batch"
    HISTORY_RECENT = "history_recent"
    HISTORY_IMPORTANT = "history_important"
    HEADING = "heading"
    JOIN = "join"
    LEAD = "lead_line"
    DATE_LINE = "date_line"
    FENCE = "fence"
    FRAME = "frame"
    REPLY = "reply_overhead"
    TOOLS_PREAMBLE = "tools_preamble"
    PROVIDER_TOOL = "provider_tool"
    OUTPUT_SCHEMA = "output_schema"
    THINKING = "thinking_overhead"
    TASK_BUDGET = "task_budget_overhead"


class OutRule(StrEnum):
    """Why a candidate is out. Worded under ``left_out.ID``."""

    ARCHIVAL_TYPE = "archival_type"
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    MEMORY_FULL = "memory_full"
    MEMORY_CORE_OVER = "memory_taken_by_core"
    WINDOW_FULL = "window_full"
    HISTORY_FULL = "history_full"
    HISTORY_KEEP_RECENT = "history_keep_recent"
    HISTORY_CAP = "history_messages_cap"
    HISTORY_INCOMPLETE = "history_incomplete_batch"
    HISTORY_FIRST_USER = "history_must_begin_with_user"
    HISTORY_UNIMPORTANT = "history_not_important_enough"
    HISTORY_DECAYED = "history_too_old"
    HISTORY_SUMMARISED = "history_summarised"
    HISTORY_ELIDED = "history_result_elided"
    HISTORY_SHORTENED = "history_text_shortened"
    ARCHIVED = "archived"
    SUMMARY_DUE = "summary_due"
    COMPILED = "compiled_prompt"
    SUMMARY_COVERED = "summary_covered_by_deeper"
    SUMMARY_KEPT_VERBATIM = "summary_of_messages_in_history"
    EVENT_OLD = "event_too_old"
    EVENT_FUTURE = "event_in_the_future"
    EVENT_LIMIT = "event_limit"
    EVENT_MINOR = "event_below_importance"
    EVENT_OWN_CAP = "event_own_cap"
    ENTRY_LIMIT = "log_display_limit"
    ENTRY_ROOM = "log_no_room"
    SHORTENED = "shortened_for_room"
    NOT_IN_LAYOUT = "not_in_layout"
    SECTION_FULL = "section_full"
    TOGETHER = "kept_together"
    DROPPED = "dropped_in_what_if"


PARTLY_IN = frozenset(
    {
        *(OutRule.ENTRY_LIMIT, OutRule.ENTRY_ROOM, OutRule.SHORTENED),
        *(OutRule.HISTORY_ELIDED, OutRule.HISTORY_SHORTENED),
    }
)
"""What these tell of is in the Request, but not all of it."""
