"""What the text of an `optimizer.py` declares and names, without executing it. The service compares it with the protocol."""

import ast
import re

FACTORIES = ("svc_create_campaign_optimizer", "eos_create_campaign_optimizer")
DECLARATIONS = {
    "ContinuousInput": ("input", "bounds"),
    "DiscreteInput": ("input", "values"),
    "CategoricalInput": ("input", "categories"),
    "ContinuousOutput": ("output", None),
}
NAME = re.compile(r"[^.\s/]+\.[^.\s/]+")


def faults_of_factory(tree):
    """Yields the node, the code and the message of each fault of the function that a campaign calls."""
    for node in tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name not in FACTORIES:
            continue
        needed = len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults)
        if needed > 0 or any(default is None for default in node.args.kw_defaults):
            yield node, "optimizer_type", f"{node.name} takes parameters, and the service calls it without any"
        for each in ast.walk(node):
            # What is no literal is known only when it runs.
            if isinstance(each, ast.Return) and is_no_pair(each.value):
                yield each, "optimizer_type", f"{node.name} must return a pair: (arguments, class of the optimizer)"


def is_no_pair(value):
    if isinstance(value, ast.Tuple):
        return len(value.elts) != 2
    return value is None or isinstance(value, (ast.Dict, ast.Constant))


def named_in(tree):
    """Yields what is declared as an input or an output, and other texts that look like a name TASK.PARAMETER.

    Each has `text`, its place and, if it is declared, `kind` and the literal values of its domain.
    """
    declared = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
        if name not in DECLARATIONS:
            continue
        kind, domain = DECLARATIONS[name]
        given = {each.arg: each.value for each in node.keywords}
        key = node.args[0] if node.args else given.get("key")
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            continue
        declared.add(key)
        entry = {}
        values = node.args[1] if len(node.args) > 1 else given.get(domain)
        for field, value in ((domain, values), ("step", given.get("step", given.get("stepsize")))):
            known = literal(value)
            if field is not None and known is not None:
                entry[field] = list(known) if isinstance(known, tuple) else known
        yield {**place(key), "text": key.value, "kind": kind, "entry": entry}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node in declared:
            continue
        if NAME.fullmatch(node.value):
            yield {**place(node), "text": node.value}


def literal(node):
    try:
        return None if node is None else ast.literal_eval(node)
    except ValueError:
        return None


def place(node):
    return {"line": node.lineno, "column": node.col_offset + 1}
