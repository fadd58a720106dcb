import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { isProven, joinText } from '@lab/trust/agent-key';
import { makeCertificateAuthority } from '@lab/trust/certificates';
import { partsOf } from '@lab/trust/nkeys';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { join } from '../../src/joining/index.js';
import { StandIn } from './stand-in.js';

let folder: string;
const standIns: StandIn[] = [];
beforeEach(() => void (folder = mkdtempSync(pathOf(tmpdir(), 'lab-impostor-'))));
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all(standIns.splice(0).map((each) => each.stop()));
});

const standIn = async (options: Parameters<typeof StandIn.start>[0] = {}): Promise<StandIn> => {
  const started = await StandIn.start(options);
  standIns.push(started);
  return started;
};
const joining = ({ url, token }: { url: string; token: string }, more: object = {}) =>
  join({ url, token, dataDir: folder, version: '1.2.3', pollMs: 20, ...more });
const failure = (...given: Parameters<typeof joining>): Promise<string> =>
  joining(...given).then(
    () => 'joined',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe('somebody between the computer and the service', () => {
  it('gets nothing by adding an authority of its own to the one of the service', async () => {
    const service = await standIn();
    const own = await makeCertificateAuthority('in between', Date.now());
    const trusted = own.certificate.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE');
    const old = own.certificate.replaceAll('CERTIFICATE', 'X509 CERTIFICATE');
    for (const added of [own.certificate, trusted, old]) {
      const between = await standIn({ authority: own, sends: `${service.authority.certificate}${added}` });
      await expect(joining({ url: between.url, token: service.token })).rejects.toThrow();
      expect(between.paths).toEqual(['/agents/ca']);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('gets no secret by sending the certificate of the authority that did not certify it', async () => {
    const service = await standIn();
    const between = await standIn({ sends: service.authority.certificate });
    const said = await failure({ url: between.url, token: service.token });
    expect(said).toMatch(/cannot be reached: .*certificate.* "svc-agent doctor https:/);
    expect(between.paths).toEqual(['/agents/ca']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gets no secret when the computer shall trust what its system trusts', async () => {
    const between = await standIn();
    const token = between.token.replace(/join_[^.]+/, 'join_system');
    expect(await failure({ url: between.url, token })).toMatch(/cannot be reached: .*certificate/);
    expect(between.paths).toEqual([]);
  });
});

describe('a server that is not the service', () => {
  it.each([
    ['a page in place of a certificate', '/agents/ca', { body: '<html>' }, 'it sends no certificate'],
    [
      'that it has no authority',
      '/agents/ca',
      { status: 404, body: { detail: 'None here.' } },
      'reached: None here.',
    ],
    [
      'an answer without end',
      '/agents/ca',
      { body: 'x'.repeat(300_000) },
      'too long to be one of the gateway',
    ],
    [
      'a page in place of credentials',
      '/agents/join',
      { body: '<html>' },
      'is not the service: it sends no JSON',
    ],
    [
      'other JSON',
      '/agents/join',
      { body: { computer: 'b' } },
      'is not the service: its answer admits no agent',
    ],
    [
      'a failure in other words',
      '/agents/join',
      { status: 500, body: 'oops' },
      'the gateway answers with status 500',
    ],
  ])('that sends %s is named in one sentence', async (_what, path, answer, sentence) => {
    const server = await standIn();
    server.answers[path] = () => answer;
    const said = await failure(server);
    expect(said).toContain(sentence);
    expect(said).not.toContain('\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that ends the connection is one that cannot be reached', async () => {
    const server = await standIn();
    server.answers['/agents/join'] = () => 'broken';
    expect(await failure(server)).toContain(
      `${server.url} cannot be reached: socket hang up. "svc-agent doctor`,
    );
  });
});

describe('a refusal of the service', () => {
  it('is printed as the service says it, with all faults and hints', async () => {
    const service = await standIn();
    const errors = [{ path: 'computer', message: 'the token is for b', hint: 'join without a name' }];
    service.answers['/agents/join'] = () => ({ status: 422, body: { detail: 'It cannot join.', errors } });
    expect(await failure(service)).toBe('It cannot join. the token is for b (join without a name)');
  });
});

describe('the request to join', () => {
  it('proves the key, and the private key stays on the computer', async () => {
    const service = await standIn();
    await joining(service);
    const [, sent = {}] = service.asked.find(([path]) => path === '/agents/join') ?? [];
    expect(sent).toEqual({
      ...{ id: 'AAAAAAAAAAAA', secret: 'S'.repeat(43), version: '1.2.3' },
      ...{ key: expect.any(String) as string, proof: expect.any(String) as string },
    });
    const { key, proof } = sent as { key: string; proof: string };
    expect(isProven(key, joinText('AAAAAAAAAAAA', key), proof)).toBe(true);
    const { seed } = partsOf(readFileSync(pathOf(folder, 'agent.creds'), 'utf8'));
    expect(JSON.stringify(service.asked)).not.toContain(seed);
  });

  it('goes to the server of the address, whatever path was pasted with it', async () => {
    const service = await standIn();
    await joining({ url: `${service.url}/computers/?from=mail`, token: ` ${service.token}\n` });
    expect(service.paths).toEqual(['/agents/ca', '/agents/join']);
    const { env } = JSON.parse(readFileSync(pathOf(folder, 'joined.json'), 'utf8')) as { env: object };
    expect(env).toMatchObject({ SVC_GATEWAY_URL: service.url });
  });
});

describe('a computer that waits for approval', () => {
  it('goes on waiting while the service starts again, with the same key', async () => {
    const service = await standIn();
    const waiting = { status: 202, body: {} };
    const unavailable = { status: 503, body: { detail: 'The service is starting.' } };
    const answers = [waiting, 'broken', unavailable, waiting] as const;
    let asked = 0;
    service.answers['/agents/join'] = ({ key }) => answers[asked++] ?? service.admission(key, 'bench_a');
    let told = 0;
    expect(await joining(service, { onWaiting: () => (told += 1) })).toMatchObject({ computer: 'bench_a' });
    expect([asked, told]).toEqual([5, 1]);
    const keys = service.asked.flatMap(([, { key }]) => (key === undefined ? [] : [key]));
    expect(new Set(keys).size).toBe(1);
  });

  it('gives up when an administrator refuses it, or the person at the PC does', async () => {
    const service = await standIn();
    const refusal = { status: 403, body: { detail: 'This key is not accepted any more.' } };
    let asked = 0;
    service.answers['/agents/join'] = () => (asked++ === 0 ? { status: 202, body: {} } : refusal);
    expect(await failure(service)).toBe('This key is not accepted any more.');
    service.answers['/agents/join'] = () => ({ status: 202, body: {} });
    const { signal, ...stop } = controller();
    expect(await failure(service, { signal, onWaiting: stop.now })).toContain('aborted');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the data folder', () => {
  it('is made for this user alone', async () => {
    const dataDir = pathOf(folder, 'new', 'data');
    await joining(await standIn(), { dataDir });
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it('that cannot be made costs no token', async () => {
    const service = await standIn();
    writeFileSync(pathOf(folder, 'file'), '');
    const dataDir = pathOf(folder, 'file', 'data');
    const said = await failure(service, { dataDir });
    expect(said).toContain(`The data folder ${dataDir} cannot be written: ENOTDIR`);
    expect(said).toContain('The token was not used: let this user write there');
    expect(service.paths).toEqual(['/agents/ca']);
  });

  it.runIf(existsSync('/dev/full'))('on a full disk costs no token, and keeps no draft', async () => {
    const service = await standIn();
    symlinkSync('/dev/full', pathOf(folder, `joined.json.${process.pid}.draft`));
    const said = await failure(service);
    expect(said).toMatch(/ENOSPC.* The token was not used: make room on its disk, then join again\.$/);
    expect(service.paths).toEqual(['/agents/ca']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))(
    'whose disk gets full meanwhile has no half file with the key',
    async () => {
      const service = await standIn();
      symlinkSync('/dev/full', pathOf(folder, `agent.creds.${process.pid}.draft`));
      expect(await failure(service)).toContain('ENOSPC');
      expect(readdirSync(folder)).toEqual(['ca.pem']);
    },
  );
});

function controller(): { signal: AbortSignal; now: () => void } {
  const own = new AbortController();
  return { signal: own.signal, now: () => own.abort() };
}
