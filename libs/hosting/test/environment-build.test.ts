import { describe, expect, it } from 'vitest';
import { buildCommands, interpreterIn, requirementLines, toolReason } from '../src/environment-build.js';
import { environmentKey } from '../src/python-environments.js';
import type { PythonTools } from '../src/python-kind.js';

const kind: PythonTools = {
  ...{ version: '3.11.2', abi: 'cp311', platform: 'linux-x86_64', macos: null, markers: {} },
  ...{ libc: { name: 'glibc', version: '2.36' }, pip: '23.0.1', hasEnsurepip: true },
};
const wheel = (sha256: string) => ({ name: 'a-1-py3-none-any.whl', sha256, size: 1 });
const libraries = [
  { name: 'a', version: '1', wheels: [wheel('aa'), wheel('bb')] },
  { name: 'b', version: '2.0', wheels: [wheel('cc')] },
];
const plan = { python: '/usr/bin/python3', kind, folder: '/e/1', wheels: '/e/1-wheels', libraries };
const commands = (change: Partial<PythonTools>, uv = false, some = libraries): string[] =>
  buildCommands({ ...plan, kind: { ...kind, ...change }, libraries: some }, '/r.txt', uv).map(
    ({ program, args }) => [program, ...args].join(' '),
  );
const interpreter = interpreterIn('/e/1');
const safe = '--require-hashes --no-deps --no-index --find-links /e/1-wheels -r /r.txt';

describe('an environment is built', () => {
  it('with uv if the computer has it', () => {
    expect(commands({ pip: null }, true)).toEqual([
      '/usr/bin/python3 -I -m venv --without-pip /e/1',
      `uv pip install --python ${interpreter} --offline --no-config --no-cache --link-mode copy --compile-bytecode --only-binary :all: ${safe}`,
    ]);
  });

  const pip = (program: string): string =>
    `${program} install --only-binary=:all: ${safe} --no-cache-dir --no-input --disable-pip-version-check --no-warn-script-location`;

  it.each(['22.3', '23.0.1', '100.1'])('with the pip %s of its Python', (version) => {
    expect(commands({ pip: version })).toEqual([
      '/usr/bin/python3 -I -m venv --without-pip /e/1',
      pip(`/usr/bin/python3 -I -m pip --python ${interpreter}`),
    ]);
  });

  it.each(['20.3.4', '22.2.2', null])('with a pip of its own if its Python has the pip %s', (version) => {
    expect(commands({ pip: version })).toEqual([
      '/usr/bin/python3 -I -m venv /e/1',
      pip(`${interpreter} -I -m pip`),
    ]);
  });

  it('without pip if nothing is to be installed', () => {
    expect(commands({ pip: null, hasEnsurepip: false }, false, [])).toHaveLength(1);
  });

  it('not at all without pip and uv, and the error says what to install', () => {
    expect(() => commands({ pip: null, hasEnsurepip: false })).toThrow(
      '/usr/bin/python3 has no pip, and there is no uv: install one of them',
    );
  });

  it('from requirements with all hashes', () => {
    expect(requirementLines(libraries)).toBe(
      'a==1 --hash=sha256:aa --hash=sha256:bb\nb==2.0 --hash=sha256:cc\n',
    );
  });
});

it('the key of an environment is that of its lock, ABI, platform and C library', () => {
  const key = environmentKey('a'.repeat(64), kind);
  expect(environmentKey('a'.repeat(64), { ...kind, version: '3.11.9', pip: null })).toBe(key);
  const others = [
    environmentKey('b'.repeat(64), kind),
    environmentKey('a'.repeat(64), { ...kind, abi: 'cp312' }),
    environmentKey('a'.repeat(64), { ...kind, platform: 'linux-aarch64' }),
    environmentKey('a'.repeat(64), { ...kind, libc: { name: 'musl', version: '1.2' } }),
  ];
  expect(new Set([key, ...others]).size).toBe(5);
});

it.each([
  [
    'a\n  ERROR: No matching distribution found for b==2\nERROR: more',
    'ERROR: No matching distribution found for b==2',
  ],
  ['  × No solution found\n  ╰─▶ because', '× No solution found'],
  ['only this\n\n', 'only this'],
  ['', 'it ended with 1'],
])('of the output %j the reason is told: %s', (output, reason) => {
  expect(toolReason({ ok: false, reason: undefined, how: '1', output })).toBe(reason);
});
