import type { AcceptedVersion, ActivePackage } from '@lab/persistence';
import { beforeEach, describe, expect, it } from 'vitest';
import { VersionDeletion } from '../../src/definitions/version-deletion.js';

/** Which versions the leader deletes, over a store in memory. */

type Parts = ConstructorParameters<typeof VersionDeletion>[0];

let stored: AcceptedVersion[];
let active: ActivePackage[];
let work: Record<string, string[]>;
let removed: [string, string, string][];
let forgotten: string[];
/** Code modules of the devices of the loaded laboratory "wet". */
let loaded: string[];
let onRemoval: () => void;

const version = (name: string, sha256: string, modules: string[] = []): AcceptedVersion => ({
  ...{ package: name, sha256, size: 3, labs: ['wet'], modules },
});
const activation = (more: Partial<ActivePackage> = {}): ActivePackage => ({
  ...{ package: 'p', sha256: '5', previous: '3', commit: null, waiting: null },
  ...more,
});

beforeEach(() => {
  // Newest first, as the store lists them.
  stored = ['5', '4', '3', '2', '1'].map((sha256) => version('p', sha256, [`module ${sha256}`]));
  [active, work, removed, forgotten, loaded] = [[activation()], {}, [], [], []];
  onRemoval = () => undefined;
});

function deletion(): VersionDeletion {
  const devices = () => new Map(loaded.map((hash) => [hash, { module: { hash } }]));
  const parts = {
    epoch: 7,
    loading: {
      alone: <T>(act: () => Promise<T>): Promise<T> => act(),
      get current() {
        return { labs: new Map([['wet', { devices: devices() }]]) };
      },
    },
    cache: { forget: (sha256: string) => Promise.resolve(void forgotten.push(sha256)) },
    versions: {
      accepted: (name?: string) =>
        Promise.resolve(stored.filter((each) => name === undefined || each.package === name)),
      active: () => Promise.resolve(active),
      workWith: (modules: string[]) => Promise.resolve(modules.flatMap((module) => work[module] ?? [])),
      remove: (_epoch: number, { sha256 }: AcceptedVersion, by: string, reason: string) => {
        removed.push([sha256, by, reason]);
        stored = stored.filter((each) => each.sha256 !== sha256);
        onRemoval();
        return Promise.resolve();
      },
    },
  };
  return new VersionDeletion(parts as unknown as Parts);
}
const remove = (sha256: string, deploy: string[] | 'all' = 'all') =>
  deletion().remove({ name: 'p', sha256, deploy }, 'ada');

describe('a person', () => {
  it('deletes a version that nothing needs, with its folder', async () => {
    expect(await remove('2', ['wet'])).toEqual({ package: 'p', sha256: '2', size: 3 });
    expect([removed, forgotten]).toEqual([[['2', 'ada', 'a person asked for it']], ['2']]);
  });

  it('needs the role for each laboratory that the version concerned', async () => {
    await expect(remove('2', ['dry'])).rejects.toMatchObject({ code: 'forbidden' });
    expect(removed).toEqual([]);
  });

  it.each<[string, string, () => void, string]>([
    ['the active version', '5', () => undefined, 'it is active'],
    ['the version before', '3', () => undefined, 'it was active before, so that a rollback leads to it'],
    [
      'a version that waits',
      '4',
      () => (active = [activation({ waiting: { sha256: '4', by: 'ci', labs: [] } })]),
      'it becomes active when work has ended',
    ],
    [
      'code of a loaded device',
      '2',
      () => loaded.push('module 2'),
      'devices of the laboratory wet run its code',
    ],
    [
      'code of work',
      '2',
      () => (work = { 'module 2': ['campaign sweep', 'task t'] }),
      'campaign sweep needs its code; task t needs its code',
    ],
  ])('does not delete %s', async (_, sha256, given, why) => {
    given();
    await expect(remove(sha256)).rejects.toMatchObject({
      code: 'wrong_state',
      message: `The version ${sha256} of p stays: ${why}.`,
    });
    expect([removed, forgotten]).toEqual([[], []]);
  });

  it('is told of a version that is not there', async () => {
    await expect(remove('9')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the service', () => {
  it('keeps the newest versions of each package, and older ones that something needs', async () => {
    stored.push(version('q', '8'), version('q', '7'), version('q', '6'));
    work = { 'module 1': ['protocol run r'] };
    expect(await deletion().removeOld(2)).toEqual([
      { package: 'p', sha256: '2', size: 3 },
      { package: 'q', sha256: '6', size: 3 },
    ]);
    expect(removed).toEqual(
      ['2', '6'].map((sha256) => [sha256, 'service', 'retention.keep_package_versions is 2']),
    );
    expect(await deletion().removeOld(2)).toEqual([]);
  });

  it('looks again before each deletion', async () => {
    // While it deletes, a person activates an older version.
    onRemoval = () => (active = [activation({ sha256: '2', previous: '5' })]);
    expect((await deletion().removeOld(1)).map(({ sha256 }) => sha256)).toEqual(['4', '3', '1']);
  });
});
