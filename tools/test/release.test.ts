import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ledByRelease, previousRelease } from '../chaos/releases.js';
import { billPath } from '../package/bill.js';
import { ownVersion } from '../package/contents.js';
import { inTools, root } from '../shared/paths.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-release-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const versionIn = (path: string): string => (JSON.parse(text(path)) as { version: string }).version;

describe('a release', () => {
  it('has one version in every project, the lock file and the tags of images', () => {
    const projects = ['libs', 'apps'].flatMap((parent) =>
      readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
    );
    const { packages } = JSON.parse(text('package-lock.json')) as {
      packages: Record<string, { version: string }>;
    };
    const found = [
      ...['', ...projects.map((project) => `${project}/`)].map((place) => versionIn(`${place}package.json`)),
      ...['', ...projects].map((place) => packages[place]?.version),
      ...['single', 'high-availability'].flatMap((kind) =>
        [...text(`deploy/kustomize/${kind}/kustomization.yaml`).matchAll(/newTag: (\S+?) /g)].map(
          ([, tag]) => tag,
        ),
      ),
    ];
    expect(found.length).toBeGreaterThan(60);
    expect([...new Set(found)]).toEqual([ownVersion]);
  });

  it('follows the one whose programs are kept', () => {
    const { version } = previousRelease(join(folder, 'previous'));
    const [, last] = /^## (\d+\.\d+\.\d+) - /m.exec(text('CHANGELOG.md')) ?? [];
    expect(version).toBe(last);
    // `svc upgrade --check` allows the step from this release.
    expect(text('apps/cli/src/commands/operating/upgrade.ts')).toContain(`releaseBefore = '${version}'`);
  });

  it('keeps programs with their licences and their bill of materials', () => {
    const { version, agent, orchestrator } = previousRelease(join(folder, 'kept'));
    for (const [name, main] of [
      ['agent', agent],
      ['orchestrator', orchestrator],
    ] as const) {
      const home = join(folder, 'kept', name, 'opt', 'svc');
      expect(readFileSync(main, 'utf8')).toContain('import');
      expect(readFileSync(join(home, 'THIRD-PARTY.txt'), 'utf8')).toContain('(MIT)');
      const bill = JSON.parse(readFileSync(join(home, billPath), 'utf8')) as {
        metadata: { component: object };
        components: Record<string, unknown>[];
      };
      expect(bill.metadata.component).toMatchObject({ name: `svc-${name}`, version });
      expect(bill.components.map((component) => component['name'])).toEqual(
        expect.arrayContaining(['transport-node', 'zod']),
      );
      expect(readdirSync(join(home, 'apps', name))).toContain('package.json');
    }
  });

  it('keeps small archives', () => {
    const sizes = readdirSync(inTools('releases')).map(
      (name) => readFileSync(join(inTools('releases'), name)).length,
    );
    expect(sizes).toHaveLength(2);
    expect(Math.max(...sizes)).toBeLessThan(4 * 1024 ** 2);
  });
});

describe('the leaders of a run', () => {
  const line = (msg: string, epoch: number): string => JSON.stringify({ level: 'info', epoch, msg });

  it('are counted by their release, with the attempts of their terms', () => {
    const logs = [
      {
        version: '0.1.0',
        text: `== started\n${line('leading', 1)}\n${line('leads no more', 1)}\n${line('leading', 4)}\n`,
      },
      { version: '0.2.0', text: `${line('leading', 2)}\n${line('standby', 3)}\n` },
      { version: '0.2.0', text: '{"msg":"lea' },
    ];
    const attempts = [{ epoch: '1' }, { epoch: 4 }, { epoch: 4 }, { epoch: 2 }, { epoch: 3 }];
    expect(ledByRelease(logs, attempts)).toEqual({
      '0.1.0': { terms: 2, attempts: 3 },
      '0.2.0': { terms: 1, attempts: 1 },
    });
  });
});
