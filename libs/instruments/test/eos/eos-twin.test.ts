import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EosDevice } from '../../src/eos/index.js';
import { inContext } from '../in-context.js';

const folder = mkdtempSync(join(tmpdir(), 'twin-'));
afterAll(() => rmSync(folder, { recursive: true }));

const parameters = {
  address: 'http://nowhere:1',
  lab: 'l',
  device: 'd',
  simulate: true,
  functions: {
    dose: { parameters: { volume: { type: 'float', unit: 'ml', max: 25 } }, twin: { result: 5 } },
    level: { kind: 'query', parameters: {}, twin: { result: 80 } },
    halt: { parameters: {}, twin: {} },
    break: { twin: { fails: 'the tube is blocked' } },
  },
  stop: 'halt',
};

describe('a twin of a device of EOS', () => {
  it('has the declared functions, which do what the lab says, without EOS', async () => {
    const device = new EosDevice();
    const hosted = inContext(device, folder);
    await device._initialize(parameters);
    expect(device._svc_functions()).toMatchObject({ dose: { kind: 'effect' }, level: { kind: 'query' } });
    expect(await hosted.call('dose', { volume: 5 })).toBe(5);
    expect(await hosted.call('level')).toBe(80);
    await expect(hosted.call('break')).rejects.toThrow('the tube is blocked');
    await device._stop?.('enough');
    expect(await device._report()).toMatchObject({ simulated: true, report: { simulated: true } });
    expect(await device._reconcile(parameters, [])).toMatchObject({ idle: true });
  });

  it('refuses a wrong setting with its path', async () => {
    await expect(new EosDevice()._initialize({ ...parameters, lab: '', labs: 1 })).rejects.toThrow(
      /init_parameters\.lab: it must be the name of a laboratory of EOS.*init_parameters: unrecognized key: "labs"/s,
    );
  });
});
