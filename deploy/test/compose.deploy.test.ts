import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../tools/shared/paths.js';
import { folder, services } from './compose.js';

describe('the script that makes the secrets', () => {
  let place: string;
  const run = (): string =>
    execFileSync('sh', [join(folder, 'setup.sh')], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        NAME: 'lab-server',
        SVC_PROGRAM: join(root, 'apps', 'cli', 'bin', 'svc.mjs'),
        SVC_DATA_DIR: join(place, 'keys'),
        SECRETS: join(place, 'secrets'),
      },
    });
  const files = (): string[] =>
    readdirSync(join(place, 'secrets'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.includes('/'),
    );
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'svc-compose-'));
    run();
  }, 60_000);
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('writes each file that a container names, and no other', () => {
    const named = services.flatMap(([, { environment = {}, volumes = [] }]) => {
      const mounts = volumes.flatMap((each) => {
        const [from = '', to = ''] = each.split(':');
        return from.startsWith('./secrets/') ? [[from.slice('./secrets/'.length), to] as const] : [];
      });
      const paths = Object.values(environment)
        .map(String)
        .filter((value) => value.startsWith('/run/secrets/'));
      return paths.map((path) => {
        const [from, to] = mounts.find(([, target]) => path.startsWith(`${target}/`)) ?? ['?', ''];
        return path.replace(to, from);
      });
    });
    // The broker names its files in its configuration, and the database reads its roles at the first start.
    const others = ['broker/ca.pem', 'broker/certificate.pem', 'broker/key.pem', 'broker/nats.conf'];
    const all = [...named, ...others, 'database/roles.sql', 'https/ca.pem'];
    expect(files().sort()).toEqual([...new Set(all)].sort());
  });

  it('keeps keys and passwords when it is typed again, and renews the certificates', () => {
    const read = (path: string): string => readFileSync(join(place, 'secrets', path), 'utf8');
    const all = files();
    const before = new Map(all.map((path) => [path, read(path)]));
    run();
    const changed = all.filter((path) => read(path) !== before.get(path));
    // The configuration of the broker is signed anew for the same keys.
    const renewed = ['broker', 'https'].flatMap((each) => [`${each}/certificate.pem`, `${each}/key.pem`]);
    expect(changed.sort()).toEqual([...renewed, 'broker/nats.conf'].sort());
  }, 60_000);
});
