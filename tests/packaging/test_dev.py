"""What `packaging/dev.py` decides, without installing anything."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT / "packaging" / "dev.py"

LDD = """\
/a/QtGui.abi3.so:
\tlinux-vdso.so.1 (0x00007ffd)
\tlibQt6Gui.so.6 => /a/Qt/lib/libQt6Gui.so.6 (0x00007f0)
\tlibEGL.so.1 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f1)
/a/libqxcb.so:
\tlibxcb-icccm.so.4 => not found
\tlibEGL.so.1 => not found
"""


@pytest.fixture
def dev(tmp_path: Path) -> ModuleType:
    """The script as a module, with its virtual environment moved to an empty folder."""
    specification = importlib.util.spec_from_file_location("dev_under_test", DEV)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    vars(module)["VENV"] = tmp_path
    return module


class Recorder:
    """Stands in for a function: keeps what it was called with and gives one answer."""

    def __init__(self, answer: object = 0) -> None:
        self.calls: list[list[str]] = []
        self._answer = answer

    def __call__(self, command: object = None, **_keywords: object) -> object:
        self.calls.append(list(command) if isinstance(command, list) else [str(command)])
        return self._answer

    @property
    def verbs(self) -> list[list[str]]:
        """What the inspector was asked for, without `python -m inspector`."""
        return [command[3:] for command in self.calls]


def answer(value: object) -> object:
    """A function that takes anything and gives one value."""
    return lambda *_args, **_kwargs: value


def test_that_each_library_that_ldd_misses_is_named_once(dev: ModuleType) -> None:
    assert dev.not_found(LDD) == ["libEGL.so.1", "libxcb-icccm.so.4"]


def test_that_missing_libraries_become_debian_packages(dev: ModuleType) -> None:
    assert dev.packages_for(["libxcb-icccm.so.4", "libEGL.so.1"]) == ["libegl1", "libxcb-icccm4"]


def test_that_a_library_of_no_known_package_is_named_to_the_user(dev: ModuleType) -> None:
    with pytest.raises(dev.SetupError, match=r"libnew\.so\.9"):
        dev.packages_for(["libEGL.so.1", "libnew.so.9"])


def test_that_without_rights_the_exact_command_is_printed(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev.shutil, "which", answer("/usr/bin/apt-get"))
    monkeypatch.setattr(dev, "privileges", answer(None))
    command = r"sudo apt-get install -y --no-install-recommends libegl1 libgl1"
    with pytest.raises(dev.SetupError, match=command):
        dev.apt_install(["libegl1", "libgl1"], "Qt lacks libraries")


def test_that_a_system_without_apt_is_told_what_to_install(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev.shutil, "which", answer(None))
    with pytest.raises(dev.SetupError, match="libegl1"):
        dev.apt_install(["libegl1"], "Qt lacks libraries")


def test_that_root_installs_without_sudo(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    called = Recorder()
    monkeypatch.setattr(dev.shutil, "which", answer("/usr/bin/apt-get"))
    monkeypatch.setattr(dev, "privileges", answer([]))
    monkeypatch.setattr(dev, "call", called)
    dev.apt_install(["libegl1"], "Qt lacks libraries")
    assert [command[2] for command in called.calls] == ["apt-get", "apt-get"]
    assert called.calls[-1][-1] == "libegl1"


def test_that_what_a_window_needs_is_no_error_where_none_will_open(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev.sys, "platform", "linux")
    monkeypatch.setattr(dev, "privileges", answer(None))
    monkeypatch.setattr(dev, "missing_fonts", answer([]))
    monkeypatch.setattr(dev, "probe_qt", answer(None))
    monkeypatch.setattr(
        dev,
        "missing_libraries",
        lambda wanted: ["libxcb-icccm.so.4"] if dev.WINDOW_LIBRARIES[0] in wanted else [],
    )
    assert dev.complete_system(window=False) is False
    with pytest.raises(dev.SetupError, match="libxcb-icccm4"):
        dev.complete_system(window=True)


def test_that_an_installed_font_of_the_kind_is_enough(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dev, "FONT_FOLDERS", (str(tmp_path),))
    assert dev.missing_fonts() == ["fonts-wqy-microhei", "fonts-noto-color-emoji"]
    (tmp_path / "NotoSansCJK-Regular.ttc").touch()
    assert dev.missing_fonts() == ["fonts-noto-color-emoji"]


def test_that_changed_constraints_ask_for_a_new_installation(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("a==1\n", encoding="utf-8")
    monkeypatch.setattr(dev, "CONSTRAINTS", constraints)
    before = dev.state_key()
    assert dev.state_key() == before
    constraints.write_text("a==2\n", encoding="utf-8")
    assert dev.state_key() != before


def test_that_what_is_set_up_is_left_alone(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    packages, system = Recorder(), Recorder(answer=True)
    monkeypatch.setattr(dev, "install_packages", packages)
    monkeypatch.setattr(dev, "complete_system", system)
    dev.set_up(window=False)
    dev.set_up(window=True)
    assert (len(packages.calls), len(system.calls)) == (1, 1)


def test_that_what_the_system_still_lacks_is_looked_at_again(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = Recorder(answer=False)
    monkeypatch.setattr(dev, "install_packages", answer(None))
    monkeypatch.setattr(dev, "complete_system", looked)
    dev.set_up(window=False)
    dev.set_up(window=True)
    assert len(looked.calls) == 2


def test_that_test_passes_its_arguments_and_the_exit_code_on(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = Recorder(5)
    monkeypatch.setattr(dev, "set_up", answer(None))
    monkeypatch.setattr(dev, "call", called)
    assert dev.main(["test", "-m", "slow", "-k", "a b"]) == 5
    assert called.calls[0][1:] == ["-m", "pytest", "-m", "slow", "-k", "a b"]


def test_that_without_a_display_run_makes_a_sample_reports_on_it_and_draws_it(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    called = Recorder()
    monkeypatch.setattr(dev, "set_up", answer(None))
    monkeypatch.setattr(dev, "has_display", answer(False))
    monkeypatch.setattr(dev, "agents_in", answer(["agt_1", "agt_2"]))
    monkeypatch.setattr(dev, "call", called)
    assert dev.main(["run"]) == 0
    assert [verb[0] for verb in called.verbs] == ["sample", "report", "report", "screenshots"]
    assert "No display" in capfd.readouterr().out
    Path(called.verbs[0][1]).parent.rmdir()


def test_that_with_a_display_run_opens_the_file(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    called = Recorder()
    monkeypatch.setattr(dev, "set_up", answer(None))
    monkeypatch.setattr(dev, "has_display", answer(True))
    monkeypatch.setattr(dev, "call", called)
    dev.main(["run", str(tmp_path / "a.constellation")])
    dev.main(["run"])
    assert called.verbs == [["open", str(tmp_path / "a.constellation")], ["open", "--sample"]]


def test_that_an_unknown_command_is_wrong_usage(dev: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    assert dev.main(["frobnicate"]) == 2
    assert "frobnicate" in capfd.readouterr().err


def test_that_an_error_is_a_message_and_no_traceback(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*, window: bool) -> None:
        raise dev.SetupError(f"no luck, {window}")

    monkeypatch.setattr(dev, "set_up", fail)
    assert dev.main(["test"]) == 1
    assert capfd.readouterr().err == "dev.py: no luck, False\n"


def test_that_a_python_that_is_too_old_is_named(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "SUPPORTED", ())
    assert dev.start() == 1
    assert f"This is {sys.version_info[0]}.{sys.version_info[1]}" in capfd.readouterr().err


def test_that_the_help_comes_without_setting_up() -> None:
    done = subprocess.run([sys.executable, str(DEV), "--help"], capture_output=True, text=True, check=True)
    assert "dev.py test [ARGS...]" in done.stdout


def test_that_each_pin_of_the_constraints_is_exact() -> None:
    lines = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins
    assert all(line.count("==") == 1 and "@" not in line and "://" not in line for line in pins)


def test_that_an_old_python_can_read_the_script_far_enough_to_say_so() -> None:
    ast.parse(DEV.read_text(encoding="utf-8"), feature_version=(3, 7))
