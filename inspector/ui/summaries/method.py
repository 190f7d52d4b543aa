"""The choice of how summaries are made: by extracted sentences, or by a model at a provider."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from inspector.domain.agents import Agent
from inspector.domain.calls import OFFLINE, CallError, PreparedCall
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, InspectorError, RefusedError
from inspector.domain.wire.values import WireForm
from inspector.runtime.called_model import CalledModel
from inspector.runtime.session import FileSession
from inspector.ui.calls.send_question import SendQuestion
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.calls import dollars, failure_words, leaving_text
from inspector.ui.presentation.request_output import form_name
from inspector.ui.safe_text import one_line, show_controls
from inspector.ui.send_gate import SendPermit
from inspector.ui.widgets.controls import arrange, button, field
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import number, tr, tr_count, tr_error

EXTRACTED = ""
_SEND = "send"
"""Where the Send panel keeps the address that calls go to."""
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class SummaryMethodChoice:
    """How summaries are made: by no model where `provider` is empty."""

    provider: str = EXTRACTED
    form: WireForm | None = None
    model: str = ""


class SummaryMethod(QWidget):
    """`changed` tells of another choice, `asked` that the chosen model is to be called now."""

    changed = Signal()
    asked = Signal()

    def __init__(self, services: PanelServices, agent: Agent) -> None:
        super().__init__()
        self._agent = agent
        self._forms: dict[str, WireForm] = {}
        self._is_warned = False
        self.provider = QComboBox()
        self.provider.setAccessibleName(tr("Method"))
        self.provider.addItem(tr("Extract sentences (no model)"), EXTRACTED)
        self.provider.addItem(tr("Offline model (no network)"), OFFLINE)
        for form in WireForm:
            self.provider.addItem(form_name(form), form.value)
        path = services.workspace.file.path
        sent = services.preferences.panel_view(path, _SEND) if path is not None else {}
        address, form_of_address = str(sent.get("address", "")), str(sent.get("form", ""))
        if address:
            self._forms[address] = (
                WireForm(form_of_address) if form_of_address in set(WireForm) else WireForm.OPENAI
            )
            self.provider.addItem(show_controls(one_line(address, _LONGEST)), address)
        self.model = field(tr("Model"))
        self.model.setText(agent.model)
        self.ask_button = button(tr("Ask the model"), self.asked.emit)
        self._gate = services.workspace.gate
        self._permit: SendPermit | None = None
        self.question = SendQuestion(services.appearance, services.icons, self._gate)
        choices = QWidget()
        choices.setLayout(
            FlowLayout(self.provider, self.model, self.ask_button, spacing=services.appearance.space(2))
        )
        arrange(QVBoxLayout(self), choices, self.question, spacing=services.appearance.space(2))
        self.provider.currentIndexChanged.connect(self._follow)
        self.model.textChanged.connect(self._follow)
        self._show()

    @property
    def choice(self) -> SummaryMethodChoice:
        """The method, address and model that are chosen now."""
        provider = str(self.provider.currentData())
        return SummaryMethodChoice(provider, self._forms.get(provider), self.model.text().strip())

    @property
    def is_extractive(self) -> bool:
        return self.choice.provider == EXTRACTED

    def model_of(self, session: FileSession, agent_id: str) -> CalledModel | None:
        """The chosen model for summaries of an agent, None where sentences are extracted.

        Raises:
            InputError: nothing may be sent to that address.
        """
        choice = self.choice
        if choice.provider == EXTRACTED:
            return None
        destination = session.engine.calls.destination(choice.provider, choice.form)
        calls = session.engine.calls
        return CalledModel(calls, destination, agent_id, choice.model, self._warn, self._require)

    def _follow(self, _: object) -> None:
        self._is_warned, self._permit = False, None
        self.question.cancel()
        self._show()
        self.changed.emit()

    def _warn(self, kind: str, shown: str) -> None:
        """Stop the first time that what looks like a secret would go out; asked once more, it goes."""
        if not self._is_warned and self.choice.provider != OFFLINE:
            self._is_warned = True
            self._show()
            raise InputError("input.secret_in_messages", kind=kind, secret=shown)

    def _require(self, call: PreparedCall, secrets: int) -> None:
        """Stop what nobody agreed to sending there, and ask; with a yes, the model is asked again."""
        if self._gate.asks(call.destination, self._permit):
            figures = leaving_text(len(call.body), Count(call.tokens, call.method), secrets)
            first = tr("The first of its calls: {figures}", figures=figures)
            self.question.before(call.destination, first, self._take_permit)
        self._gate.require(call.destination, self._permit)

    def _take_permit(self, permit: SendPermit | None) -> None:
        self._permit = permit
        self.asked.emit()

    def _show(self) -> None:
        for each in (self.model, self.ask_button):
            each.setVisible(not self.is_extractive)
        self.ask_button.setText(tr("Ask anyway") if self._is_warned else tr("Ask the model"))


def sum_text(model: CalledModel) -> str:
    """What a model's calls took: their number, tokens and price."""
    whole = model.sum
    parts = [tr_count("{count} call", "{count} calls", whole.calls)]
    if whole.input_tokens is not None:
        parts.append(tr("{count} tokens in", count=number(whole.input_tokens)))
    if whole.output_tokens is not None:
        parts.append(tr("{count} out", count=number(whole.output_tokens)))
    if whole.cost is not None:
        parts.append(dollars(whole.cost))
    return tr("{model}: {figures}.", model=one_line(model.name, _LONGEST), figures=" · ".join(parts))


def refusal_text(error: RefusedError) -> str:
    """Why the summaries of a preview aren't stored, and what to do."""
    happened = tr_error(error)
    if error.code == "refused.summary_overtaken":
        happened = tr("The messages or summaries have changed since this preview. Nothing was stored.")
    return "\n".join((happened, tr("Preview again to summarise what is there now.")))


def with_earlier(text: str) -> str:
    """What is under way or failed, above the texts of a run before it."""
    return "\n".join((text, tr("Below is the earlier preview. It isn't stored.")))


def fault_text(error: InspectorError) -> str:
    """Why no summary came: a failed call with the server's words and what to do."""
    if not isinstance(error, CallError):
        return tr_error(error)
    words = failure_words(error.failure, tr("the key store or the environment"))
    server = tr("The server says: {message}", message=one_line(words.server, 400)) if words.server else ""
    return "\n".join(each for each in (f"{words.title}.", server, words.advice) if each)
