"""Describes the devices and tasks that packages of EOS 0.31 declare in Python, without executing their code.

It reads JSON from standard input: `root`, the folder of a package, its name as `package`, and `files`, a list of `file`, relative
to it, and `kind` (device or task). It prints a JSON list with, for each file, the content of its definition file as `definition`,
or the reasons why there is none as `faults`: `line`, `message` and `hint`.
"""

import ast
import json
import os
import sys

SCALARS = ("int", "float", "str", "bool")
UNKNOWN = object()


class Fault(Exception):
    def __init__(self, node, message):
        super().__init__(message)
        self.line = getattr(node, "lineno", None)


class Modules:
    """The modules of a package, by their path in it."""

    def __init__(self, root, package):
        self._root = root
        self._package = package
        self._trees = {}

    def tree(self, path):
        if path not in self._trees:
            with open(os.path.join(self._root, path), encoding="utf-8") as file:
                self._trees[path] = ast.parse(file.read(), path)
        return self._trees[path]

    def find(self, path, name):
        """The class or assignment of a name in a file, with the file in which it is; None if it is not in the package."""
        for node in self.tree(path).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                return path, node
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and name in [
                getattr(each, "id", None) for each in getattr(node, "targets", [getattr(node, "target", None)])
            ]:
                return path, node.value
            if isinstance(node, ast.ImportFrom):
                for each in node.names:
                    if (each.asname or each.name) == name:
                        place = self._place(path, node)
                        return None if place is None else self.find(place, each.name)
        return None

    def origin(self, path, name):
        """The module outside of the package from which a name comes."""
        for node in self.tree(path).body:
            if isinstance(node, ast.ImportFrom) and name in [each.asname or each.name for each in node.names]:
                return node.module
        return None

    def _place(self, path, node):
        parts = (node.module or "").split(".")
        if node.level:
            folder = path.split("/")[:-1]
            parts = folder[: len(folder) - node.level + 1] + [each for each in parts if each]
        elif parts[0] == "user" and self._package in parts:
            parts = parts[parts.index(self._package) + 1 :]
        elif parts[0] == self._package:
            parts = parts[1:]
        else:
            return None
        places = ("/".join(parts) + ".py", "/".join([*parts, "__init__.py"]))
        return next((each for each in places if os.path.isfile(os.path.join(self._root, each))), None)

    def value(self, path, node):
        """The value of an expression of constants; UNKNOWN for any other."""
        if isinstance(node, ast.Name):
            found = self.find(path, node.id)
            return UNKNOWN if found is None or isinstance(found[1], ast.ClassDef) else self.value(*found)
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError):
            return UNKNOWN

    def kind_of_class(self, path, name):
        """Whether a class is a `Device`, `Resource`, `File`, `Context` or `BaseModel`, and the type that it declares."""
        found = self.find(path, name)
        if found is None:
            outside = self.origin(path, name) or ""
            return (name, None) if outside.split(".")[0] in ("eos", "pydantic") else (None, None)
        place, node = found
        if not isinstance(node, ast.ClassDef):
            return None, None
        declared = next((self.value(place, each.value) for each in node.keywords if each.arg == "type"), None)
        for base in node.bases:
            kind, inherited = self.kind_of_class(place, name_of(base))
            if kind is not None:
                return ("Device" if kind == "BaseDevice" else kind), declared or inherited
        return None, None


def name_of(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def without_none(node):
    """`T` and True for `T | None` and `Optional[T]`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [each for each in (node.left, node.right) if getattr(each, "value", UNKNOWN) is not None]
        return (sides[0], True) if len(sides) == 1 else (node, False)
    if isinstance(node, ast.Subscript) and name_of(node.value) == "Optional":
        return node.slice, True
    return node, False


def elements(node):
    return node.elts if isinstance(node, ast.Tuple) else [node]


def parameter_type(node, where):
    """The keys of a parameter that its annotation gives."""
    name = name_of(node)
    if name in SCALARS or name == "dict":
        return {"type": name}
    if isinstance(node, ast.Subscript):
        name, inner = name_of(node.value), elements(node.slice)
        if name == "Literal":
            return {"type": "choice", "choices": [ast.literal_eval(each) for each in inner]}
        if name in ("dict", "Dict"):
            return {"type": "dict"}
        if name in ("list", "List", "tuple", "Tuple") and name_of(inner[0]) in SCALARS:
            is_open = name.lower() == "list" or getattr(inner[-1], "value", None) is Ellipsis
            return {
                "type": "list",
                "element_type": name_of(inner[0]),
                **({} if is_open else {"length": len(inner)}),
            }
    raise Fault(node, f"{where} has the type {ast.unparse(node)}, of which this service has no parameters")


class Description:
    def __init__(self, modules, path):
        self._modules = modules
        self._path = path

    def device(self):
        for node in self._modules.tree(self._path).body:
            if isinstance(node, ast.ClassDef) and any(each.arg == "type" for each in node.keywords):
                kind, declared = self._modules.kind_of_class(self._path, node.name)
                if kind == "Device":
                    return {
                        "type": declared,
                        "desc": ast.get_docstring(node) or "",
                        "init_parameters": self._init_parameters(node),
                    }
        raise Fault(None, 'no class of the file is declared as in class Pump(Device, type="pump")')

    def _init_parameters(self, device):
        config = next((each for each in device.body if isinstance(each, ast.ClassDef) and each.name == "Config"), None)
        found = {}
        for field in [] if config is None else config.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                default, _ = self._declaration(field.value)
                found[field.target.id] = None if default is UNKNOWN else default
        return found

    def task(self):
        for node in self._modules.tree(self._path).body:
            for each in getattr(node, "decorator_list", []):
                if isinstance(each, ast.Call) and name_of(each.func) == "task" and each.args:
                    return self._task(node, self._modules.value(self._path, each.args[0]))
        raise Fault(None, 'no function of the file is declared with @task("Name")')

    def _task(self, node, task_type):
        definition = {"type": task_type, "desc": ast.get_docstring(node) or ""}
        taken = [*node.args.posonlyargs, *node.args.args]
        defaults = [None] * (len(taken) - len(node.args.defaults)) + node.args.defaults
        pairs = [*zip(taken, defaults), *zip(node.args.kwonlyargs, node.args.kw_defaults)]
        for argument, default in pairs:
            self._take(definition, argument, default)
        self._give(definition, node.returns)
        return definition

    def _take(self, definition, argument, default):
        where = f"the input {argument.arg}"
        if argument.annotation is None:
            raise Fault(argument, f"{where} has no annotation")
        annotation, is_optional = without_none(argument.annotation)
        kind, declared = self._modules.kind_of_class(self._path, name_of(annotation))
        value, metadata = self._declaration(default)
        if kind == "Context":
            return
        if kind in ("Device", "Resource"):
            self._take_thing(definition, argument, kind, declared, is_optional)
            return
        if kind == "File":
            files = definition.setdefault("input_files", {})
            files[argument.arg] = {"desc": metadata.get("desc") or "", "required": not is_optional}
            return
        if default is not None and value is UNKNOWN and not self._is_required(default):
            raise Fault(default, f"the default of {where} is computed, and this program executes no code")
        spec = {**parameter_type(annotation, where), "desc": metadata.get("desc") or ""}
        spec.update({key: metadata[key] for key in ("unit", "min", "max") if metadata.get(key) is not None})
        if value is not UNKNOWN:
            spec["value"] = value
        definition.setdefault("input_parameters", {})[argument.arg] = spec

    def _take_thing(self, definition, argument, kind, declared, is_optional):
        if declared is None:
            raise Fault(argument, f"the class of the input {argument.arg} declares no type")
        if not is_optional:
            place = "devices" if kind == "Device" else "input_resources"
            definition.setdefault(place, {})[argument.arg] = {"type": declared}
        elif kind == "Resource":
            raise Fault(argument, f"the resource {argument.arg} is optional, and this service has no such resources")
        # A protocol may give a task a device that its type does not declare.

    def _give(self, definition, returns):
        if returns is None or getattr(returns, "value", UNKNOWN) is None:
            return
        found = self._modules.find(self._path, name_of(returns))
        if found is None or not isinstance(found[1], ast.ClassDef):
            raise Fault(returns, f"the outputs {ast.unparse(returns)} are not a model of this package")
        place, model = found
        outputs = Description(self._modules, place)
        for field in model.body:
            if isinstance(field, ast.AnnAssign):
                outputs._give_field(definition, field)

    def _give_field(self, definition, field):
        name = field.target.id
        annotation, _ = without_none(field.annotation)
        text = ast.unparse(annotation)
        kind, declared = self._modules.kind_of_class(self._path, name_of(annotation))
        if text in ("bytes", "Path", "dict[str, bytes]", "dict[str, Path]"):
            return
        if kind == "Resource":
            definition.setdefault("output_resources", {})[name] = {"type": declared}
            return
        _, metadata = self._declaration(field.value)
        spec = {"type": parameter_type(annotation, f"the output {name}")["type"], "desc": metadata.get("desc") or ""}
        if metadata.get("unit") is not None:
            spec["unit"] = metadata["unit"]
        definition.setdefault("output_parameters", {})[name] = spec

    def _declaration(self, node):
        """The default of an input or field, or UNKNOWN, and its metadata."""
        if not isinstance(node, ast.Call):
            return (UNKNOWN if node is None else self._modules.value(self._path, node)), {}
        metadata = {each.arg: self._modules.value(self._path, each.value) for each in node.keywords}
        default = self._modules.value(self._path, node.args[0]) if node.args else metadata.get("default", UNKNOWN)
        return default, {key: value for key, value in metadata.items() if value is not UNKNOWN}

    @staticmethod
    def _is_required(default):
        return (
            isinstance(default, ast.Call)
            and not default.args
            and all(each.arg != "default" for each in default.keywords)
        )


def described(modules, asked):
    try:
        description = Description(modules, asked["file"])
        return {"definition": description.device() if asked["kind"] == "device" else description.task()}
    except SyntaxError as error:
        return {"faults": [{"line": error.lineno, "message": str(error.msg), "hint": None}]}
    except Fault as fault:
        hint = f"write {asked['kind']}.yml beside it"
        return {"faults": [{"line": fault.line, "message": str(fault), "hint": hint}]}


if __name__ == "__main__":
    wanted = json.load(sys.stdin)
    of_package = Modules(wanted["root"], wanted["package"])
    print(json.dumps([described(of_package, each) for each in wanted["files"]]))
