"""Which functions of the package a piece of code can come to call, read off the sources without importing them.

A name that a function mentions counts as called, wherever it is: passed on, put into a table or handed to `partial`.
A method counts when its class is mentioned and something mentions an attribute of its name. So the graph has edges that
no run takes, and lacks none but those made from strings, which the caller gives as roots.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Node = str
"""`module:function`, `module:Class` or `module:Class.method`."""


@dataclass
class _Mentions:
    """What the body of a node mentions."""

    nodes: set[Node] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)


class _Module:
    """The names that a module defines or imports."""

    def __init__(self, name: str, tree: ast.Module, is_package: bool) -> None:
        self.name, self.tree = name, tree
        self.package = name if is_package else name.rpartition(".")[0]
        self.defined = {name: node for node in tree.body for name in _names_defined(node)}
        self.imported = dict(_imports(self.package, tree.body))


class CallGraph:
    """Of every module below a package folder."""

    def __init__(self, folder: Path) -> None:
        files = sorted(folder.rglob("*.py"))
        self._modules = {
            name: _Module(name, ast.parse(file.read_text("utf-8")), file.name == "__init__.py")
            for file in files
            if (name := _module_name(file, folder))
        }
        self.bodies: dict[Node, list[ast.AST]] = defaultdict(list)
        self.methods: dict[Node, set[Node]] = defaultdict(set)
        for module in self._modules.values():
            self._collect(module)
        self._mentions: dict[Node, _Mentions] = {}

    def _collect(self, module: _Module) -> None:
        for statement in module.tree.body:
            names = _names_defined(statement)
            for name in names:
                self.bodies[f"{module.name}:{name}"].append(statement)
            if isinstance(statement, ast.ClassDef):
                for part in statement.body:
                    if isinstance(part, ast.FunctionDef):
                        method = f"{module.name}:{statement.name}.{part.name}"
                        self.bodies[method].append(part)
                        self.methods[f"{module.name}:{statement.name}"].add(method)
            elif isinstance(statement, ast.FunctionDef):
                # `@app.command()`: who has the app calls the function.
                for decorator in statement.decorator_list:
                    if isinstance(root := _root(decorator), ast.Name) and root.id in module.defined:
                        self.bodies[f"{module.name}:{root.id}"].append(ast.Name(statement.name))
            elif not names and not isinstance(statement, (ast.Import, ast.ImportFrom)):
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and node.id in module.defined:
                        self.bodies[f"{module.name}:{node.id}"].append(statement)

    def functions_of(self, module: str) -> set[Node]:
        """Every function, class and method that a module defines."""
        return {node for node in self.bodies if node.partition(":")[0] == module}

    def resolve(self, module: str, name: str) -> Node | str | None:
        """The node that a name means in a module, or the module it means; None for what is not of this package."""
        known = self._modules[module]
        if name in known.defined:
            return f"{module}:{name}"
        target = known.imported.get(name)
        return None if target is None else self._target(*target)

    def _target(self, module: str, name: str | None) -> Node | str | None:
        if name is None:
            return module if module in self._modules else None
        if f"{module}.{name}" in self._modules:
            return f"{module}.{name}"
        return self.resolve(module, name) if module in self._modules else None

    def mentions(self, node: Node) -> _Mentions:
        """What a node mentions."""
        if node not in self._mentions:
            self._mentions[node] = found = _Mentions()
            module = node.partition(":")[0]
            for body in self.bodies[node]:
                self._read(module, body, found, without_methods=isinstance(body, ast.ClassDef) and "." not in node)
        return self._mentions[node]

    def _read(self, module: str, body: ast.AST, found: _Mentions, without_methods: bool) -> None:
        pending: list[ast.AST] = [body]
        names: set[str] = set()
        chains: list[list[str]] = []
        imports: list[ast.AST] = []
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.attributes.add(node.attr)
                chains.append(_dotted(node))
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                imports.append(node)
            for child in ast.iter_child_nodes(node):
                if not (without_methods and node is body and isinstance(child, ast.FunctionDef)):
                    pending.append(child)
        inside = dict(_imports(self._modules[module].package, imports))
        for name in names:
            target = self._target(*inside[name]) if name in inside else self.resolve(module, name)
            if target is not None and ":" in target:
                found.nodes.add(target)
        for parts in chains:
            if parts and parts[0] in {*inside, *self._modules[module].imported}:
                found.nodes |= set(self._through_modules(module, inside, parts))

    def _through_modules(
        self, module: str, inside: dict[str, tuple[str, str | None]], parts: list[str]
    ) -> Iterator[Node]:
        """The function that `package.module.function` means."""
        target = self._target(*inside[parts[0]]) if parts[0] in inside else self.resolve(module, parts[0])
        for name in parts[1:]:
            if target is None or ":" in target:
                break
            target = self._target(target, name)
        if target is not None and ":" in target:
            yield target

    def reachable(self, roots: Iterable[Node]) -> set[Node]:
        """Every node that the roots can come to call."""
        reached: set[Node] = set()
        attributes: set[str] = set()
        waiting: dict[str, set[Node]] = defaultdict(set)
        pending = [root for root in roots if root in self.bodies]
        while pending:
            node = pending.pop()
            if node in reached:
                continue
            reached.add(node)
            for method in self.methods[node]:
                name = method.rpartition(".")[2]
                if name in attributes or name.startswith("__"):
                    pending.append(method)
                else:
                    waiting[name].add(method)
            found = self.mentions(node)
            pending += found.nodes
            for name in found.attributes - attributes:
                attributes.add(name)
                pending += waiting.pop(name, ())
        return reached


def _module_name(file: Path, folder: Path) -> str:
    parts = [folder.name, *file.relative_to(folder).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _names_defined(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _imports(package: str, nodes: Iterable[ast.AST]) -> Iterator[tuple[str, tuple[str, str | None]]]:
    """Name to the module and the name in it, None for the module itself."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield alias.asname or alias.name, (module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield (
                    alias.asname or alias.name.split(".")[0],
                    (alias.name if alias.asname else alias.name.split(".")[0], None),
                )
        elif isinstance(node, ast.If):
            yield from _imports(package, node.body)


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, (ast.Call, ast.Attribute)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _dotted(node: ast.Attribute) -> list[str]:
    parts: list[str] = [node.attr]
    inner: ast.expr = node.value
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    return [inner.id, *reversed(parts)] if isinstance(inner, ast.Name) else []
