import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PythonKind } from '@lab/definitions/environments';
import { authorEnvironment } from './forked-process.js';

/** A Python with the tools that it has to install libraries. */
export interface PythonTools extends PythonKind {
  /** Version of its pip; null: it has none. */
  pip: string | null;
  /** Whether it can make a pip in a new environment. */
  hasEnsurepip: boolean;
}

/** Longest time of the question, in milliseconds. A cold disk of an instrument PC is slow. */
const askMs = 60_000;

/** Python 3.9 runs it. The markers are those of the dependency specifiers of packages. */
const question = `
import importlib.util, json, os, platform, struct, sys, sysconfig
v = sys.version_info
soabi = sysconfig.get_config_var("SOABI") or ""
free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
system = sysconfig.get_platform()
if system == "linux-x86_64" and struct.calcsize("P") == 4: system = "linux-i686"
if system == "linux-aarch64" and struct.calcsize("P") == 4: system = "linux-armv7l"
libc = None
if sys.platform == "linux":
    try: libc = {"name": "glibc", "version": os.confstr("CS_GNU_LIBC_VERSION").split()[1]}
    except (ValueError, AttributeError, IndexError): libc = {"name": "musl", "version": "1.2"}
def pip():
    try: import pip
    except ImportError: return None
    return getattr(pip, "__version__", None)
i = sys.implementation.version
implementation = "%d.%d.%d" % (i.major, i.minor, i.micro)
if i.releaselevel != "final": implementation += i.releaselevel[0] + str(i.serial)
print(json.dumps({
    "version": "%d.%d.%d" % tuple(v[:3]),
    "abi": "cp%d%d%s" % (v[0], v[1], "t" if free else ""),
    "platform": system,
    "libc": libc,
    "macos": platform.mac_ver()[0] or None,
    "pip": pip(),
    "hasEnsurepip": importlib.util.find_spec("ensurepip") is not None,
    "markers": {
        "os_name": os.name,
        "sys_platform": sys.platform,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_version": "%d.%d" % v[:2],
        "python_full_version": platform.python_version(),
        "implementation_name": sys.implementation.name,
        "implementation_version": implementation,
    },
}))
`;

/** Asks an interpreter what it is. @param program its absolute path @throws Error in one sentence when it does not answer */
export async function askPython(program: string): Promise<PythonTools> {
  try {
    const options = { env: authorEnvironment(), timeout: askMs, windowsHide: true, cwd: '/' };
    const { stdout } = await promisify(execFile)(program, ['-I', '-X', 'utf8', '-c', question], options);
    return JSON.parse(stdout) as PythonTools;
  } catch (error) {
    const { code, killed } = error as { code?: string | number; killed?: boolean };
    const how = killed === true ? 'did not answer' : `ended with ${String(code)}`;
    throw new Error(`${program} ${how} when it was asked what it is`, { cause: error });
  }
}
