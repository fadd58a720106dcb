import type { PythonKind } from '@lab/definitions/environments';

/** A kind of computer with a version of Python, for which libraries are locked. */
export interface LockTarget {
  /** As of {@link ComputerKind}, such as `linux-x64`. */
  platform: string;
  /** Such as `3.11`. */
  python: string;
}

interface Platform {
  /** Tags of wheels that run there, best first. */
  tags: string[];
  kind: Pick<PythonKind, 'platform' | 'libc' | 'macos'>;
  markers: { os_name: string; sys_platform: string; platform_system: string; platform_machine: string };
}

/** The oldest systems that wheels are locked for: Debian 10 and RHEL 8, Alpine 3.13, macOS 12. */
const [newestGlibc, oldestGlibc] = [28, 5];
const macos = '12.0';

const linux = (machine: string): Platform => ({
  tags: [
    ...Array.from(
      { length: newestGlibc - oldestGlibc + 1 },
      (_, n) => `manylinux_2_${newestGlibc - n}_${machine}`,
    ),
    ...['manylinux2014', 'manylinux2010', 'manylinux1', 'linux'].map((tag) => `${tag}_${machine}`),
  ],
  kind: {
    platform: `linux-${machine}`,
    libc: { name: 'glibc', version: `2.${newestGlibc}` },
    macos: null,
  },
  markers: {
    os_name: 'posix',
    sys_platform: 'linux',
    platform_system: 'Linux',
    platform_machine: machine,
  },
});

const musl = (machine: string): Platform => ({
  ...linux(machine),
  tags: [...['1_2', '1_1', '1_0'].map((version) => `musllinux_${version}_${machine}`), `linux_${machine}`],
  kind: { platform: `linux-${machine}`, libc: { name: 'musl', version: '1.2' }, macos: null },
});

const windows = (tag: string, machine: string): Platform => ({
  tags: [tag.replace('-', '_')],
  kind: { platform: tag, libc: null, macos: null },
  markers: {
    os_name: 'nt',
    sys_platform: 'win32',
    platform_system: 'Windows',
    platform_machine: machine,
  },
});

const mac = (machine: string): Platform => ({
  tags: [`macosx_${macos.replace('.', '_')}_${machine}`],
  kind: { platform: `macosx-${macos}-${machine}`, libc: null, macos },
  markers: {
    os_name: 'posix',
    sys_platform: 'darwin',
    platform_system: 'Darwin',
    platform_machine: machine,
  },
});

const platforms: Readonly<Record<string, Platform>> = {
  'linux-x64': linux('x86_64'),
  'linux-arm64': linux('aarch64'),
  'linux-arm': linux('armv7l'),
  'linux-x64-musl': musl('x86_64'),
  'linux-arm64-musl': musl('aarch64'),
  'win32-x64': windows('win-amd64', 'AMD64'),
  'win32-arm64': windows('win-arm64', 'ARM64'),
  'darwin-x64': mac('x86_64'),
  'darwin-arm64': mac('arm64'),
};

/** Each platform with each version of Python. @throws Error in one sentence when one is unknown */
export function targetsOf(names: readonly string[], pythons: readonly string[]): LockTarget[] {
  for (const name of names)
    if (!Object.hasOwn(platforms, name))
      throw new Error(`"${name}" is no platform: name one of ${Object.keys(platforms).join(', ')}`);
  for (const python of pythons) {
    const [, minor] = /^3\.(\d{1,2})$/.exec(python) ?? [];
    if (minor === undefined || Number(minor) < 9)
      throw new Error(
        `"${python}" is no version of Python that runs code: write one such as 3.11, at least 3.9`,
      );
  }
  return [...new Set(names)].flatMap((platform) =>
    [...new Set(pythons)].map((python): LockTarget => ({ platform, python })),
  );
}

/** As a lock notes it, and people read it: `linux-x64 with Python 3.11`. */
export const targetText = ({ platform, python }: LockTarget): string => `${platform} with Python ${python}`;

/** The opposite of {@link targetText}. @throws Error in one sentence when the text is none */
export function targetIn(text: string): LockTarget {
  const [, platform = '', python = ''] = /^(\S+) with Python (\S+)$/.exec(text) ?? [];
  const [target] = targetsOf([platform], [python]);
  if (target === undefined) throw new Error(`"${text}" names no computers`);
  return target;
}

const platformOf = ({ platform }: LockTarget): Platform => {
  const found = platforms[platform];
  if (found === undefined) throw new Error(`"${platform}" is no platform`);
  return found;
};

/** The options with which pip takes wheels for a target and not for itself. */
export function pipOptions(target: LockTarget): string[] {
  const tags = platformOf(target).tags.flatMap((tag) => ['--platform', tag]);
  return ['--only-binary=:all:', '--implementation', 'cp', '--python-version', target.python, ...tags];
}

/** The marker that holds on the computers of a target, and on no others but those with another C library. */
export function markerOf(target: LockTarget): string {
  const { sys_platform: system, platform_machine: machine } = platformOf(target).markers;
  return `sys_platform == "${system}" and platform_machine == "${machine}" and python_version == "${target.python}"`;
}

/** A Python of a target, as an agent would describe it. */
export function kindOf(target: LockTarget): PythonKind {
  const { kind, markers } = platformOf(target);
  const version = `${target.python}.0`;
  return {
    ...{ version, abi: `cp${target.python.replace('.', '')}`, ...kind },
    markers: {
      ...{ platform_python_implementation: 'CPython', platform_release: '', platform_version: '' },
      ...{ python_version: target.python, python_full_version: version },
      ...{ implementation_name: 'cpython', implementation_version: version, ...markers },
    },
  };
}
