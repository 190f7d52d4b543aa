"""The command that summarises old messages."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.calling import FORM_NAMES, destination_of, print_failure
from inspector.cli.lookup import choose_agent
from inspector.cli.options import AGENT, FILE, JSON, example
from inspector.cli.reporting import MARKS
from inspector.cli.session import DONE, INPUT_AT_FAULT, asynchronous, opened, plain_problem, print_problems
from inspector.cli.terminal import write_error, write_json, write_line
from inspector.domain.agents import Agent
from inspector.domain.calls import CallError
from inspector.domain.codec import to_plain, write_time
from inspector.domain.edits.base import Intent
from inspector.domain.errors import NotFoundError, Parameters
from inspector.domain.redone_summaries import RedoneSummary
from inspector.domain.summarising import FoldOptions, Losses, Proposal, Summarised
from inspector.runtime.called_model import CalledModel, CallSum
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word

_AGAIN_REASON = "summarised again"
_SHOWN = 12
"""Losses of a kind that a table names; JSON has all of them."""


def _plain_run(done: Summarised, *, dry: bool) -> dict[str, Any]:
    return {
        "stored": not dry,
        "messages": done.plan.message_count,
        "kept": done.plan.kept,
        "covered": [each.id for each in done.plan.covered],
        "put_away": None if done.put_away is None else to_plain(done.put_away),
        "skipped_batches": list(done.plan.skipped),
        "problems": [plain_problem(problem) for problem in done.problems],
        "summaries": [
            {
                **_plain_proposal(proposal),
                "id": None if dry else done.folded[at].summary.id,
                "archived": [] if dry else list(done.folded[at].archived),
                "changeset": None if dry else done.folded[at].changeset,
            }
            for at, proposal in enumerate(done.proposals)
        ],
    }


def _plain_proposal(proposal: Proposal) -> dict[str, Any]:
    source, draft = proposal.source, proposal.draft
    covers = source.covers
    return {
        "depth": source.depth,
        "messages": source.message_count,
        "start": write_time(source.start),
        "end": write_time(source.end),
        "covers": None if covers is None else [covers.first, covers.last],
        "children": [each.id for each in source.children],
        "made_by": proposal.made_by,
        "source_tokens": proposal.source_tokens,
        "tokens": proposal.tokens,
        "method": proposal.method.value,
        "content": draft.content,
        "topics": list(draft.topics),
        "details": to_plain(draft.details),
        "lost": to_plain(proposal.losses),
        "put_back": list(proposal.put_back),
    }


def _print_proposal(proposal: Proposal, stored: str | None) -> None:
    source = proposal.source
    parameters: Parameters = {
        "id": stored or "",
        "messages": source.message_count,
        "depth": source.depth,
        "before": proposal.source_tokens,
        "after": proposal.tokens,
        "mark": MARKS[proposal.method],
    }
    write_line(word("told.would_summarise" if stored is None else "told.summarised", parameters))
    write_line(proposal.draft.content)
    for name, items in to_plain(proposal.draft.details).items():
        for item in items:
            write_line(f"  {name}: {item}")
    _print_losses(proposal.losses)
    write_line()


def _print_losses(losses: Losses) -> None:
    for name, items in to_plain(losses).items():
        if items:
            more = len(items) - _SHOWN
            shown = "; ".join(items[:_SHOWN]) + (f" (+{more})" if more > 0 else "")
            write_line(word("told.summary_lost", {"what": name, "count": len(items), "items": shown}))


async def _summary_agent(engine: Engine, name: str | None, summary_id: str | None) -> Agent:
    """The agent that was named, or whose the summary is."""
    agents = await every_agent(engine)
    if summary_id is None:
        return choose_agent(agents, name)
    found = await engine.summaries.store.get(summary_id)
    if found is None:
        raise NotFoundError("not_found.summary", name=summary_id)
    return next(each for each in agents if each.id == found.agent_id)


def _model(
    engine: Engine, agent: Agent, provider: str | None, form: str | None, model: str | None, *, dry: bool
) -> CalledModel | None:
    """The model that is to write the summaries, None without a provider."""
    if provider is None:
        if form is not None or model is not None:
            raise click.UsageError("--form and --model need --provider")
        return None

    def warn(kind: str, shown: str) -> None:
        write_error(word("told.call_secret", {"kind": kind, "secret": shown}))

    destination = destination_of(engine, provider, form)
    named = model or agent.model
    return CalledModel(engine.calls, destination, agent.id, named, warn, leaves_record=not dry)


def _figures(whole: CallSum) -> Parameters:
    return {
        "calls": whole.calls,
        "input": "—" if whole.input_tokens is None else f"{whole.input_tokens:,}",
        "output": "—" if whole.output_tokens is None else f"{whole.output_tokens:,}",
        "cost": "—" if whole.cost is None else f"${whole.cost:,.4f}",
    }


async def _summarise_again(
    engine: Engine,
    which: tuple[Agent, str],
    model: CalledModel | None,
    options: FoldOptions,
    *,
    dry: bool,
    as_json: bool,
) -> None:
    agent, summary_id = which
    run = await engine.summary_checks.redo(
        agent, summary_id, engine.summaries.written_by(agent, model), options
    )
    if not dry and run.edits:
        await engine.summary_checks.require_same(run)
        await engine.apply([Intent(each, engine.actor, _AGAIN_REASON) for each in run.edits])
    if as_json:
        write_json(
            {
                "stored": bool(not dry and run.edits),
                "summaries": [*map(_plain_redone, run.summaries)],
                "problems": [plain_problem(problem) for problem in run.problems],
            }
        )
        return
    for each in run.summaries:
        _print_redone(each, dry=dry)
    print_problems(run.problems)


def _plain_redone(one: RedoneSummary) -> dict[str, Any]:
    return {
        "id": one.old.id,
        **_plain_proposal(one.proposal),
        "old_content": one.old.content,
        "old_tokens": one.check.tokens,
        "old_lost": to_plain(one.check.losses),
        "changed": one.new != one.old,
    }


def _print_redone(one: RedoneSummary, *, dry: bool) -> None:
    facts: Parameters = {
        "id": one.old.id,
        "depth": one.old.depth,
        "before": one.check.tokens,
        "after": one.proposal.tokens,
        "lost_before": one.check.losses.count,
        "lost": one.proposal.losses.count,
        "mark": MARKS[one.proposal.method],
    }
    write_line(word("told.would_summarise_again" if dry else "told.summarised_again", facts))
    old, new = (each.content.splitlines() for each in (one.old, one.new))
    # The first two lines name files.
    for line in [*unified_diff(old, new, lineterm="", n=1)][2:]:
        if not line.startswith("@@"):
            write_line(line)
    _print_losses(one.proposal.losses)
    write_line()


@click.command("summarise", epilog=example("summarise my.constellation --agent Ada --dry-run"))
@click.argument("file", type=FILE)
@AGENT
@click.option("--dry-run", is_flag=True, help="Show the summaries. Store nothing.")
@click.option(
    "--keep",
    type=click.IntRange(min=0),
    metavar="N",
    help="Keep at least the newest N messages, in whole turns. Default: summarise what a Request leaves out.",
)
@click.option("--due", is_flag=True, help="Summarise only what the agent's strategy says is due.")
@click.option(
    "--chunk",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Put this many messages into one summary.",
)
@click.option("--query", default="", metavar="TEXT", help="Keep what helps to answer this question.")
@click.option("--pin", multiple=True, metavar="TEXT", help="Keep this text verbatim.")
@click.option(
    "--from",
    "again",
    metavar="SUMMARY",
    help="Summarise the sources of this summary again, then the summaries made of it.",
)
@click.option(
    "--provider",
    metavar="NAME|URL",
    help="Let a model write: offline, " + ", ".join(FORM_NAMES) + ", or an address.",
)
@click.option("--form", type=click.Choice(FORM_NAMES), help="Set the format of an address. Default: openai.")
@click.option("--model", metavar="MODEL", help="Ask this model. Default: the agent's.")
@JSON
@asynchronous
async def summarise_command(
    file: Path,
    agent: str | None,
    dry_run: bool,
    keep: int | None,
    due: bool,
    chunk: int,
    query: str,
    pin: tuple[str, ...],
    again: str | None,
    as_json: bool,
    **asked: str | None,
) -> int:
    """Summarise old messages and archive them.

    Summaries are made of extracted sentences, without a call. With --provider a model writes them, and the messages go
    to it: try with --dry-run first, which asks the model and stores nothing.
    """
    if due and keep is not None:
        raise click.UsageError("--due and --keep can't be combined")
    if again is not None and (due or keep is not None):
        raise click.UsageError("--from can't be combined with --due or --keep")
    options = FoldOptions(chunk_size=chunk, keep=keep, only_due=due, query=query, pinned=pin)
    async with opened(file, "copy" if dry_run else "refuse") as engine:
        chosen = await _summary_agent(engine, agent, again)
        model = _model(engine, chosen, **asked, dry=dry_run)
        try:
            if again is not None:
                await _summarise_again(engine, (chosen, again), model, options, dry=dry_run, as_json=as_json)
                return DONE
            made_by = engine.summaries.written_by(chosen, model)
            done = await engine.summaries.summarise(chosen.id, made_by, options, dry=dry_run)
        except CallError as error:
            print_failure(error.failure, "" if model is None else model.key_variable)
            return INPUT_AT_FAULT
        finally:
            if model is not None and model.sum.calls:
                write_error(word("told.summary_calls", _figures(model.sum)))
    if as_json:
        write_json(_plain_run(done, dry=dry_run))
    else:
        _print_run(chosen.name, done, keep, dry=dry_run)
    return DONE


def _print_run(agent: str, done: Summarised, keep: int | None, *, dry: bool) -> None:
    covered, kept = len(done.plan.covered), done.plan.kept
    if not done.proposals and not covered:
        write_line(word("told.nothing_to_summarise", {"agent": agent}))
    for at, proposal in enumerate(done.proposals):
        _print_proposal(proposal, None if dry else done.folded[at].summary.id)
    if covered:
        reported = "told.would_archive_covered" if dry else "told.archived_covered"
        write_line(word(reported, {"messages": covered}))
    if keep is not None and kept is not None and kept > keep:
        write_line(word("told.more_kept", {"messages": kept}))
    if done.plan.skipped:
        write_line(word("told.batches_skipped", {"batches": done.plan.skipped}))
    print_problems(done.problems)
