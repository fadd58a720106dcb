import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchdAgent, scheduledTask, systemdSystemUnit, systemdUserUnit } from '../../src/service/index.js';

const odd = '/opt/50% "off" & <b>/svc-agent';
const installation = { launcher: '/opt/svc-agent/svc-agent', data: '/home/ann/data', home: '/home/ann' };
const units = [
  ['a user', systemdUserUnit(installation)],
  ['the computer', systemdSystemUnit(installation)],
  ['the computer with a user for code', systemdSystemUnit(installation, { user: 'svc-code', group: 'lab' })],
] as const;
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('a unit of systemd', () => {
  it.each(units)('for %s gives the agent alone the signal, and time to clean up', (_, { text }) => {
    expect(text).toContain('\nKillMode=mixed\nTimeoutStopSec=70\n');
    expect(text).toContain('\nExecStart=/opt/svc-agent/svc-agent run --data ');
    // The compiler of Node writes code into memory.
    expect(text).not.toContain('MemoryDenyWriteExecute');
  });

  it('names the folders of its user, and those of the system', () => {
    expect(units[0][1]).toMatchObject({ path: '/home/ann/.config/systemd/user/svc-agent.service' });
    expect(units[0][1].text).toContain(' run --data /home/ann/data\n');
    expect(units[1][1]).toMatchObject({ path: '/etc/systemd/system/svc-agent.service' });
    expect(units[1][1].text).toContain(' run --data /var/lib/svc-agent\n');
    expect(systemdUserUnit(installation, '/cfg').path).toBe('/cfg/systemd/user/svc-agent.service');
  });

  it('keeps letters that have a meaning in a command line of systemd', () => {
    const { text } = systemdSystemUnit({ launcher: odd });
    expect(text).toContain(String.raw`ExecStart="/opt/50%% \"off\" & <b>/svc-agent" run`);
  });

  it('of an agent whose code runs as another user lets it become this user, and gives it the folder of the data', () => {
    const { text, install } = units[2][1];
    expect(text).toContain('\nUser=svc-agent\nSupplementaryGroups=lab\n');
    expect(text).toContain('\nAmbientCapabilities=CAP_SETUID CAP_SETGID CAP_KILL\n');
    expect(text).toContain('\nEnvironment=SVC_CODE_USER=svc-code\n');
    // It sees the processes of the user, and gives folders the group of both.
    expect(text).not.toMatch(/ProtectProc|RestrictSUIDSGID|DynamicUser/);
    expect(install.map((command) => command.join(' '))).toContain(
      'install -d -o svc-agent -g lab -m 0710 /var/lib/svc-agent',
    );
    for (const [, unit] of units.slice(0, 2)) expect(unit.text).toContain('\nRestrictSUIDSGID=yes\n');
  });

  it.runIf(hasSystemd)(
    'of an agent whose code runs as another user allows the system calls of setpriv',
    () => {
      const allowed = allowedCalls(units[2][1].text);
      // As traced: strace -f setpriv --reuid ... --no-new-privs, and chown and chmod of Node.
      const needed = [
        'setresuid',
        'setresgid',
        'setgroups',
        'capset',
        'prctl',
        'chown',
        'chmod',
        'kill',
        'setsid',
      ];
      expect(needed.filter((call) => !allowed.has(call))).toEqual([]);
      expect(
        ['capset', 'setresuid', 'chown'].filter((call) => allowedCalls(units[1][1].text).has(call)),
      ).toEqual([]);
    },
  );

  it.runIf(hasSystemd).each([
    [2, units[1][1]],
    [3, units[2][1]],
  ])('of the computer has an exposure of at most %d for systemd-analyze', (most, { text }) => {
    const folder = mkdtempSync(join(tmpdir(), 'lab-unit-'));
    try {
      const path = join(folder, 'svc-agent.service');
      writeFileSync(path, text);
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', path], {
        encoding: 'utf8',
      });
      const [, exposure] = /exposure level for svc-agent.service: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number(exposure)).toBeLessThanOrEqual(most);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** System calls that the lines `SystemCallFilter=` of a unit allow, of which the first is a list of what is allowed. */
function allowedCalls(text: string): Set<string> {
  const allowed = new Set<string>();
  for (const [, not, words = ''] of text.matchAll(/^SystemCallFilter=(~?)(.*)$/gm))
    for (const call of words.split(' ').flatMap(callsOf)) {
      if (not === '~') allowed.delete(call);
      else allowed.add(call);
    }
  return allowed;
}

function callsOf(word: string): string[] {
  if (!word.startsWith('@')) return [word];
  const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager', word], {
    encoding: 'utf8',
  });
  const lines = stdout.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && line !== word && !line.startsWith('#')).flatMap(callsOf);
}

it('a launch agent of macOS restarts the agent after a failure, and gives it time to clean up', () => {
  const { path, text, install, uninstall } = launchdAgent({ ...installation, launcher: odd }, 501);
  expect(path).toBe('/home/ann/Library/LaunchAgents/svc-agent.plist');
  expect(text).toContain('<key>ExitTimeOut</key><integer>70</integer>');
  expect(text).toContain('<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>');
  expect(text).toContain(
    '<string>/opt/50% &quot;off&quot; &amp; &lt;b&gt;/svc-agent</string><string>run</string>',
  );
  expect(install).toEqual([['launchctl', 'bootstrap', 'gui/501', path]]);
  expect(uninstall).toEqual([['launchctl', 'bootout', 'gui/501/svc-agent']]);
});

it('a task of Windows needs no administrator, has no time limit, and is stopped in order before it is removed', () => {
  const data = String.raw`C:\Users\ann & co\svc-agent`;
  const plan = scheduledTask({ launcher: String.raw`C:\agent\svc-agent.cmd`, data }, String.raw`LAB\ann`);
  expect(plan.encoding).toBe('utf16le');
  expect(plan.text).toContain('<RunLevel>LeastPrivilege</RunLevel>');
  expect(plan.text).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>');
  expect(plan.text).toContain(String.raw`<UserId>LAB\ann</UserId>`);
  expect(plan.text).toContain(
    String.raw`<Arguments>run --data &quot;C:\Users\ann &amp; co\svc-agent&quot;</Arguments>`,
  );
  const path = String.raw`C:\Users\ann & co\svc-agent\svc-agent.xml`;
  expect(plan.install[0]).toEqual(['schtasks', '/create', '/tn', 'svc-agent', '/xml', path, '/f']);
  expect(plan.uninstall[0]).toEqual([String.raw`C:\agent\svc-agent.cmd`, 'stop', '--data', data]);
});
