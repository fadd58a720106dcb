"""The code of a package: one text that holds its Python files, as the service bundles them."""

from __future__ import annotations

import importlib.machinery
import json
import os
import sys

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

BUNDLE_FORMAT = 1
"""Of `libs/definitions/src/code/python-bundle.ts`, which writes the bundles."""

sources: str | None = None
"""Under a debugger: absolute path of the folder with the packages as their authors have them. A debugger stops in these files."""


def file_of(origin: str) -> str:
    """The file name of compiled code, such as `color_lab/tasks/mix/task.py`; under a debugger the file of the author, if it is there."""
    path = origin if sources is None else os.path.join(sources, *origin.split("/"))
    return path if os.path.isabs(path) and os.path.isfile(path) else origin


def origin_of(file: str) -> str:
    """What `file_of` was given."""
    if sources is None or not file.startswith(sources + os.sep):
        return file
    return file[len(sources) + 1 :].replace(os.sep, "/")


class PackageCode:
    """Finds the modules of one bundle. The module `color_lab.devices.pump.device` is the file `devices/pump/device.py`."""

    def __init__(self, path: str) -> None:
        """Reads a bundle. Raises OSError when the file cannot be read, and ValueError when it is no bundle."""
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        if content.get("svc_python") != BUNDLE_FORMAT:
            raise ValueError(f"{path} is a bundle of another release: this host reads the format {BUNDLE_FORMAT}")
        self.package: str = content["package"]
        self._files: dict[str, str] = content["files"]
        self._folders = {
            "/".join(parts[:depth])
            for parts in (file.split("/") for file in self._files)
            for depth in range(len(parts))
        }

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """Part of the protocol of `sys.meta_path`."""
        if name == "user" or name.startswith("user."):
            return self._find_by_folder(name)
        if name != self.package and not name.startswith(f"{self.package}."):
            return None
        place = name[len(self.package) + 1 :].replace(".", "/")
        inside = f"{place}/__init__.py" if place else "__init__.py"
        if inside in self._files:
            return self._spec(name, inside, True)
        if f"{place}.py" in self._files:
            return self._spec(name, f"{place}.py", False)
        if place in self._folders:
            return self._spec(name, None, True)
        return None

    def _find_by_folder(self, name: str) -> Any:
        """Packages of EOS import `user.<folders>.<package>.…`, by their place in the folder of all packages."""
        folders = name.split(".")
        if self.package in folders[1:]:
            own = ".".join(folders[folders.index(self.package, 1) :])
            return importlib.machinery.ModuleSpec(name, _OtherName(own))  # type: ignore[arg-type]
        return importlib.machinery.ModuleSpec(name, None, is_package=True)

    def _spec(self, name: str, file: str | None, is_package: bool) -> Any:
        origin = f"{self.package}/{file or name[len(self.package) + 1 :].replace('.', '/')}"
        loader = _ModuleLoader(origin, "" if file is None else self._files[file])
        # The type of a loader in `ModuleSpec` demands methods that Python itself does not.
        return importlib.machinery.ModuleSpec(name, loader, origin=origin, is_package=is_package)  # type: ignore[arg-type]


class _OtherName:
    """Loads a module that has another name already."""

    def __init__(self, own_name: str) -> None:
        self._own_name = own_name
        self._spec: Any = None

    def create_module(self, spec: Any) -> ModuleType:
        __import__(self._own_name)
        module = sys.modules[self._own_name]
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has given the module the spec of the other name.
        module.__spec__ = self._spec


class _ModuleLoader:
    def __init__(self, origin: str, source: str) -> None:
        self._origin = origin
        self._source = source

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self._origin
        exec(self._compiled(), module.__dict__)

    def get_source(self, name: str) -> str:
        """For stacks that Python itself prints."""
        return self._source

    def _compiled(self) -> CodeType:
        return compile(self._source, file_of(self._origin), "exec", dont_inherit=True)


class _EosFinder:
    """Finds the modules `eos` and `eos.…`, which packages of EOS import, unless EOS itself is installed."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """Part of the protocol of `sys.meta_path`."""
        if name != "eos" and not name.startswith("eos."):
            return None
        from ..eos.modules import find_spec

        return find_spec(name)


def use(code: PackageCode) -> None:
    """Lets the modules of a bundle be imported."""
    sys.meta_path.insert(0, code)
    if _EosFinder not in sys.meta_path:
        sys.meta_path.append(_EosFinder)


def forget(code: PackageCode) -> None:
    """Forgets the modules of a bundle, so that the next import executes them anew."""
    sys.meta_path.remove(code)
    own = [name for name in sys.modules if name.split(".")[0] in (code.package, "user")]
    for name in own:
        del sys.modules[name]


_DISTRIBUTIONS = {"ax": "ax-platform", "bofire": "bofire[optimization]", "skopt": "scikit-optimize"}
"""Packages of PyPI with another name than their module, of those that optimizers import."""


def need_of(module: str, package: str | None = None) -> str:
    """That a library is needed, and how to install it. `package` is what PyPI calls it; default: as the module."""
    package = package or _DISTRIBUTIONS.get(module, module)
    return f'needs the library {module}: install it for the Python of the optimizer worker, pip install "{package}"'


def module_of(code: PackageCode, source: str) -> ModuleType:
    """Imports a module. `source` is its path in the package. Raises any error that the module raises on import."""
    name = f"{code.package}.{source[: -len('.py')].replace('/', '.')}"
    __import__(name)
    return sys.modules[name]


def class_in(code: PackageCode, source: str, base: type, methods: Sequence[str]) -> Any:
    """Imports a module and returns its class of the wanted kind: the only one that no other class of the module extends.

    `source` is the path of the module in the package. Raises TypeError that says what the module should define, and any
    error that the module raises on import.
    """
    module = module_of(code, source)
    name = module.__name__
    defined = [value for value in vars(module).values() if getattr(value, "__module__", None) == name]
    classes = [value for value in defined if isinstance(value, type) and issubclass(value, base)]
    last = [each for each in classes if not any(other is not each and issubclass(other, each) for other in classes)]
    if len(last) == 1:
        missing = [method for method in methods if getattr(last[0], method) is getattr(base, method)]
        if not missing:
            return last[0]
        raise TypeError(f"{source}: the class {last[0].__name__} lacks {', '.join(missing)}")
    if len(last) > 1:
        names = ", ".join(each.__name__ for each in last)
        raise TypeError(f"{source} defines {len(last)} classes of that kind ({names}); keep one of them in the file")
    found = ", ".join(value.__name__ for value in defined if hasattr(value, "__name__")) or "nothing of the kind"
    raise TypeError(f"{source} defines {found}; it needs class …({base.__name__}) with {', '.join(methods)}")
