"""What finds one way of writing in the syntax tree of a module."""

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache

Find = Callable[[ast.Module], Iterator[ast.AST]]


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module, walked once for all rules: the walk costs more than what they look for."""
    return tuple(ast.walk(tree))


def called_name(node: ast.AST) -> str:
    """The last word of what a call calls: `f` of `a.b.f()`, empty when it has none."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def docstrings(tree: ast.Module) -> set[int]:
    """The identities of the constants that are docstrings or other bare strings."""
    return {id(node.value) for node in nodes(tree) if isinstance(node, ast.Expr)}


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every string of a module that the program uses, f-strings' fixed parts included."""
    bare = docstrings(tree)
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node


def names_used(*names: str) -> Find:
    """Finds the names, imported, used or reached as an attribute."""

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        for node in nodes(tree):
            if isinstance(node, ast.alias):
                found = node.name in names
            elif isinstance(node, ast.Attribute):
                found = node.attr in names
            else:
                found = isinstance(node, ast.Name) and node.id in names
            if found:
                yield node

    return find


def calls_of(*names: str, method: bool | None = None) -> Find:
    """Finds calls by the last word of what is called; `method` narrows to `x.f()` (True) or `f()` (False)."""

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        for node in nodes(tree):
            if called_name(node) not in names or not isinstance(node, ast.Call):
                continue
            if method is None or method == isinstance(node.func, ast.Attribute):
                yield node

    return find


def calls_outside_with(name: str) -> Find:
    """Finds calls of what has to be ended, where no `with` ends it."""

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        ended = {
            id(item.context_expr) for node in nodes(tree) if isinstance(node, ast.With) for item in node.items
        }
        for node in nodes(tree):
            if isinstance(node, ast.Call) and called_name(node) == name and id(node) not in ended:
                yield node

    return find


def imports_of(*modules: str) -> Find:
    """Finds imports of modules, of what is in them and of what is below them, inside functions too."""

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        for node in nodes(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            if any(name == module or name.startswith(f"{module}.") for name in names for module in modules):
                yield node

    return find


def members_of(owner: str, *names: str) -> Find:
    """Finds `owner.name`, called or not."""

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        for node in nodes(tree):
            if isinstance(node, ast.Attribute) and node.attr in names and last_word(node.value) == owner:
                yield node

    return find


def keywords_given(**forbidden: bool) -> Find:
    """Finds calls that give a keyword this constant."""

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        for node in nodes(tree):
            if not isinstance(node, ast.keyword) or not isinstance(node.value, ast.Constant):
                continue
            if node.arg in forbidden and node.value.value is forbidden[node.arg]:
                yield node.value

    return find


def strings_like(pattern: str) -> Find:
    """Finds strings in which the pattern occurs."""
    wanted = re.compile(pattern)

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        return (node for node in strings(tree) if wanted.search(str(node.value)))

    return find


def any_of(*finders: Find) -> Find:
    """Finds what any of the finders finds."""

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        for finder in finders:
            yield from finder(tree)

    return find


SQL = re.compile(r"^\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA|ATTACH|VACUUM|WITH)\s")
EXECUTORS = ("execute", "executemany", "executescript", "execute_fetchall", "execute_insert")


def built_sql(tree: ast.Module) -> Iterator[ast.AST]:
    """Finds statements put together at run time: f-strings, `+`, `%` and `format`."""
    for node in nodes(tree):
        if is_built_string(node) and SQL.match(first_text(node)):
            yield node
        if isinstance(node, ast.Call) and called_name(node) in EXECUTORS:
            yield from (argument for argument in node.args[:1] if is_built_string(argument))


def is_built_string(node: ast.AST) -> bool:
    """Whether a node makes a string out of anything but constants."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) and not is_integer(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return bool(first_text(node)) and not all(is_constant_text(side) for side in (node.left, node.right))
    return called_name(node) == "format" and bool(first_text(node))


def is_integer(part: ast.FormattedValue) -> bool:
    """Whether a value is written with `:d`, which takes integers only: a pragma has no parameters."""
    return part.format_spec is not None and first_text(part.format_spec) == "d"


def is_constant_text(node: ast.AST) -> bool:
    """Whether a node is a string constant, one by name, an integer in digits (`str(int(x))`) or a sum of such."""
    if isinstance(node, ast.Name):
        return node.id.isupper()
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and is_constant_text(node.left) and is_constant_text(node.right)
    if called_name(node) == "str" and isinstance(node, ast.Call):
        return any(called_name(argument) == "int" for argument in node.args)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def first_text(node: ast.AST) -> str:
    """The constant text that a string begins with, as far as the tree shows it."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return first_text(node.values[0]) if node.values else ""
    if isinstance(node, ast.BinOp):
        return first_text(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return first_text(node.func.value)
    return ""


DATABASE_NAME = re.compile(r"(^|_)(db|database|constellation)(_|$)|\.constellation$")
FILE_CALLS = (
    "open",
    "read_bytes",
    "read_text",
    "write_bytes",
    "write_text",
    "copy",
    "copy2",
    "copyfile",
    "copyfileobj",
)


def opened_databases(tree: ast.Module) -> Iterator[ast.AST]:
    """Finds ordinary file access to what is named like a database; its `close` would drop SQLite's locks."""
    for node in nodes(tree):
        if not isinstance(node, ast.Call) or called_name(node) not in FILE_CALLS:
            continue
        subjects: list[ast.expr] = list(node.args)
        if isinstance(node.func, ast.Attribute):
            subjects.append(node.func.value)
        if any(DATABASE_NAME.search(last_word(subject)) for subject in subjects):
            yield node


def last_word(node: ast.expr) -> str:
    """The name, attribute or text that an expression ends with."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Call) and node.args:
        return last_word(node.args[-1])
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def unsafe_tool_tip_roles(tree: ast.Module) -> Iterator[ast.AST]:
    """Finds models that answer for tool tips and do not use the factory of safe ones."""
    if not any(imports_of("inspector.ui.safe_text")(tree)):
        yield from names_used("ToolTipRole")(tree)


def busy_subscribers(tree: ast.Module) -> Iterator[ast.AST]:
    """Finds subscriptions whose callback is not the `append` or `put_nowait` of a queue."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and called_name(node).startswith("subscribe"):
            callback = node.args[-1] if node.args else None
            if not (isinstance(callback, ast.Attribute) and callback.attr in ("append", "put_nowait")):
                yield node


def numbered_colours(tree: ast.Module) -> Iterator[ast.AST]:
    """Finds colours made from numbers, and Qt's named ones but the one that is none."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and called_name(node) in ("QColor", "fromRgb", "fromHsv", "fromHsl"):
            yield from (argument for argument in node.args if isinstance(argument, ast.Constant))
        if isinstance(node, ast.Attribute) and last_word(node.value) == "GlobalColor":
            yield from () if node.attr == "transparent" else (node,)


OPENING_CALLS = ("open", "read_bytes", "read_text", "write_bytes", "write_text", "fdopen")


def opened_files(tree: ast.Module) -> Iterator[ast.AST]:
    """Finds files opened by Python, whatever they are called; `Name.open` of a class of ours is none."""
    for node in nodes(tree):
        if not isinstance(node, ast.Call) or called_name(node) not in OPENING_CALLS:
            continue
        owner = last_word(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        if not (owner[:1].isupper() or owner == "cls"):
            yield node


def handlers_of(*names: str) -> Find:
    """Finds `except` clauses that name one of these errors, alone or among others."""

    def find(tree: ast.Module) -> Iterator[ast.AST]:
        for node in nodes(tree):
            if isinstance(node, ast.ExceptHandler) and node.type is not None:
                told = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                yield from (each for each in told if last_word(each) in names)

    return find


OUTLETS = ("print", "echo", "write_line", "debug", "info", "warning", "error", "exception", "critical", "log")


def told_headers(tree: ast.Module) -> Iterator[ast.AST]:
    """Finds what prints or logs the headers of a request, where its key stands."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and called_name(node) in OUTLETS:
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if any(is_headers(each) for each in ast.walk(argument)):
                    yield argument


def is_headers(node: ast.AST) -> bool:
    """Whether a node is named like a request's headers."""
    return isinstance(node, ast.Name | ast.Attribute) and last_word(node) in ("headers", "raw_headers")
