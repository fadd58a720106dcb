import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextKey } from '../../sdk/src/author/index.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlainDevice, readRecording } from '../src/kit.js';

const functions = {
  weight: {
    kind: 'query',
    ask: 'SI',
    answer: { type: 'float', unit: 'g', pattern: '^S [SD] +(-?[0-9.]+) g$' },
  },
  tare: { kind: 'effect', ask: 'T', answer: { type: 'none', pattern: '^T S' }, timeout: 20 },
};
const answers = { weight: 'S S     12.34 g', tare: 'T S 0.00 g' };
const transport = { tcp: { host: '127.0.0.1', port: 1 } };

let folder: string;
let devices: PlainDevice[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-plain-'));
});
afterEach(async () => {
  await Promise.all(devices.map((device) => device._cleanup()));
  devices = [];
  rmSync(folder, { recursive: true, force: true });
});

async function started(parameters: Record<string, unknown>): Promise<PlainDevice> {
  const device = new PlainDevice();
  device[contextKey] = {
    ...{ name: 'scale_1', lab: 'lab', log: console, folder: () => folder, callId: () => 'call-7' },
    ask: () => undefined,
  };
  await device._initialize({ transport, functions, simulate: { answers }, ...parameters });
  devices.push(device);
  return device;
}

const call = (device: PlainDevice, name: string, given = {}): unknown =>
  device._svc_functions()[name]?.call(given);

describe('a device with commands of text', () => {
  it('reads the value that the pattern of an answer shows', async () => {
    const device = await started({});
    expect(await call(device, 'weight')).toBe(12.34);
    expect(await call(device, 'tare')).toBeUndefined();
  });

  it('fails a call whose answer is not of the pattern, and says what came', async () => {
    const device = await started({ simulate: { answers: { ...answers, weight: 'S I' } } });
    await expect(call(device, 'weight')).rejects.toThrow(/the instrument answered "S I", not what matches/);
  });

  it('fails a call that the instrument refuses', async () => {
    const device = await started({ refused: '^ES$', simulate: { answers: { ...answers, weight: 'ES' } } });
    await expect(call(device, 'weight')).rejects.toThrow('SI: the instrument answered "ES"');
  });

  it('gives the agent ten seconds more than the instrument', async () => {
    expect((await started({}))._svc_functions()['tare']).toMatchObject({ kind: 'effect', timeout: 30 });
  });

  it('needs an answer with a pattern for its twin', async () => {
    await expect(started({ simulate: true })).rejects.toThrow(
      /init_parameters\.simulate\.answers\.weight: is needed/,
    );
  });

  it('reads its report at its own pace', async () => {
    const device = await started({ report: ['weight'], poll: 0.01 });
    await expect.poll(() => device._report()).toMatchObject({ weight: 12.34 });
  });

  it('records its traffic on demand, and gives the recording in pieces', async () => {
    const device = await started({});
    expect(await call(device, 'record_traffic', { on: true, max_mib: 1 })).toMatchObject({ running: true });
    await call(device, 'weight');
    expect(await call(device, 'record_traffic', { on: false, max_mib: 1 })).toMatchObject({ running: false });
    await call(device, 'weight');
    const { text, next, size } = (await call(device, 'recorded_traffic', { offset: 0 })) as Record<
      string,
      string
    >;
    expect(next).toBe(size);
    const { entries, head } = readRecording(text ?? '', 'answer');
    expect(head).toMatchObject({ of: 'lab.scale_1', label: 'twin of tcp://127.0.0.1:1' });
    expect(entries).toMatchObject([
      { dir: 'out', hex: Buffer.from('SI\r\n').toString('hex'), call: 'call-7' },
      { dir: 'in', hex: Buffer.from('S S     12.34 g\r\n').toString('hex') },
    ]);
  });

  it('keeps the newest eight recordings', async () => {
    const device = await started({});
    for (let count = 0; count < 10; count += 1) {
      await call(device, 'record_traffic', { on: true, max_mib: 1 });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(readdirSync(folder)).toHaveLength(8);
  });

  it('answers as in a recording', async () => {
    const recorder = await started({ record: true });
    await call(recorder, 'weight');
    const [file = ''] = readdirSync(folder);
    expect(readFileSync(join(folder, file), 'utf8')).toContain('"event":"open"');
    const device = await started({ simulate: { replay: file } });
    expect(await call(device, 'weight')).toBe(12.34);
    expect(await device._report()).toMatchObject({ simulated: true });
  });
});
