"""One parsed file -> `ModuleFacts` without uses: imports, classes, functions, module-level assignments."""

from __future__ import annotations

import ast

from msgspec.structs import replace

from shimgen.index.bindings import bound, caught, embedded, given, may_bind, names_of
from shimgen.index.functions import function_facts
from shimgen.index.values import OTHER, expr_of
from shimgen.model.facts import SLOT, Class, ClassAttribute, Function, Import, ModuleFacts, Store, is_dotted
from shimgen.syntax import FunctionNode, ImportNode, bodies, chain_of, is_type_checking, source_of

_SCOPES: dict[type[ast.AST], str] = {
    ast.If: "if",
    ast.Try: "try",
    ast.TryStar: "try",
    ast.With: "with",
    ast.For: "loop",
    ast.While: "loop",
    ast.Match: "match",
}
_PLAIN = frozenset((ast.Expr, ast.Return, ast.Raise, ast.Assert, ast.AugAssign, ast.Pass, ast.Delete, ast.Continue))
_ASSIGNMENTS = frozenset((ast.Assign, ast.AnnAssign))


def extract_definitions(module: ast.Module, lines: int, hidden: tuple[int, ...]) -> ModuleFacts:
    """Facts of a module. Nested functions are only searched for imports and classes. On lines that are `hidden`,
    expressions may bind names."""
    collector = _Collector(hidden)
    collector.block(module.body, "", "")
    return ModuleFacts(
        tuple(collector.imports),
        tuple(collector.classes),
        tuple(collector.functions),
        tuple(collector.stores),
        lines=lines,
    )


class _Collector:
    def __init__(self, hidden: tuple[int, ...]) -> None:
        self._hidden = hidden
        self._outside: set[str] = set()
        self.imports: list[Import] = []
        self.classes: list[Class] = []
        self.functions: list[Function] = []
        self.stores: list[Store] = []

    def block(self, body: list[ast.stmt], prefix: str, scope: str) -> None:
        """Statements of a module, or of a function when `prefix` ends in "<locals>."."""
        for node in body:
            kind = node.__class__
            if isinstance(node, ast.Expr) and not prefix:
                self._setattr(node.value, scope)
            if self._hidden and not prefix and may_bind(node, self._hidden):
                self.stores += (Store(a.name, a.line, a.value, "assign", a.scope) for a in _embedded(node, scope))
            if isinstance(node, ast.Delete) and not prefix:
                chains = filter(None, map(chain_of, node.targets))
                self.stores += (Store(c, node.lineno, None, "delete", scope) for c in chains if "." in c)
            if kind in _PLAIN or (prefix and kind in _ASSIGNMENTS):
                continue
            if kind in _SCOPES:
                types = isinstance(node, ast.If) and is_type_checking(node.test)
                inner = "typing" if types else scope or _SCOPES[type(node)]
                for name in () if prefix else (*bound(node), *caught(node)):
                    self.stores.append(Store(name, node.lineno, OTHER, "other", inner))
                for part in bodies(node):
                    self.block(part, prefix, inner)
            elif isinstance(node, ImportNode):
                self._import(node, scope)
            elif isinstance(node, ast.ClassDef):
                self._class(node, prefix, scope)
            elif isinstance(node, FunctionNode):
                if not prefix:
                    self.functions.append(function_facts(node, scope, in_class=False))
                self.block(node.body, f"{prefix}{node.name}.<locals>.", "function")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                self._store(node, scope)

    def _import(self, node: ImportNode, scope: str) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                bound = alias.asname or alias.name.partition(".")[0]
                module = alias.name if alias.asname else bound
                self.imports.append(Import(bound, module, "", 0, node.lineno, scope))
            else:
                bound = alias.asname or alias.name
                self.imports.append(Import(bound, node.module or "", alias.name, node.level, node.lineno, scope))

    def _store(self, node: ast.Assign | ast.AnnAssign, scope: str) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if node.value is not None:
                self._assign(target, node.value, node.lineno, scope)

    def _assign(self, target: ast.expr, value: ast.expr, line: int, scope: str) -> None:
        if isinstance(target, ast.Name | ast.Attribute):
            chain = chain_of(target) or f"?.{target.attr if isinstance(target, ast.Attribute) else ''}"
            self.stores.append(Store(chain, line, expr_of(value), "assign", scope))
        elif isinstance(target, ast.Tuple | ast.List):
            self.stores += (Store(name, line, OTHER, "other", scope) for name in names_of(target))

    def _setattr(self, node: ast.expr, scope: str) -> None:
        """setattr(Class, "x", value) in a module is an assignment, too."""
        if isinstance(node, ast.Call) and len(node.args) == 3 and chain_of(node.func) == "setattr":
            owner, name = chain_of(node.args[0]), expr_of(node.args[1])
            if owner:
                member = name.literal if name.op == "const" else "*"
                self.stores.append(Store(f"{owner}.{member}", node.lineno, expr_of(node.args[2]), "assign", scope))

    def _class(self, node: ast.ClassDef, prefix: str, scope: str) -> None:
        name = prefix + node.name
        functions: list[Function] = []
        attributes: list[ClassAttribute] = []
        around, self._outside = self._outside, set()
        self._class_body(node.body, name, "", functions, attributes)
        if self._outside:
            functions = [f for f in functions if f.name not in self._outside]
            attributes = [a for a in attributes if a.name not in self._outside]
        self._outside = around
        self.classes.append(
            Class(
                name,
                node.lineno,
                node.end_lineno or node.lineno,
                tuple(expr_of(base) for base in node.bases),
                tuple(keyword.arg or "**" for keyword in node.keywords),
                tuple(source_of(decorator) for decorator in node.decorator_list),
                scope,
                tuple(functions),
                tuple(attributes),
                next((chain_of(keyword.value) for keyword in node.keywords if keyword.arg == "metaclass"), ""),
            )
        )

    def _class_body(
        self,
        body: list[ast.stmt],
        name: str,
        scope: str,
        functions: list[Function],
        attributes: list[ClassAttribute],
    ) -> None:
        for node in body:
            if self._hidden and may_bind(node, self._hidden):
                self._class_expressions(node, name, scope, attributes)
            if isinstance(node, FunctionNode):
                functions.append(function_facts(node, scope))
                self.block(node.body, f"{name}.{node.name}.<locals>.", "function")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                attributes.extend(_class_attributes(node, scope))
            elif isinstance(node, ast.Delete):
                for target in node.targets:
                    _delete(chain_of(target), scope, functions, attributes)
            else:
                attributes.extend(ClassAttribute(n, node.lineno, OTHER, scope=scope) for n in bound(node))
                self._class_statement(node, name, scope, functions, attributes)

    def _class_expressions(self, node: ast.stmt, name: str, scope: str, attributes: list[ClassAttribute]) -> None:
        """What expressions bind: with `:=`, and through the dictionary of the body."""
        attributes.extend(_embedded(node, scope))
        for key in given(node):
            if key == "*":
                self.stores.append(Store(f"{name}.*", node.lineno, OTHER, "other", scope))
            else:
                attributes.append(ClassAttribute(key, node.lineno, OTHER, scope=scope))

    def _class_statement(
        self,
        node: ast.stmt,
        name: str,
        scope: str,
        functions: list[Function],
        attributes: list[ClassAttribute],
    ) -> None:
        if isinstance(node, ast.ClassDef):
            self._class(node, f"{name}.", scope)
        elif isinstance(node, ImportNode):
            self._import(node, "class")
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self._outside.update(node.names)  # what the body binds under these names is none of the class
            if isinstance(node, ast.Global):
                self.stores += (Store(outer, node.lineno, OTHER, "other", scope) for outer in node.names)
        elif isinstance(node, ast.If) and is_type_checking(node.test):
            self._class_body(node.orelse, name, scope, functions, attributes)
        elif type(node) in _SCOPES:
            for part in bodies(node):
                self._class_body(part, name, scope or _SCOPES[type(node)], functions, attributes)
            for error in caught(node):
                _delete(error, scope or "try", functions, attributes)


def _embedded(node: ast.stmt, scope: str) -> list[ClassAttribute]:
    found = [
        ClassAttribute(part.target.id, part.lineno, expr_of(part.value), scope=scope or ("if" if conditional else ""))
        for part, conditional in embedded(node)
    ]
    return sorted(found, key=lambda attribute: attribute.line)


def _delete(name: str, scope: str, functions: list[Function], attributes: list[ClassAttribute]) -> None:
    """What a `del` in a class body leaves of what stood above it: nothing, or what is there under a condition."""
    functions[:] = [replace(f, scope=scope) if f.name == name else f for f in functions if scope or f.name != name]
    attributes[:] = [replace(a, scope=scope) if a.name == name else a for a in attributes if scope or a.name != name]


def _class_attributes(node: ast.Assign | ast.AnnAssign, scope: str) -> list[ClassAttribute]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    annotation = source_of(node.annotation) if isinstance(node, ast.AnnAssign) else None
    value = None if node.value is None else expr_of(node.value)
    dotted = node.value is not None and any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and is_dotted(n.value) for n in ast.walk(node.value)
    )
    names = [t.id for t in targets if isinstance(t, ast.Name)]
    if names == ["__slots__"] and value is not None:
        slots = [part.literal for part in value.parts or (value,) if part.op == "const"]
        return [ClassAttribute(name, node.lineno, SLOT, None, False, scope) for name in slots]
    inside = [n for t in targets if isinstance(t, ast.Tuple | ast.List) for n in names_of(t)]
    found = [ClassAttribute(name, node.lineno, value, annotation, dotted, scope) for name in names]
    return [*found, *(ClassAttribute(name, node.lineno, OTHER, None, dotted, scope) for name in inside)]
