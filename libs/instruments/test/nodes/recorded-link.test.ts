import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BaseDevice, NotBegun, type JsonObject } from '@lab/sdk';
import { readRecording } from '../../src/kit.js';
import { askJson, didNothing, PeerError, type Link } from '../../src/nodes/link.js';
import { linkShape, readLinked } from '../../src/nodes/link-settings.js';
import { LinkRecords } from '../../src/nodes/link-records.js';
import { contextKey } from '../../../sdk/src/author/context.js';
import { z } from 'zod';
import { serve, type TestServer } from './servers.js';

/** Recordings of a link with a real server, and a link that answers from them. */

const token = 'tok-9f2c7b51e';
const schema = z.strictObject(linkShape);
const noTwin = (): Link => expect.fail('no twin was wanted');

class Device extends BaseDevice<object> {
  readonly records = new LinkRecords(this);
  override _initialize(): void {
    this.records.report();
  }
  override _cleanup(): void {
    this.records.close();
  }
  override _report = (): object => this.records.report();
}

let folder: string;
let server: TestServer;
/** The call that runs now. */
let callId: string | undefined;
let logged: string[];
const open: Device[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'link-'));
  callId = undefined;
  logged = [];
  writeFileSync(join(folder, 'token'), `${token}\n`);
  server = await serve((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.url === '/cut') return void request.socket.destroy();
      if (request.url === '/bytes')
        return void response.end(Buffer.concat([Buffer.from([0xff, 0]), Buffer.from(token)]));
      if (request.url === '/text') return void response.end('plain words');
      if (request.url === '/empty') return void response.writeHead(204).end();
      const body = Buffer.concat(parts).toString();
      // It says back everything that it got, also the token.
      const said = { url: request.url, headers: request.headers, body, length: parts.length };
      response.writeHead(request.url === '/refuse' ? 409 : 200).end(JSON.stringify(said));
    });
  });
});
afterEach(async () => {
  for (const device of open.splice(0)) device._cleanup();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** A device with a link. */
function linked(parameters: object): { device: Device; link: Link } {
  const device = new Device();
  const silent = (): void => undefined;
  const warn = (text: unknown): void => void logged.push(String(text));
  device[contextKey] = {
    ...{ name: 'node_1', lab: 'lab', log: { debug: silent, info: silent, warn, error: silent } },
    ...{ folder: () => folder, callId: () => callId, ask: silent },
  };
  open.push(device);
  const settings = readLinked(schema, { address: server.address, ...parameters });
  return { device, link: device.records.link(settings, noTwin, { 'x-version': '2' }) };
}

const recordingFiles = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('traffic-'))
    .sort();

/** The path and the text of the newest recording. */
function recording(): { file: string; text: string } {
  const file = recordingFiles().at(-1) ?? 'nothing was recorded';
  return { file, text: readFileSync(join(folder, file), 'utf8') };
}

function form(): FormData {
  const made = new FormData();
  made.append('note', 'a field');
  made.append('file', new Blob(['print(1)']), 'a.py');
  made.append('picture', new Blob([Uint8Array.of(0xff, 0x80)]), 'a.bin');
  return made;
}

/** All kinds of exchanges. @returns what came of each */
async function session(link: Link): Promise<unknown[]> {
  const came: unknown[] = [];
  const post = (path: string, more: object): Promise<unknown> =>
    askJson(link, { method: 'POST', path, ...more }).catch((error: unknown) => String(error));
  callId = 'call-of-this-session';
  came.push(await post('/go', { query: { a: '1 2', b: undefined }, json: { key: `svc-${callId}` } }));
  callId = undefined;
  const sent = (await post('/upload', { form: form() })) as JsonObject;
  // The boundary of a form is another one each time.
  came.push(sent['url']);
  came.push(await post('/refuse', { json: [1, null, 'x'] }));
  for (const path of ['/bytes', '/text', '/empty']) {
    const { status, body } = await link.ask({ method: 'GET', path });
    came.push([status, body.toString('latin1').replaceAll(token, '***')]);
  }
  const lost = await link.ask({ method: 'POST', path: '/cut' }).catch((error: unknown) => error);
  came.push([lost instanceof PeerError, (lost as PeerError).reached, didNothing(lost)]);
  return came;
}

describe('the recording of a link', () => {
  it('has requests and answers by their content, with the call', async () => {
    await session(linked({ record: true }).link);
    const { file, text } = recording();
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    const { head, entries } = readRecording(text, file);
    expect(head).toMatchObject({ label: server.address, of: 'lab.node_1' });
    const [asked, answered, upload] = entries;
    expect(asked).toMatchObject({
      ...{ dir: 'out', exchange: 1, call: 'call-of-this-session' },
      message: { method: 'POST', path: '/go?a=1+2', body: { key: 'svc-{call_id}' } },
    });
    expect(answered).toMatchObject({
      ...{ dir: 'in', exchange: 1 },
      message: { status: 200, body: { body: '{"key":"svc-{call_id}"}' } },
    });
    expect(upload).toMatchObject({
      message: {
        form: [
          { name: 'note', text: 'a field' },
          { name: 'file', file: 'a.py', text: 'print(1)' },
          { name: 'picture', file: 'a.bin', base64: '/4A=' },
        ],
      },
    });
    expect(entries.slice(7)).toMatchObject([
      { message: { status: 200, base64: expect.any(String) as string } },
      { message: { path: '/text' } },
      { message: { status: 200, text: 'plain words' } },
      { message: { path: '/empty' } },
      { message: { status: 204 } },
      { message: { path: '/cut' } },
      { error: { effect: 'maybe' } },
    ]);
  });

  it('has no token, wherever it stands, no header of a request, and no secret argument', async () => {
    const { device, link } = linked({ record: true, token_file: join(folder, 'token') });
    const said = (await askJson(link, { method: 'GET', path: '/go' })) as { headers: JsonObject };
    expect(said.headers).toMatchObject({ authorization: `Bearer ${token}`, 'x-version': '2' });
    await session(link);
    const { unlock } = device.records.functions({
      unlock: {
        kind: 'effect',
        parameters: { pin: { type: 'int', unit: 'n/a', secret: true }, note: { type: 'str' } },
        call: (given) => askJson(link, { method: 'POST', path: '/unlock', json: given }),
      },
    });
    await unlock?.call({ pin: 831_947, note: 'in the open' });
    const { text, file } = recording();
    expect(text).not.toContain(token);
    const bytes = readRecording(text, file)
      .entries.flatMap((entry) => ('message' in entry ? [String(entry.message['base64'] ?? '')] : []))
      .map((each) => Buffer.from(each, 'base64').toString('latin1'));
    expect(bytes.join()).toContain('***');
    expect(bytes.join()).not.toContain(token);
    const requests = readRecording(text, file).entries.flatMap((entry) =>
      'message' in entry && entry.dir === 'out' ? [entry.message] : [],
    );
    for (const request of requests) expect(Object.keys(request)).not.toContain('headers');
    expect(text).toContain('in the open');
    expect(text).not.toContain('831947');
  });

  it('ends when something cannot be recorded, and disturbs nothing', async () => {
    const { link } = linked({ record: true });
    const circular: JsonObject = {};
    circular['self'] = circular;
    await expect(link.ask({ method: 'POST', path: '/go', json: circular })).rejects.toThrow(/circular/);
    expect(logged.join()).toContain('the recording of the traffic ended');
    expect(await askJson(link, { method: 'GET', path: '/go' })).toMatchObject({ url: '/go' });
  });
});

describe('a link that answers from a recording', () => {
  it.each(['strict', 'lenient'])('answers as the system did: %s', async (order) => {
    const came = await session(linked({ record: true }).link);
    const { file } = recording();
    await server.close();
    const { device, link } = linked({ replay: { file, order } });
    const again = await session(link);
    expect(again).toEqual(came);
    expect(device._report()).toEqual({ simulated: false, replayed: file });
    expect(device.records.nothingMoves).toBe('a recording has nothing that moves');
  });

  it('answers under another id of the call, with that id', async () => {
    callId = 'call-a';
    const { link } = linked({ record: true });
    await askJson(link, { method: 'POST', path: '/go', json: { key: 'svc-call-a' } });
    callId = 'call-b';
    const { link: replayed } = linked({ replay: { file: recording().file } });
    expect(
      await askJson(replayed, { method: 'POST', path: '/go', json: { key: 'svc-call-b' } }),
    ).toMatchObject({ body: '{"key":"svc-call-b"}' });
  });

  it('answers without the token that the recorded session had', async () => {
    const { link } = linked({ record: true, token_file: join(folder, 'token') });
    await askJson(link, { method: 'GET', path: '/go' });
    const { file } = recording();
    rmSync(join(folder, 'token'));
    const { link: replayed } = linked({ replay: { file }, token_file: join(folder, 'token') });
    expect(await askJson(replayed, { method: 'GET', path: '/go' })).toMatchObject({ url: '/go' });
  });

  it('fails with NotBegun for what was not recorded', async () => {
    const { link } = linked({ record: true });
    await link.ask({ method: 'GET', path: '/text' });
    const { link: replayed } = linked({ replay: { file: recording().file } });
    const refused = replayed.ask({ method: 'POST', path: '/go', json: { x: 1 } });
    await expect(refused).rejects.toThrow(NotBegun);
    await expect(refused).rejects.toThrow(/has at line 2 .*\/text.*, and the device asks .*\/go/);
  });
});

describe('the functions of a device with a link', () => {
  it('are its own and those for recordings, which come before one of the same name', () => {
    const { device } = linked({});
    const call = (): string => 'of the other system';
    const functions = device.records.functions({
      dose: { kind: 'effect', call },
      record_traffic: { kind: 'effect', call },
    });
    expect(Object.keys(functions).sort()).toEqual(['dose', 'record_traffic', 'recorded_traffic']);
    expect(functions['record_traffic']?.kind).toBe('query');
    expect(logged).toEqual([
      'the function record_traffic of the other system cannot be called: every device has it, for recordings',
    ]);
  });
});
