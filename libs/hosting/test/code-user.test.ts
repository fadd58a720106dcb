import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { CodeUser, launchAs, type Account } from '../src/code-user.js';

const account: Account = { name: 'svc-code', uid: 991, gid: 992, home: '/nonexistent' };
const programs = { sh: '/usr/bin/sh', setpriv: '/usr/bin/setpriv' };
const own = {
  program: '/opt/node',
  args: ['host.js', 'a b'],
  env: { PATH: '/opt/bin', LANG: 'C', HOME: '/root' },
};

describe('the launch of a program as another user', () => {
  it('sets user and groups, takes all capabilities, and forbids to get others', () => {
    const { program, args } = launchAs(account, programs, false, own);
    expect([program, ...args]).toEqual([
      ...['/usr/bin/sh', '-c', 'umask 007 && exec "$@"', 'sh'],
      ...['/usr/bin/setpriv', '--reuid', '991', '--regid', '992', '--init-groups'],
      ...['--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs', '--', '/opt/node', 'host.js', 'a b'],
    ]);
  });

  it('of root drops the bounding set of capabilities too', () => {
    expect(launchAs(account, programs, true, own).args).toContain('--bounding-set=-all');
  });

  it('has the home and the name of that user, and a PATH if there was none', () => {
    const { env } = launchAs(account, programs, false, own);
    expect(env).toEqual({
      PATH: '/opt/bin',
      LANG: 'C',
      HOME: '/nonexistent',
      USER: 'svc-code',
      LOGNAME: 'svc-code',
    });
    expect(launchAs(account, programs, false, { ...own, env: {} }).env['PATH']).toBe(
      '/usr/bin:/bin:/usr/sbin:/sbin',
    );
  });

  it.each([
    ['HTTPS_PROXY', 'http://ann:secret@proxy:3128', 'http://proxy:3128'],
    ['https_proxy', 'ann:secret@proxy:3128', 'proxy:3128'],
    ['SOURCES', 'https://a:b@one/x https://c@two/y', 'https://one/x https://two/y'],
    ['MAIL', 'ann@example.org', 'ann@example.org'],
    ['DATA', 'file:///a/b@c', 'file:///a/b@c'],
  ])('has %s without a login', (name, value, expected) => {
    const { env } = launchAs(account, programs, false, { ...own, env: { [name]: value } });
    expect(env[name]).toBe(expected);
  });

  it('replaces the shell and setpriv, so that the process keeps its number', () => {
    // The launch itself, with a program in the place of setpriv that only skips its options.
    const skip = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';
    const script = { program: '/bin/sh', args: ['-c', 'echo $$; umask'], env: {} };
    const { args } = launchAs(account, { sh: 'sh', setpriv: 'SETPRIV' }, false, script);
    const at = args.indexOf('SETPRIV');
    const real = [...args.slice(0, at), '/bin/sh', '-c', skip, 'sh', ...args.slice(at + 1)];
    const { pid, stdout } = spawnSync('/bin/sh', real, { encoding: 'utf8' });
    expect(stdout).toBe(`${pid}\n0007\n`);
  });
});

describe('another user for code', () => {
  it.each(['win32', 'darwin'])('is refused on %s, and not replaced by the user of the agent', (platform) => {
    expect(() => CodeUser.find('svc-code', platform)).toThrow(
      `SVC_CODE_USER works on Linux only, and this is ${platform}; remove it, and the code of devices and tasks runs as the user of the agent`,
    );
  });

  it.runIf(process.platform === 'linux')(
    'is refused when this computer has no such user, or it is root',
    () => {
      expect(() => CodeUser.find('svc-nobody-here')).toThrow(
        'SVC_CODE_USER names svc-nobody-here, and this computer has no such user; make it: useradd --system --user-group svc-nobody-here',
      );
      expect(() => CodeUser.find('root')).toThrow('SVC_CODE_USER must not be root');
    },
  );
});
