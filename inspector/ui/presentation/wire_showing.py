"""Shows the Request in a provider's JSON: has it written, says what was changed for it, marks where caches end."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from inspector.domain.errors import InspectorError
from inspector.domain.requests import Request
from inspector.domain.wire.values import WireForm
from inspector.ui.actions import Action
from inspector.ui.preferences import CACHE_MARKS, Preferences
from inspector.ui.presentation.request_output import RequestOutput, form_name
from inspector.ui.presentation.wire_text import WireText
from inspector.ui.widgets.adaptation_list import AdaptationLine
from inspector.ui.widgets.controls import button
from inspector.ui.widgets.wire_page import WirePage
from inspector.ui.wording import tr, tr_count, tr_error


class WireShowing(QObject):
    """Keeps a page on the JSON of the Request and provider that are shown.

    Args:
        preferences: Keep whether caches are marked.
        page: Shows the JSON.
        output: Writes it.
        form: Gives the provider, None while the text is shown.
        again: Asks for what is shown to be written anew.
    """

    def __init__(
        self,
        preferences: Preferences,
        page: WirePage,
        output: RequestOutput,
        form: Callable[[], WireForm | None],
        again: Callable[[], None],
    ) -> None:
        super().__init__(page)
        self._preferences, self._page, self._output = preferences, page, output
        self._form, self._again = form, again
        self._written_for: tuple[Request | None, WireForm | None] = None, None
        self.cache_button = button(tr("Cache marks"), self._switch, role="segment")
        self.cache_button.setCheckable(True)
        self.cache_button.setChecked(self._marks_cache())
        self.cache_button.hide()
        preferences.changed.connect(self._follow)

    def actions(self) -> tuple[Action, ...]:
        """What stands on the page's button, for the palette and the menu."""
        return (
            Action(
                "request.cache_marks",
                tr("Mark the cache in the provider's JSON"),
                self._switch,
                why_not=self._no_marks,
                is_on=self._marks_cache,
            ),
        )

    def _no_marks(self) -> str:
        form = self._form()
        if form is None:
            return tr("no provider's JSON is shown")
        return "" if form.has_cache_marks else tr("this format has no cache marks")

    def forget(self) -> None:
        """No Request is shown any more."""
        self._written_for = None, None

    def write(self, request: Request) -> None:
        """Have the provider's JSON written where that is shown, unless it is there."""
        form = self._form()
        written, last = self._written_for
        self.cache_button.setVisible(form is not None and form.has_cache_marks)
        if form is None or (written is request and last is form):
            return
        name = form_name(form)
        if last is not form:
            self._page.show_text(None, tr("Writing the Request for {form} …", form=name), ())
        self._written_for = request, form
        if self._output.snapshot(request) is None:
            text = tr(
                "Of a sent Request, only the text is stored: press Text to read it. “Now” shows what would be sent "
                "now as {form} JSON.",
                form=name,
            )
            self._page.show_text(None, text, ())
            return
        self._output.show(request, form, self._show, self._tell_unwritten)

    def _tell_unwritten(self, form: WireForm, error: InspectorError) -> None:
        if self._written_for[1] is form:
            text = tr("Can't write the Request for {form}", form=form_name(form))
            self._page.show_text(None, text, (AdaptationLine(tr_error(error), loses=True),))

    def _show(self, made: WireText) -> None:
        source, form = self._written_for
        if source is made.source and form is made.form:
            self._page.show_text(made.text, self._heading(made), made.lines, made.markings)

    def _heading(self, made: WireText) -> str:
        name, lines = form_name(made.form), made.lines
        text = tr_count("{count} change for {form}", "{count} changes for {form}", len(lines), form=name)
        if not lines:
            text = tr("Nothing had to be changed for {form}.", form=name)
        if not self._marks_cache():
            return text
        marks = tr_count("{count} cache mark", "{count} cache marks", len(made.cache_marks))
        return f"{text.rstrip('.')} · {marks}"

    def _marks_cache(self) -> bool:
        return self._preferences.switch(CACHE_MARKS)

    def _switch(self) -> None:
        self._preferences.set(CACHE_MARKS, not self._marks_cache())

    def _follow(self, name: str) -> None:
        if name == CACHE_MARKS:
            self.cache_button.setChecked(self._marks_cache())
            self.forget()
            self._again()
