import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnrolmentRecord, NewInvitationRecord } from '@lab/api-client';
import type { Grant, TokenRecord } from '@lab/contracts';
import { startServiceStack, type Stack } from '@lab/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { join as joinService } from '../../../agent/src/joining/join.js';
import { svcHere, trimmed, type Ran } from '../in-process.js';

/** Commands at a service that requires tokens and has certified itself for HTTPS. */

let stack: Stack;
let folder: string;
let admin: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-access-'));
  const packages = join(folder, 'packages');
  mkdirSync(packages);
  writeFileSync(join(packages, 'svc-agent-0.1.0-linux-x64.tar.gz'), Buffer.alloc(1_572_864));
  stack = await startServiceStack({
    env: {
      ...{ SVC_AUTH: 'tokens', SVC_LABS: 'multiplication_lab', SVC_AGENT_PACKAGES: packages },
      ...{ SVC_HTTPS_CERTIFICATE: 'own', SVC_HTTPS_NAMES: '127.0.0.1' },
    },
  });
  const made = await svcHere(['token', 'create', 'root', '--role', 'admin', '--local'], {
    env: { SVC_DATA_DIR: stack.dataDir },
  });
  admin = made.out.trim();
});
afterAll(async () => {
  await stack?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Types a command on the computer of the service. */
const svcAs = async (token: string, ...args: string[]): Promise<Ran> =>
  trimmed(
    await svcHere(args, { env: { SVC_URL: stack.url, SVC_DATA_DIR: stack.dataDir, SVC_TOKEN: token } }),
  );
const svc = (...args: string[]): Promise<Ran> => svcAs(admin, ...args);

const tokenOf = async (name: string, ...more: string[]): Promise<string> =>
  (await svc('token', 'create', name, ...more)).out;

/** The cells of a table, without its header. */
const rowsOf = ({ out }: Ran): string[][] =>
  out
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/));

/** Lets a computer join with the token of an invitation, as its agent does. */
const joined = (token: string, dataDir: string, more: object = {}) =>
  joinService({ url: stack.url, token, dataDir: join(folder, dataDir), version: '0.1.0', ...more });

const invited = async (...args: string[]): Promise<NewInvitationRecord> =>
  JSON.parse((await svc('agent', 'invite', ...args, '--json')).out) as NewInvitationRecord;

describe('svc agent authority', () => {
  it('prints the fingerprint that is in every invitation', async () => {
    const { code, out } = await svc('agent', 'authority');
    expect(code).toBe(0);
    const [, fingerprint] = /^fingerprint in invitations (\S{43})$/m.exec(out) ?? [];
    expect(out).toMatch(/^laboratory .+\nSHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}\n/);
    expect(out).toMatch(/\nvalid until \d{4}-\d\d-\d\dT\S+Z$/);
    const { token } = await invited('bench_b');
    expect(token.startsWith(`svc_join_${fingerprint}.`)).toBe(true);
  });

  it('prints the authority of SVC_TLS_CA, and says in a sentence that there is none', async () => {
    const own = await svc('agent', 'authority');
    const elsewhere = { SVC_DATA_DIR: join(folder, 'nothing') };
    const given = { ...elsewhere, SVC_TLS_CA: readFileSync(join(stack.dataDir, 'ca.pem'), 'utf8') };
    expect(trimmed(await svcHere(['agent', 'authority'], { env: given }))).toEqual(own);
    expect(await svcHere(['agent', 'authority'], { env: elsewhere })).toEqual({
      ...{ code: 1, out: '' },
      err: 'There is no authority: it is made when the service first starts with SVC_HTTPS_CERTIFICATE=own.\n',
    });
  });
});

describe('the certificate of the service', () => {
  it('is refused by a computer that does not know the authority, with exit code 4', async () => {
    const env = { SVC_URL: stack.url, SVC_DATA_DIR: join(folder, 'nothing'), SVC_TOKEN: admin };
    const { code, out, err } = await svcHere(['agents'], { env });
    expect([code, out]).toEqual([4, '']);
    expect(err).toMatch(
      /^the certificate of https:\S+ is not trusted here: .*; nothing was sent\. .* SVC_TLS_CA_FILE\n$/,
    );
  });
});

describe('svc agent packages', () => {
  it('lists each package with its platform, size, address and hash', async () => {
    const { out } = await svc('agent', 'packages');
    const lines = out.split('\n').map((line) => line.trim());
    expect(lines).toEqual([
      'linux-x64, 1.5 MiB:',
      `${stack.url}/agents/packages/svc-agent-0.1.0-linux-x64.tar.gz`,
      expect.stringMatching(/^SHA-256 [0-9a-f]{64}$/) as string,
    ]);
  });
});

describe('svc agent invite', () => {
  it('prints the line for the computer, with which it joins once', async () => {
    const { code, out } = await svc(
      ...['agent', 'invite', 'bench_b', '--lab', 'multiplication_lab', '--expires', '30m'],
    );
    expect(code).toBe(0);
    const [first, , line = '', , last] = out.split('\n');
    expect(first).toMatch(/^On bench_b, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ:$/);
    expect(last).toBe('The line is a secret, and shown only now.');
    expect(line.startsWith(`svc-agent join ${stack.url} svc_join_`)).toBe(true);
    const token = line.split(' ').at(-1) ?? '';
    const { computer, validUntil } = await joined(token, 'bench_b');
    expect(computer).toBe('bench_b');
    await expect(joined(token, 'again')).rejects.toThrow();

    const [row] = rowsOf(await svc('agent', 'joined')).filter(([name]) => name === 'bench_b');
    const until = `${validUntil.slice(0, 19).replace('T', ' ')}Z`;
    expect(row).toEqual(['bench_b', 'admitted', '127.0.0.1', '0.1.0', expect.anything(), until]);

    const revoked = await svc('agent', 'revoke', 'bench_b', '--reason', 'sold');
    expect(revoked.out).toBe('bench_b is revoked and cut off; it may join again with a new invitation');
    expect(rowsOf(await svc('agent', 'joined')).map(([name]) => name)).not.toContain('bench_b');
    const [gone] = rowsOf(await svc('agent', 'joined', '--revoked')).filter(([name]) => name === 'bench_b');
    expect(gone?.[1]).toMatch(/^revoked \S+ \S+Z by root$/);
    const all = JSON.parse((await svc('agent', 'joined', '--revoked', '--json')).out) as EnrolmentRecord[];
    expect(all.find(({ computer }) => computer === 'bench_b')).toMatchObject({ reason: 'sold' });
  });

  it('takes a pattern for several computers, each of which waits for approval', async () => {
    const { id, token } = await invited('bench_*', '--uses', '2', '--approval', '--expires', '1d');
    let ask = (): void => undefined;
    const asked = new Promise<void>((resolve) => (ask = resolve));
    const joining = joined(token, 'bench_7', { computer: 'bench_7', pollMs: 100, onWaiting: ask });
    await asked;
    const stateOf = async (): Promise<string | undefined> =>
      rowsOf(await svc('agent', 'joined')).find(([name]) => name === 'bench_7')?.[1];
    expect(await stateOf()).toBe('waits for approval');
    expect(await svc('agent', 'approve', 'bench_7')).toEqual({
      ...{ code: 0, out: 'bench_7 is admitted', err: '' },
    });
    expect((await joining).computer).toBe('bench_7');
    expect(await stateOf()).toBe('admitted');
    const list = await svc('agent', 'invitations');
    expect(list.out.split('\n')[0]).toMatch(/^ID +COMPUTER +LAB +USED +EXPIRES +MADE BY$/);
    expect(rowsOf(list)).toContainEqual([id, 'bench_*', '-', '1 of 2', expect.any(String), 'root']);

    expect((await svc('agent', 'withdraw', id)).out).toBe('withdrawn: the invitation of bench_*');
    await expect(joined(token, 'bench_8', { computer: 'bench_8' })).rejects.toThrow();
    expect(rowsOf(await svc('agent', 'invitations')).map(([each]) => each)).not.toContain(id);
    await svc('agent', 'revoke', 'bench_7');
  });

  it('adds the code key of the lab to the line for the computer', async () => {
    const key = `svc_code_${'x'.repeat(43)}`;
    const { id, token, command } = await invited('bench_k', '--code-key', key);
    expect(command).toBe(`svc-agent join ${stack.url} ${token} --code-key ${key}`);
    await svc('agent', 'withdraw', id);
  });

  it.each([
    [['invite', 'bench_k', '--code-key', 'x'], 2, '--code-key must be svc_code_ and 43 characters'],
    [['invite', 'bench_*', '--uses', 'many'], 2, '--uses must be a whole number from 1'],
    [['invite', 'bench_*', '--uses', '0'], 2, '--uses must be a whole number from 1'],
    [['invite', 'bench_b', '--expires', 'soon'], 2, '"soon" is no time'],
    [['invite', 'bench_x', '--lab', 'multiplication_lab'], 3, 'bench_x'],
    [['invite', 'bench_b', '--lab', 'nowhere'], 3, 'nowhere'],
    [['withdraw', 'unknown-id'], 3, 'unknown-id'],
    [['approve', 'bench_x'], 3, 'bench_x'],
    [['revoke', 'bench_x'], 3, 'bench_x'],
  ])('refuses %j with the exit code %i and a reason', async (args, code, reason) => {
    expect(await svc('agent', ...args)).toEqual({
      ...{ code, out: '', err: expect.stringContaining(reason) as string },
    });
  });
});

describe('svc token', () => {
  const list = async (token = admin): Promise<TokenRecord[]> =>
    JSON.parse((await svcAs(token, 'token', 'list', '--json')).out) as TokenRecord[];

  it('makes a token with the roles and the lifetime that were typed', async () => {
    const token = await tokenOf(
      ...(['ada', '--role', 'viewer', 'operator:multiplication_lab', '--days', '30'] as const),
      ...['--note', 'bench', '--kind', 'personal'],
    );
    expect(token).toMatch(/^svc_pat_[\w-]{43}$/);
    const [made] = await list(token);
    const grants: Grant[] = [{ role: 'viewer' }, { role: 'operator', lab: 'multiplication_lab' }];
    expect(made).toMatchObject({ name: 'ada', grants, note: 'bench', created_by: 'root' });
    const days = (Date.parse(made?.expires_at ?? '') - Date.parse(made?.created_at ?? '')) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    const row = rowsOf(await svcAs(token, 'token', 'list')).find(([, , name]) => name === 'ada');
    expect(row?.slice(1, 4)).toEqual([`${made?.prefix}…`, 'ada', 'viewer operator:multiplication_lab']);
  });

  it('never lets the token of a service expire', async () => {
    await tokenOf('dashboard', '--role', 'viewer', '--kind', 'service');
    const rows = rowsOf(await svc('token', 'list')).filter(([, , name]) => name === 'dashboard');
    expect(rows.map((row) => row.slice(3))).toEqual([['viewer', 'never', 'never']]);
  });

  it('shows a person only tokens of their own, and refuses what their role does not permit', async () => {
    const eve = await tokenOf('eve', '--role', 'viewer');
    expect((await list(eve)).map(({ name }) => name)).toEqual(['eve']);
    const refused = await svcAs(eve, 'agent', 'invite', 'bench_b');
    expect(refused).toMatchObject({ code: 3, out: '' });
    expect(refused.err).toMatch(/role/);
    expect(await svcAs(eve, 'queue', 'pause')).toMatchObject({ code: 3, out: '' });
  });

  it('revokes one token, which is refused from then on', async () => {
    const bo = await tokenOf('bo', '--role', 'viewer');
    const [record] = await list(bo);
    expect(await svc('token', 'revoke', record?.id ?? '')).toEqual({
      ...{ code: 0, out: `revoked ${record?.prefix}… of bo`, err: '' },
    });
    expect(await svcAs(bo, 'agents')).toEqual({
      ...{ code: 3, out: '', err: expect.stringMatching(/token/) as string },
    });
    const rows = rowsOf(await svc('token', 'list')).filter(([, , name]) => name === 'bo');
    expect(rows.map((row) => row[4])).toEqual(['revoked']);
    expect((await svc('token', 'revoke', 'unknown-id')).code).toBe(3);
  });

  it('revokes all tokens of a person and says how many', async () => {
    for (const note of ['one', 'two']) await tokenOf('kim', '--role', 'viewer', '--note', note);
    await tokenOf('lee', '--role', 'viewer');
    expect((await svc('token', 'revoke-all', 'kim')).out).toBe('revoked 2 tokens');
    expect((await svc('token', 'revoke-all', 'lee')).out).toBe('revoked 1 token');
    expect((await svc('token', 'revoke-all', 'lee')).out).toBe('revoked 0 tokens');
  });

  it('is refused without a token, with a reason', async () => {
    const env = { SVC_URL: stack.url, SVC_DATA_DIR: stack.dataDir };
    expect(await svcHere(['token', 'list'], { env })).toEqual({
      ...{ code: 3, out: '', err: expect.stringMatching(/token/) as string },
    });
  });

  it.each([
    [['ada', '--role', 'boss'], 'there is no role "boss": viewer, submitter'],
    [['ada', '--role', 'viewer', '--kind', 'robot'], 'there is no kind "robot": personal or service'],
    [['ada', '--role', 'viewer', '--days', '0'], '--days must be a whole number from 1 to 3650'],
    [['ada', '--role', 'viewer', '--days', 'ten'], '--days must be a whole number from 1 to 3650'],
    [[' ada', '--role', 'viewer'], 'a name has 1 to 200 visible characters'],
    [['ada'], "required option '--role <role...>' not specified"],
  ])('create refuses %j with the exit code 2', async (args, reason) => {
    expect(await svc('token', 'create', ...args)).toEqual({
      ...{ code: 2, out: '', err: expect.stringContaining(reason) as string },
    });
  });

  it('is made without a token only where the service has its data', async () => {
    const nowhere = join(folder, 'nothing');
    const args = ['token', 'create', 'ada', '--role', 'viewer', '--local'];
    expect(await svcHere(args, { env: { SVC_DATA_DIR: nowhere } })).toEqual({
      ...{ code: 2, out: '' },
      err: `no service runs on the data folder ${nowhere}: start it, or set SVC_DATABASE_URL\n`,
    });
    const address = readFileSync(join(stack.dataDir, 'secrets', 'database-gateway-url'), 'utf8').trim();
    const made = await svcHere(args, { env: { SVC_DATA_DIR: nowhere, SVC_DATABASE_URL: address } });
    expect((await list(made.out.trim())).map(({ name }) => name)).toContain('ada');
  });
});
