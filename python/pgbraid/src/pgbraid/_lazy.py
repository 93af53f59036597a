"""Import functions when they are first used, so that a search starts fast in a new process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__` for names that its modules define, separated by spaces."""
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *module_of})


def lazy_modules(package: str, names: str) -> dict[str, LazyModule]:
    """Return stand-ins for modules of a package, by name."""
    return {name: LazyModule(f"{package}.{name}") for name in names.split()}


class LazyModule:
    """Stand for a module in the body of a class: `method = module.function` there imports it at the first call."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, function: str) -> _LazyMethod:
        if function.startswith("_"):
            raise AttributeError(function)
        return _LazyMethod(self._name, function)


class _LazyMethod:
    def __init__(self, module: str, function: str) -> None:
        self._module = module
        self._function = function

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type) -> object:
        function = getattr(import_module(self._module), self._function)
        # Replace this descriptor by the method itself.
        setattr(self._owner, self._name, function)
        return function.__get__(instance, owner)
