import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MadsciDevice } from '@lab/instruments/madsci';
import { Link } from '@lab/testkit';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';
import { DeviceUnderTest } from '../../libs/instruments/test/device-under-test.js';
import { inContext, until, type Hosted } from '../../libs/instruments/test/in-context.js';
import { madsciSession, recordSession } from '../../libs/instruments/test/message-sessions.js';
import { pythonFor, startMadsciNode, type MadsciPeer } from './madsci-node.js';

/** The device for MADSci against a real node of MADSci, over real sockets. */

const python = await pythonFor('madsci.lock', 'MADSci');

describe.skipIf(python === undefined)('a node of MADSci', () => {
  let place: string;
  let peer: MadsciPeer;
  let folder: string;
  let unknown: string[];
  let device: MadsciDevice;
  let hosted: Hosted;

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'madsci-'));
    peer = await startMadsciNode(python ?? '', place);
  });
  afterAll(async () => {
    await peer?.kill();
    rmSync(place, { recursive: true, force: true });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(place, 'state-'));
    ({ device, hosted } = made());
  });
  const links: Link[] = [];
  afterEach(() => links.splice(0).forEach((link) => link.close()));

  function made(): { device: MadsciDevice; hosted: Hosted } {
    unknown = [];
    const next = new MadsciDevice((why) => {
      unknown.push(why);
      return Promise.reject(new Error(`the process ends: ${why}`));
    });
    return { device: next, hosted: inContext(next, folder) };
  }

  const initialize = (more: object = {}): Promise<void> =>
    device._initialize({ address: peer.url, poll: 0.1, answer_within: 2, files: folder, ...more });

  it('is identified, and tells its actions with types and defaults; another node is refused', async () => {
    await initialize({ node: 'bench' });
    expect(await device._report()).toMatchObject({
      node: 'bench',
      connected: true,
      ready: true,
      locked: false,
      running_actions: [],
    });
    expect(device._svc_functions()).toMatchObject({
      measure: {
        kind: 'effect',
        description: 'Measures a plate.',
        parameters: {
          wavelength: { type: 'int', unit: 'n/a', value: 600 },
          gain: { type: 'float', unit: 'n/a', optional: true },
        },
      },
      move: { parameters: { seconds: { type: 'float', unit: 'n/a' }, to: { type: 'str', value: 'home' } } },
      copy: { parameters: { source: { type: 'dict' } } },
      node_status: { kind: 'query' },
      node_lock: { kind: 'idempotent', beside: true },
      node_reset: { kind: 'effect' },
    });
    await expect(initialize({ node: 'other' })).rejects.toThrow(/is the node bench .*, not other/);
  });

  it('answers a query, an effect and an error', async () => {
    await initialize({ functions: { measure: { kind: 'query' } } });
    expect(await hosted.call('measure', { wavelength: 450 })).toMatchObject({
      result: { wavelength: 450, gain: null, absorbance: 0.42 },
    });
    const before = peer.moves().length;
    expect(await hosted.call('move', { seconds: 0, to: 'rack' })).toMatchObject({ result: 'at rack' });
    expect(peer.moves().slice(before)).toEqual(['rack']);
    await expect(hosted.call('explode')).rejects.toThrow(/^explode is failed: the lamp is broken/);
    expect(await hosted.call('node_status')).toMatchObject({ ready: false, errored: true });
    await expect(hosted.call('measure')).rejects.toMatchObject({
      name: 'NotBegun',
      message: expect.stringMatching(/was not started: Node is in an error state/) as string,
    });
    await hosted.call('node_reset');
    await eventuallyReady();
  });

  /** A reset runs the startup of the node in another thread. */
  async function eventuallyReady(): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      const { ready } = (await hosted.call('node_status')) as { ready: boolean };
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('the node did not become ready');
  }

  it('has a session that the fixtures have', async () => {
    const parameters = { address: peer.url, record: true, ...madsciSession.parameters };
    const recorded = new DeviceUnderTest(MadsciDevice, parameters);
    try {
      await recordSession('madsci', madsciSession, recorded);
    } finally {
      await recorded.end();
    }
    await initialize();
    await hosted.call('node_reset');
    await eventuallyReady();
  });

  it('takes files and gives files', async () => {
    await initialize();
    const result = await hosted.call('copy', { source: { name: 'a.txt', text: 'hello' } });
    expect(result).toMatchObject({ files: ['file'] });
    const { archive } = result as { archive: string };
    expect(archive.startsWith(join(folder, 'results'))).toBe(true);
    expect(readFileSync(archive).toString('latin1')).toMatch(/^PK[\s\S]*HELLO/);
  });

  it('locked takes no action, and says so', async () => {
    await initialize();
    await hosted.call('node_lock');
    await expect(hosted.call('move', { seconds: 0 })).rejects.toThrow(/was not started: Node is locked/);
    await hosted.call('node_unlock');
    await hosted.call('move', { seconds: 0 });
  });

  it('is stopped in the middle of an action', async () => {
    await initialize();
    const call = hosted.call('move', { seconds: 60, to: 'far' });
    call.catch(() => undefined);
    await until('it moves', () => peer.moves().at(-1) === 'far');
    await device._stop?.('a hand is in it');
    await expect(call).rejects.toThrow(
      /move is failed after a stop \(a hand is in it\): the arm was stopped/,
    );
    await hosted.call('node_reset');
    await eventuallyReady();
  });

  it('goes on when the connection is cut in the middle of an effect, and the call ends with its result, once', async () => {
    const link = await Link.open(peer.port);
    links.push(link);
    await initialize({ address: `http://127.0.0.1:${link.port}`, answer_within: 1 });
    const before = peer.moves().length;
    const call = hosted.call('move', { seconds: 3, to: 'bath' });
    await until('it moves', () => peer.moves().length > before);
    link.silence('up', 'down');
    await until('it is said to be silent', () => hosted.asked.some((each) => each !== null));
    link.heal({ reset: true });
    expect(await call).toMatchObject({ result: 'at bath' });
    expect(peer.moves().slice(before)).toEqual(['bath']);
    expect(hosted.asked.at(-1)).toBeNull();
  });

  it('that was restarted in the middle of an effect leaves the outcome open', async () => {
    await initialize();
    const call = hosted.call('move', { seconds: 60, to: 'gone' });
    call.catch(() => undefined);
    await until('it moves', () => peer.moves().at(-1) === 'gone');
    const later = new MadsciDevice();
    inContext(later, folder);
    const inDoubt = [{ callId: 'call-1', function: 'move' }];
    expect(await later._reconcile({ address: peer.url }, inDoubt)).toEqual({
      idle: false,
      detail: expect.stringMatching(/^the action \S+ \(move\) is running$/) as string,
    });
    await peer.restart();
    await expect(call).rejects.toThrow(/does not know the action \S+ \(move\) any more/);
    expect(unknown).toHaveLength(1);
    expect(await later._reconcile({ address: peer.url }, inDoubt)).toEqual({
      idle: false,
      detail: expect.stringMatching(/^the node does not know the action \S+ \(move\)/) as string,
    });
  });

  it('that has ended the action of an interrupted call leaves no doubt', async () => {
    await initialize();
    const call = hosted.call('move', { seconds: 0.8, to: 'done' });
    await until('it moves', () => peer.moves().at(-1) === 'done');
    // The note is what a process leaves that ends now.
    const note = readNote(folder);
    await call;
    writeNote(folder, note);
    const later = new MadsciDevice();
    inContext(later, folder);
    expect(
      await later._reconcile({ address: peer.url }, [
        { callId: 'call-1', function: 'move' },
        { callId: 'call-2', function: 'measure' },
      ]),
    ).toEqual({
      idle: true,
      detail: expect.stringMatching(
        /\(move\) has ended: succeeded; measure was not started at the node/,
      ) as string,
    });
  });

  it('that does not run is not initialised, and a later one is reported as not connected', async () => {
    await initialize();
    await peer.kill();
    expect(await device._report()).toMatchObject({
      connected: false,
      description: expect.stringMatching(/refuses connections/) as string,
    });
    await expect(hosted.call('move', { seconds: 0 })).rejects.toMatchObject({ name: 'NotBegun' });
    await expect(initialize()).rejects.toThrow(/refuses connections \(ECONNREFUSED\)/);
    await peer.restart();
  });

  it('with TLS is trusted by its authority or fingerprint, and refused with another certificate', async () => {
    const authority = await makeCertificateAuthority('lab', Date.now());
    const { certificate, key } = await certifyServer(authority, ['127.0.0.1'], Date.now(), 90);
    const files = { certificate: join(place, 'node.pem'), key: join(place, 'node.key') };
    writeFileSync(files.certificate, certificate);
    writeFileSync(files.key, key);
    writeFileSync(join(place, 'ca.pem'), authority.certificate);
    const secured = await startMadsciNode(python ?? '', mkdtempSync(join(place, 'tls-')), files);
    try {
      await initialize({ address: secured.url, ca_file: join(place, 'ca.pem') });
      expect(await hosted.call('measure')).toMatchObject({ result: { absorbance: 0.42 } });
      const { fingerprint256 } = new X509Certificate(certificate);
      await initialize({ address: secured.url, fingerprint: fingerprint256 });
      await expect(initialize({ address: secured.url })).rejects.toThrow(/certificate that is not trusted/);
      await expect(initialize({ address: secured.url, fingerprint: 'AB'.repeat(32) })).rejects.toThrow(
        /not the one in init_parameters.fingerprint/,
      );
    } finally {
      await secured.kill();
    }
  });
});

const notesOf = (folder: string): string => join(folder, 'calls');

function readNote(folder: string): [string, string][] {
  return readdirSync(notesOf(folder)).map((name) => [
    name,
    readFileSync(join(notesOf(folder), name), 'utf8'),
  ]);
}

function writeNote(folder: string, notes: [string, string][]): void {
  for (const [name, text] of notes) writeFileSync(join(notesOf(folder), name), text);
}
