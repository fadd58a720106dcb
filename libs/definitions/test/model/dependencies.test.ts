import { describe, expect, it } from 'vitest';
import {
  dependenciesOf,
  dependencyLine,
  isExactVersion,
  isPackageName,
  splitDependency,
} from '../../src/model/dependencies.js';

describe('the dependencies of a module', () => {
  it.each([[['serialport@12.0.0']], [['@serialport/parser@1.0.0-beta.2', 'usb@2.11.0']]])(
    '%j are found in the source line',
    (dependencies) => {
      expect(dependenciesOf(`${dependencyLine(dependencies)}\nexport default 1;\n`)).toEqual(dependencies);
      expect(dependenciesOf(dependencyLine(dependencies))).toEqual(dependencies);
    },
  );

  it.each(['', 'export default 1;\n', `export {};\n${dependencyLine(['usb@1.0.0'])}\n`, '// devices/a.ts\n'])(
    'are absent in %j',
    (text) => {
      expect(dependenciesOf(text)).toEqual([]);
    },
  );

  it.each([
    'usb@1.0.0',
    '[]',
    '["usb"]',
    '["usb@^1.0.0"]',
    '["../usb@1.0.0"]',
    '["--omit@1.0.0"]',
    '[7]',
    '{}',
  ])('with the text %s are refused', (list) => {
    expect(() => dependenciesOf(`// svc:dependencies ${list}\n`)).toThrow('its first line');
  });

  it('have a name and a version', () => {
    expect(splitDependency('@a/b@1.0.0')).toEqual({ name: '@a/b', version: '1.0.0' });
  });
});

describe('the name of an npm package', () => {
  it.each(['usb', '@serialport/bindings-cpp', 'lodash.get', 'JSONStream'])('may be %s', (name) => {
    expect(isPackageName(name)).toBe(true);
  });
  it.each(['', '.', '../usb', '-g', '@a', 'a/b', 'a b', 'a@1', '@a/b/c', 'https://x', 'x'.repeat(215)])(
    'cannot be %j',
    (name) => {
      expect(isPackageName(name)).toBe(false);
    },
  );
});

describe('an exact version', () => {
  it.each(['1.0.0', '0.10.2', '1.0.0-rc.1'])('is %s', (version) => {
    expect(isExactVersion(version)).toBe(true);
  });
  it.each(['', '1', '1.0', '^1.0.0', '~1.0.0', '1.x.0', '01.0.0', 'latest', 'file:x', '1.0.0 - 2.0.0'])(
    'is not %j',
    (version) => {
      expect(isExactVersion(version)).toBe(false);
    },
  );
});
