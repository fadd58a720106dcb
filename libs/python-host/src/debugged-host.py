"""A host that a debugger may attach to: opens the port of debugpy on this computer, then becomes the program of the host.

Its arguments are the port, the folder of the package debugpy, the folder with the packages of the author, `wait` or `begin`, the program of
the host and the arguments of that program. With `wait` it begins when a debugger has attached.
"""

import importlib.util
import os
import runpy
import sys
import threading

# The code of packages is in no file that debugpy could compare with that of the author.
os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")


def debugpy_in(folder):
    """Loads debugpy from its folder. Nothing else that lies beside it can be imported by the code of the host."""
    spec = importlib.util.spec_from_file_location(
        "debugpy", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no debugpy in {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["debugpy"] = module
    spec.loader.exec_module(module)  # type: ignore[attr-defined]
    return module


def main(port, folder, sources, when, program, *given):
    try:
        debugpy = debugpy_in(folder)
        # Programs that the code of the host starts are not its code.
        debugpy.configure(subProcess=False)
        debugpy.listen(("127.0.0.1", int(port)))
    except Exception as error:
        sys.exit(f"no debugger can attach: debugpy cannot listen on 127.0.0.1:{port} ({error})")
    if os.path.basename(program) != "optimizer-host.py":
        # This thread reads the orders of the agent and executes no code of authors, so a breakpoint need not hold it.
        threading.current_thread().pydev_do_not_trace = True  # type: ignore[attr-defined]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    from svc_lab.host import package_code

    package_code.sources = sources
    if when == "wait":
        debugpy.wait_for_client()
    sys.argv = [program, *given]
    runpy.run_path(program, run_name="__main__")


main(*sys.argv[1:])
