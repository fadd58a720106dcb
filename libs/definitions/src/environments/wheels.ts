import type { MarkerValues } from './markers.js';

/** A Python of a computer, as far as the choice of wheels depends on it. */
export interface PythonKind {
  /** Such as `3.11.7`. */
  version: string;
  /** Tag of the binary interface, such as `cp311`, and `cp313t` of a Python without the global lock. */
  abi: string;
  /** Operating system and processor as Python names them, such as `linux-x86_64`, `win-amd64` or `macosx-11.0-arm64`. */
  platform: string;
  /** The C library of Linux; null on other systems. */
  libc: { name: 'glibc' | 'musl'; version: string } | null;
  /** Version of macOS, such as `14.5`; null on other systems. */
  macos: string | null;
  markers: MarkerValues;
}

/** A wheel by the parts of its file name. */
export interface WheelName {
  /** Normalized: lower case, with hyphens. */
  distribution: string;
  version: string;
  pythons: string[];
  abis: string[];
  platforms: string[];
}

/** Every operating system takes such a name, and it leads to no other folder. */
const wheelName =
  /^([A-Za-z0-9_.]+)-([A-Za-z0-9_.+]+)(?:-\d[A-Za-z0-9_.]*)?-([a-z0-9_.]+)-([A-Za-z0-9_.]+)-([A-Za-z0-9_.]+)\.whl$/;
/** Longest name of a file that every file system takes. */
const longestName = 200;

/** Library names are compared in this form (PEP 503). */
export const normalizedName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

/** The parts of the name of a wheel; undefined: it is no such name, or has characters that a file name should not have. */
export function wheelOf(file: string): WheelName | undefined {
  const [, name, version = '', pythons = '', abis = '', platforms = ''] = wheelName.exec(file) ?? [];
  if (name === undefined || file.length > longestName || file.startsWith('.')) return undefined;
  const tags = (text: string): string[] => text.split('.');
  return {
    ...{ distribution: normalizedName(name), version },
    ...{ pythons: tags(pythons), abis: tags(abis), platforms: tags(platforms) },
  };
}

/** Whether a Python can use a wheel, by the tags in its name (PEP 425, 600 and 656). */
export function fits({ pythons, abis, platforms }: WheelName, kind: PythonKind): boolean {
  const isOfPython = pythons.some((python) => abis.some((abi) => takesAbi(python, abi, kind)));
  return isOfPython && platforms.some((platform) => takesPlatform(platform, kind));
}

function takesAbi(python: string, abi: string, kind: PythonKind): boolean {
  const own = Number(kind.version.split('.')[1]);
  const [, family, major, minor] = /^(py|cp)(\d)(\d+)?$/.exec(python) ?? [];
  if (major !== '3') return false;
  if (abi === 'none')
    return family === 'py' ? minor === undefined || Number(minor) <= own : Number(minor) === own;
  if (abi === 'abi3') return family === 'cp' && Number(minor) <= own && !kind.abi.endsWith('t');
  return family === 'cp' && abi === kind.abi && Number(minor) === own;
}

const manylinuxYears: Readonly<Record<string, string>> = {
  manylinux1: 'manylinux_2_5',
  manylinux2010: 'manylinux_2_12',
  manylinux2014: 'manylinux_2_17',
};

function takesPlatform(tag: string, { platform, libc, macos, markers }: PythonKind): boolean {
  if (tag === 'any') return true;
  const own = platform.replace(/[-.]/g, '_');
  if (tag === own && macos === null) return true;
  if (libc !== null) {
    const named = tag.replace(/^manylinux(?:1|2010|2014)(?=_)/, (year) => manylinuxYears[year] ?? year);
    const [, kind, major, minor, arch] = /^(many|musl)linux_(\d+)_(\d+)_(\w+)$/.exec(named) ?? [];
    const isOfLibc = kind === (libc.name === 'glibc' ? 'many' : 'musl');
    return isOfLibc && own === `linux_${arch}` && isAtMost([Number(major), Number(minor)], libc.version);
  }
  if (macos !== null) {
    const [, major, minor, arch = ''] = /^macosx_(\d+)_(\d+)_(\w+)$/.exec(tag) ?? [];
    // The platform of a Python for both processors does not say on which one it runs.
    const machine = markers['platform_machine'];
    const isOfArch =
      arch === machine ||
      arch === 'universal2' ||
      (machine === 'x86_64' && ['intel', 'fat64', 'universal'].includes(arch));
    return isOfArch && isAtMost([Number(major), Number(minor)], macos);
  }
  return false;
}

function isAtMost([major = 0, minor = 0]: readonly number[], version: string): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return major < ownMajor || (major === ownMajor && minor <= ownMinor);
}
