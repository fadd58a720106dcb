import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CodeUser, NpmPackages } from '@lab/hosting';
import { codeGid, codeUid, codeUser, demandRoot } from './as-root.js';

/** Folders that an agent shares with the user of author code. */

beforeAll(demandRoot);

let folder: string;
let user: CodeUser;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-code-folders-'));
  chmodSync(folder, 0o755);
  user = CodeUser.find(codeUser);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const ofCode = (path: string): void => chownSync(path, codeUid, codeGid);

describe('a folder that the code may write in', () => {
  it('is removed with all that the code has left, also with what it has closed', async () => {
    const own = join(folder, 'task');
    user.share(own, 'write');
    const closed = join(own, 'closed');
    mkdirSync(join(closed, 'in'), { recursive: true });
    writeFileSync(join(closed, 'in', 'file'), 'x');
    for (const path of [join(closed, 'in', 'file'), join(closed, 'in'), closed]) ofCode(path);
    for (const path of [join(closed, 'in'), closed]) chmodSync(path, 0o000);
    // What the agent has put there.
    writeFileSync(join(own, 'input'), 'x', { mode: 0o600 });
    await user.remove(own);
    expect(existsSync(own)).toBe(false);
    await user.remove(own);
  });

  it('is removed with the rights of the code, so that nothing else is deleted with it', async () => {
    const own = join(folder, 'task');
    user.share(own, 'write');
    const secret = join(folder, 'secret');
    mkdirSync(secret);
    writeFileSync(join(secret, 'ledger'), 'x');
    symlinkSync(secret, join(own, 'link'));
    // As if the code had exchanged a folder for one of the agent at the last moment.
    mkdirSync(join(own, 'exchanged'));
    writeFileSync(join(own, 'exchanged', 'ledger'), 'x');
    await expect(user.remove(own)).rejects.toThrow(`${codeUser} cannot empty ${own}: find: `);
    expect(readFileSync(join(own, 'exchanged', 'ledger'), 'utf8')).toBe('x');
    expect(readFileSync(join(secret, 'ledger'), 'utf8')).toBe('x');
  });

  it('from before there was such a user is removed by the agent', async () => {
    const old = join(folder, 'old');
    mkdirSync(old, { mode: 0o700 });
    writeFileSync(join(old, 'file'), 'x');
    await user.remove(old);
    expect(existsSync(old)).toBe(false);
  });
});

describe('npm packages for the code', () => {
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };

  /** An npm that runs the given shell commands after it has installed the package. */
  function standIn(commands: string): NpmPackages {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const text = `#!/bin/sh
mkdir -p node_modules/is-number "$npm_config_cache/x"
echo '{"version":"7.0.0"}' > node_modules/is-number/package.json
${commands}
`;
    writeFileSync(join(bin, 'npm'), text, { mode: 0o755 });
    vi.stubEnv('npm_execpath', '');
    vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
    const place = join(folder, 'packages');
    user.share(place, 'read');
    return new NpmPackages(place, log, { user });
  }

  it('are installed by that user, who cannot write beside them', async () => {
    const place = await standIn('id -u > node_modules/uid; cat package.json > node_modules/seen').install([
      'is-number@7.0.0',
    ]);
    expect(readFileSync(join(place, 'node_modules', 'uid'), 'utf8').trim()).toBe(String(codeUid));
    expect(JSON.parse(readFileSync(join(place, 'node_modules', 'seen'), 'utf8'))).toMatchObject({
      dependencies: { 'is-number': '7.0.0' },
    });
    for (const path of [place, join(place, 'modules')]) {
      const { uid, gid, mode } = await stat(path);
      expect({ uid, gid, mode: mode & 0o7777 }, path).toEqual({ uid: 0, gid: codeGid, mode: 0o2750 });
    }
    expect(await readdir(join(folder, 'packages'))).toHaveLength(1);
  });

  it('are refused when an install script leads the agent to write elsewhere', async () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    const installed = standIn(`ln -s ${elsewhere} modules`).install(['is-number@7.0.0']);
    await expect(installed).rejects.toThrow('an install script of the npm packages has made modules');
    expect((await stat(elsewhere)).mode & 0o7777).toBe(0o700);
    expect(await readdir(join(folder, 'packages'))).toEqual([]);
  });
});
