"""Compares code in Python with its definitions, without executing it.

It reads a JSON list of files from standard input: `file`, `kind` (device, task or optimizer), and for a task `inputs` and
`outputs`, the names of its parameters. It prints JSON: `findings`, each with `file`, `line`, `column`, `code`, `message` and
`hint`, and `named`, what optimizers declare and name, for the comparison with the protocol.
"""

import ast
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from check_optimizer import faults_of_factory, named_in
from svc_lab.parameters import declaration_faults

KINDS = ("effect", "idempotent", "query")
HOOKS = {
    "device": ("BaseDevice", ("_initialize", "_cleanup", "_report")),
    "task": ("BaseTask", ("_execute",)),
    "optimizer": (
        "AbstractSequentialOptimizer",
        (
            *("sample", "report", "get_optimal_solutions"),
            *("get_input_names", "get_output_names", "get_num_samples_reported"),
        ),
    ),
}


def check(asked, findings, named):
    with open(asked["file"], encoding="utf-8") as file:
        text = file.read()
    try:
        tree = ast.parse(text, asked["file"])
    except SyntaxError as error:
        findings.append(finding(asked, error.lineno, error.offset, "syntax", error.msg, None))
        return
    findings.extend(findings_in(asked, tree))
    if asked["kind"] == "optimizer":
        findings.extend(at(asked, *fault, None) for fault in faults_of_factory(tree))
        named.extend({"file": asked["file"], **each} for each in named_in(tree))


def findings_in(asked, tree):
    if asked["kind"] == "task" and any(is_declared_task(node) for node in tree.body):
        return
    base, hooks = HOOKS[asked["kind"]]
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    own = [node for node in classes if any(name_of(each) == base for each in node.bases)]
    if asked["kind"] != "optimizer" and not any(node.bases for node in classes):
        hint = f"write class …({base}) with {', '.join(hooks)}"
        yield finding(asked, None, None, "missing_class", f"it defines no class that extends {base}", hint)
    for node in own:
        methods = {each.name: each for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
        is_extended = any(name_of(each) == node.name for other in classes for each in other.bases)
        for hook in hooks:
            if hook not in methods and not is_extended:
                yield at(asked, node, "missing_method", f"the class {node.name} lacks {hook}", None)
        for method in methods.values() if asked["kind"] == "device" else ():
            yield from faults_of_function(asked, method)
        if asked["kind"] == "task" and "_execute" in methods:
            yield from faults_of_task(asked, methods["_execute"])


def is_declared_task(node):
    """Whether it is a task as EOS 0.31 declares them, of which the definition file was written from the same text."""
    decorators = getattr(node, "decorator_list", [])
    return isinstance(node, ast.AsyncFunctionDef) and any(
        isinstance(each, ast.Call) and name_of(each.func) == "task" for each in decorators
    )


def faults_of_function(asked, method):
    """What the decorator of a device function would refuse when the class is defined."""
    for decorator in method.decorator_list:
        kind = name_of(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if kind not in KINDS or not isinstance(decorator, ast.Call):
            continue
        try:
            given = {each.arg: ast.literal_eval(each.value) for each in decorator.keywords}
        except ValueError:
            # It is computed, which only the host sees.
            continue
        parameters = given.get("parameters")
        faults = declaration_faults(given.get("description"), parameters)
        if not faults and parameters is not None and method.args.kwarg is None:
            taken = [each.arg for each in [*method.args.args[1:], *method.args.kwonlyargs]]
            faults = [f"parameters.{name}: the method does not take it" for name in parameters if name not in taken]
        for fault in faults:
            yield at(asked, decorator, "wrong_declaration", f"@{kind} on {method.name}: {fault}", None)


def faults_of_task(asked, execute):
    """Parameters that `task.yml` does not declare, and outputs that differ from it."""
    names = [each.arg for each in execute.args.args]
    parameters = names[2] if len(names) > 2 else None
    for node in ast.walk(execute):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and parameters is not None:
            name = node.slice.value
            if name_of(node.value) == parameters and name not in asked["inputs"]:
                yield at(asked, node, "unknown_parameter", f'task.yml has no input parameter "{name}"', None)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 3:
            yield from faults_of_outputs(asked, node.value.elts[0])


def faults_of_outputs(asked, outputs):
    """Of a literal dict whose keys are all known."""
    keys = outputs.keys if isinstance(outputs, ast.Dict) else [None]
    names = [key.value for key in keys if isinstance(key, ast.Constant)]
    if len(names) < len(keys):
        return
    for name in names:
        if name not in asked["outputs"]:
            message = f'task.yml has no output parameter "{name}"'
            yield at(asked, outputs, "unknown_output_parameter", message, None)
    for name in asked["outputs"]:
        if name not in names:
            message = f'the output parameter "{name}" of task.yml is not returned'
            yield at(asked, outputs, "missing_output", message, f'return {{"{name}": ...}}, {{}}, {{}}')


def name_of(node):
    """The last name of `a.b.c`; None for other expressions."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def at(asked, node, code, message, hint):
    return finding(asked, node.lineno, node.col_offset + 1, code, message, hint)


def finding(asked, line, column, code, message, hint):  # noqa: PLR0917 -- the fields of a diagnostic
    return {"file": asked["file"], "line": line, "column": column, "code": code, "message": message, "hint": hint}


def main():
    findings, named = [], []
    for asked in json.load(sys.stdin):
        check(asked, findings, named)
    print(json.dumps({"findings": findings, "named": named}))


if __name__ == "__main__":
    main()
