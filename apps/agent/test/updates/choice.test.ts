import { describe, expect, it } from 'vitest';
import { choose, compareVersions } from '../../src/updates/choice.js';

const offered = (version: string, platform = 'linux-x64') => ({
  ...{ name: `svc-agent-${version}-${platform}.tar.gz`, version, platform, size: 1, sha256: '' },
});
const packages = [
  offered('0.9.0'),
  offered('0.10.0'),
  offered('0.2.0'),
  offered('0.11.0', 'win-x64'),
  offered('0.10.0-rc.2'),
];
const of = (current: string, to?: string, failedVersion?: string) => {
  const failed =
    failedVersion === undefined ? undefined : { version: failedVersion, why: 'it crashed', at: 'noon' };
  const chosen = choose({ packages, platform: 'linux-x64', current, to, failed });
  return 'package' in chosen ? chosen.package.version : chosen.nothing;
};

describe('the version of an update', () => {
  it('is the newest for the platform', () => {
    expect(of('0.1.0')).toBe('0.10.0');
    expect(of('0.10.0-rc.2')).toBe('0.10.0');
  });

  it.each(['0.10.0', '0.12.0'])('is none when %s runs already', (current) => {
    expect(of(current)).toBe(
      `This computer runs version ${current}, and the service has no newer one for linux-x64.`,
    );
  });

  it('is an older one only when it is named', () => {
    expect(of('0.10.0', '0.2.0')).toBe('0.2.0');
    expect(of('0.10.0', '0.10.0')).toBe('This computer runs version 0.10.0 already.');
  });

  it('is not one that failed here, unless it is named', () => {
    expect(of('0.1.0', undefined, '0.10.0')).toBe('0.10.0-rc.2');
    expect(of('0.10.0-rc.2', undefined, '0.10.0')).toBe(
      'Version 0.10.0 failed here at noon: it crashed. To try it again: svc-agent update --to 0.10.0',
    );
    expect(of('0.1.0', '0.10.0', '0.10.0')).toBe('0.10.0');
  });

  it('must be offered for the platform', () => {
    expect(() => of('0.1.0', '0.11.0')).toThrow(
      'the service has no version 0.11.0 for linux-x64; it has: 0.10.0, 0.10.0-rc.2, 0.9.0, 0.2.0',
    );
    expect(() => choose({ packages: [], platform: 'p', current: '1.0.0', to: '2.0.0' })).toThrow(
      'it has: none',
    );
  });
});

it.each([
  ['1.2.3', '1.2.4'],
  ['1.2.9', '1.2.10'],
  ['1.9.0', '1.10.0'],
  ['9.0.0', '10.0.0'],
  ['1.0.0-rc.1', '1.0.0'],
  ['1.0.0-rc.9', '1.0.0-rc.10'],
  ['1.0.0-alpha', '1.0.0-beta'],
])('%s is older than %s', (older, newer) => {
  expect(compareVersions(older, newer)).toBeLessThan(0);
  expect(compareVersions(newer, older)).toBeGreaterThan(0);
  expect(compareVersions(newer, newer)).toBe(0);
});
