import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@lab/sdk';
import { UserTokenType } from 'node-opcua';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OpcuaDevice } from '../../src/opcua/index.js';
import { DeviceUnderTest, eventually } from '../device-under-test.js';
import { ReactorServer, type ServerOptions } from './reactor-server.js';
import { userFiles, type UserFiles } from './user-files.js';

const functions = {
  target: { read: '/Objects/Reactor/Target' },
  dose: { method: '/Objects/Reactor/Dose' },
};
const secure = { policy: 'Basic256Sha256', mode: 'SignAndEncrypt' };

const { OPENSSL_CONF: before } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'lab-opcua-users-'));
/** The server of the tests that need no server of their own. */
let reactor: ReactorServer;
let lab: UserFiles;
let eve: UserFiles;
let old: UserFiles;
const devices: DeviceUnderTest[] = [];
const servers: ReactorServer[] = [];

beforeAll(async () => {
  [reactor, lab, eve, old] = await Promise.all([
    server(),
    userFiles(folder, 'lab'),
    userFiles(folder, 'eve'),
    userFiles(folder, 'old', -1),
  ]);
  await reactor.trustUser(lab.der);
});
afterEach(async () => {
  for (const each of devices.splice(0)) {
    expectNoKey(each.logged.join('\n'));
    await each.end().catch(() => undefined);
  }
});
afterAll(async () => {
  for (const each of servers) await each.dispose();
  rmSync(folder, { recursive: true, force: true });
  // The library that makes certificates sets it, and other tests of this worker run openssl.
  if (before === undefined) delete process.env['OPENSSL_CONF'];
  else process.env['OPENSSL_CONF'] = before;
});

async function server(options: ServerOptions = {}): Promise<ReactorServer> {
  const started = await new ReactorServer(options).start();
  servers.push(started);
  return started;
}

function device(user: JsonObject, { url, fingerprint } = reactor, security: JsonObject = secure) {
  const parameters = { url, server_certificate: fingerprint, security, user, functions };
  const made = new DeviceUnderTest(OpcuaDevice, parameters);
  devices.push(made);
  return made;
}

/** Why a device with this user does not start. */
async function refusalOf(user: JsonObject, on = reactor, security = secure): Promise<string> {
  const error = await device(user, on, security)
    .start()
    .then(
      () => new Error('it started'),
      (failure: unknown) => failure as Error,
    );
  expect(error.name).toBe('NotBegun');
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    expectNoKey(`${each.message}\n${each.stack}\n${JSON.stringify(each)}`);
  }
  return error.message;
}

function expectNoKey(text: string): void {
  const lines = [lab, eve, old].flatMap(({ key }) => readFileSync(key, 'utf8').split('\n'));
  expect(lines.filter((line) => line.length > 20 && text.includes(line))).toEqual([]);
}

const filesOf = ({ certificate, key }: UserFiles): JsonObject => ({ certificate, key });
const write = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('a user with a certificate', () => {
  it.each([secure, { policy: 'Basic256Sha256', mode: 'Sign' }, { policy: 'None', mode: 'None' }])(
    'is admitted on a channel with $policy and $mode',
    async (security) => {
      const known = reactor.admitted.length;
      const under = await device(filesOf(lab), reactor, security).start();
      expect(await under.call('dose', { volume: 2 })).toBe(2);
      expect(reactor.admitted.slice(known)).toEqual([lab.fingerprint]);
    },
  );

  it('may have its certificate in DER', async () => {
    const certificate = write('lab.der', lab.der);
    const under = await device({ certificate, key: lab.key }).start();
    expect(await under.call('target')).toBe(20);
  });

  it('is refused once by a server that does not trust it, until it does', async () => {
    const logins = reactor.logins.length;
    const why = await refusalOf(filesOf(eve));
    expect(why).toContain(`${reactor.url} does not admit the user certificate in ${eve.certificate}`);
    expect(why).toContain(eve.fingerprint);
    expect(why).toMatch(
      /BadIdentityTokenRejected.*UserName, Certificate.*trust it among the users of the server/,
    );
    expect(reactor.logins.length - logins).toBe(1);
    await reactor.trustUser(eve.der);
    expect(await (await device(filesOf(eve)).start()).call('target')).toBe(20);
  });

  it('does not log in when its files cannot be right, and the error names them', async () => {
    const logins = reactor.logins.length;
    const { certificate, key } = lab;
    const missing = join(folder, 'nothing.pem');
    expect(await refusalOf({ certificate: missing, key })).toBe(
      `init_parameters.user.certificate: cannot read the file ${missing} (ENOENT): make it, readable by the user of the agent`,
    );
    expect(await refusalOf({ certificate, key: missing })).toMatch(/^init_parameters\.user\.key: .*ENOENT/);
    expect(await refusalOf({ certificate: key, key })).toMatch(
      /user\.certificate: .* is no certificate in PEM or DER: give the certificate/,
    );
    expect(await refusalOf({ certificate, key: certificate })).toMatch(
      /user\.key: .* is no private key in PEM: give the key that was made with the certificate/,
    );
    expect(await refusalOf({ certificate, key: eve.key })).toContain(
      `init_parameters.user.key: the key in ${eve.key} does not belong to the certificate in ${certificate}, ${lab.fingerprint}`,
    );
    expect(await refusalOf(filesOf(old))).toMatch(
      new RegExp(`user\\.certificate: .* is not valid at this time: it is ${old.fingerprint}.*Renew it`),
    );
    const locked = createPrivateKey(readFileSync(key)).export({
      ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'word' },
    });
    expect(await refusalOf({ certificate, key: write('locked.key', locked) })).toMatch(
      /user\.key: .* has a passphrase, .*openssl pkey/,
    );
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const curve = privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(await refusalOf({ certificate, key: write('curve.key', curve) })).toMatch(
      /user\.key: .* of the kind ec.*have an RSA key/,
    );
    expect(reactor.logins).toHaveLength(logins);
  });

  it('does not log in when the server takes no such users', async () => {
    const closed = await server({ kinds: [UserTokenType.Anonymous, UserTokenType.UserName] });
    await closed.trustUser(lab.der);
    expect(await refusalOf(filesOf(lab), closed)).toMatch(
      /does not admit the user certificate .*: it takes UserName, Anonymous\. Write one of these into init_parameters\.user, or enable/,
    );
    expect(closed.logins).toEqual([]);
  });

  it('does not log in when nothing would be signed', async () => {
    const bare = await server({ signing: false });
    expect(await refusalOf(filesOf(lab), bare, { policy: 'None', mode: 'None' })).toMatch(
      /nothing is signed without a policy: write init_parameters\.security: \{ policy: Basic256Sha256 \}/,
    );
    expect(bare.logins).toEqual([]);
  });

  it('logs in with growing pauses while the server no longer trusts it, and works when it does again', async () => {
    const strict = await server();
    await strict.trustUser(lab.der);
    const under = await device(filesOf(lab), strict).start();
    await strict.stop();
    await strict.rejectUser(lab.der);
    strict.logins.length = 0;
    await strict.start();
    // Attempts before the server listens fail too. Each failure doubles the next pause, up to 36 s.
    const aMinute = 60_000;
    await eventually(() => strict.logins.length >= 3, 'three attempts', aMinute);
    const [first = 0, second = 0, third = 0] = strict.logins;
    // The pauses before them are at least the second and the third one, of 1 s and 2 s, less a fifth.
    expect(second - first).toBeGreaterThan(790);
    expect(third - second).toBeGreaterThan(1_590);
    expect((await under.report())['trouble']).toMatch(/does not admit the user certificate/);
    await expect(under.call('dose', { volume: 1 })).rejects.toThrow(/does not admit the user certificate/);
    await strict.trustUser(lab.der);
    await eventually(async () => (await under.report())['connected'] === true, 'it connects again', aMinute);
    expect(await under.call('dose', { volume: 2 })).toBe(2);
    expect(strict.doses).toEqual([2]);
  });
});
