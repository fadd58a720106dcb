import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handOut } from '../../apps/cli/src/keys/index.js';
import { OwnAuthority } from '../../apps/cli/src/stack/own-authority.js';
import { serviceDeclarations } from '../../apps/cli/src/stack/services.js';
import { root } from '../../tools/shared/paths.js';
import { entryOf } from './dockerfile.js';

const folder = join(root, 'deploy', 'systemd');
const units = readdirSync(folder).filter((name) => name.endsWith('.service'));
/** The unit and the folder of secrets of each process, by the name of its image. */
const processes = {
  gateway: { unit: 'svc-gateway.service', secrets: 'gateway' },
  orchestrator: { unit: 'svc-orchestrator.service', secrets: 'orchestrator' },
  optimizer: { unit: 'svc-optimizer.service', secrets: 'optimizer' },
  agent: { unit: 'svc-computer.service', secrets: 'agent' },
};
/** Worst exposure of a unit for `systemd-analyze security`, in tenths. */
const worst = 20;

const text = (unit: string): string => readFileSync(join(folder, unit), 'utf8');
const all = (unit: string, key: string): string[] =>
  [...text(unit).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'units-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('the units of systemd', () => {
  it.each(Object.entries(processes))('start the %s as its image does', (name, { unit }) => {
    expect(all(unit, 'ExecStart')).toEqual([['/usr/bin/node', ...entryOf(name)].join(' ')]);
  });

  it('give each process the secrets that `svc keys hand-out` writes for it, and the address of its database', async () => {
    await OwnAuthority.kept(join(place, 'data'));
    await handOut(join(place, 'data'), join(place, 'out'), 'svc_computer');
    for (const [name, { unit, secrets }] of Object.entries(processes)) {
      const named = all(unit, 'Environment')
        .map((each) => each.split('=')[1] ?? '')
        .filter((path) => path.startsWith('/etc/svc/') && path !== '/etc/svc/config.yml');
      const handed = readdirSync(join(place, 'out', name));
      const withDatabase = ['gateway', 'orchestrator'].includes(name) ? [...handed, 'database-url'] : handed;
      expect(named.sort()).toEqual(withDatabase.map((file) => `/etc/svc/${secrets}/${file}`).sort());
    }
  });

  it('run each process as a user of its own, who is made and can read no secrets but its own', () => {
    const users = units.flatMap((unit) => all(unit, 'User'));
    expect(new Set(users).size).toBe(units.length);
    const made = [...text('svc.sysusers').matchAll(/^u (\S+)/gm)].map(([, user]) => user);
    expect(made.sort()).toEqual(users.sort());
    for (const { unit, secrets } of Object.values(processes)) {
      const [user = ''] = all(unit, 'User');
      expect(text('svc.tmpfiles')).toMatch(new RegExp(`^d /etc/svc/${secrets} +0750 root ${user} `, 'm'));
      expect(text('svc.tmpfiles')).toMatch(new RegExp(`^z /etc/svc/${secrets}/\\* +0640 root ${user} `, 'm'));
    }
  });

  it('give each process more time to stop than it needs', () => {
    for (const { name, stopMs } of serviceDeclarations)
      expect(Number(all(processes[name].unit, 'TimeoutStopSec')) * 1_000).toBeGreaterThan(stopMs);
    // The parts of `svc start` stop one after the other, in four steps, before the servers.
    const sum = [...new Map(serviceDeclarations.map((each) => [each.stopOrder, each.stopMs])).values()];
    const seconds = sum.reduce((total, each) => total + each, 0) / 1_000;
    expect(Number(all('svc.service', 'TimeoutStopSec'))).toBeGreaterThan(seconds + 17);
  });

  it('contain no secret, only paths of secrets', () => {
    for (const unit of units)
      for (const value of all(unit, 'Environment'))
        if (/KEY|SECRET|DATABASE|CREDENTIALS|ISSUER/.test(value)) expect(value).toMatch(/_FILE=\/etc\/svc\//);
  });

  it('are accepted by systemd, which finds little that a process could do beyond its work', () => {
    const found = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
    if (found.status !== 0) {
      console.log('There is no systemd-analyze here, so nothing verifies the units.');
      expect(existsSync('/run/systemd/system')).toBe(false);
      return;
    }
    for (const unit of units) {
      cpSync(join(folder, unit), join(place, unit));
      // The programs need not be installed where the units are verified.
      writeFileSync(
        join(place, unit),
        text(unit).replace(/^(ExecStart=)\S+/m, (_, key: string) => `${key}${process.execPath}`),
      );
    }
    const paths = units.map((unit) => join(place, unit));
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' });
    expect([verified.stdout, verified.stderr, verified.status]).toEqual(['', '', 0]);
    for (const path of paths) {
      const args = ['security', '--offline=true', `--threshold=${worst}`, '--no-pager', path];
      const judged = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      expect([path, judged.status, judged.stderr]).toEqual([path, 0, '']);
    }
  }, 60_000);
});
