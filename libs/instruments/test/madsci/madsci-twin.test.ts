import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@lab/sdk';
import { MadsciDevice } from '../../src/madsci/index.js';
import { inContext, type Hosted } from '../in-context.js';

const folder = mkdtempSync(join(tmpdir(), 'twin-'));
afterAll(() => rmSync(folder, { recursive: true }));

const functions = {
  read: {
    parameters: { wavelength: { type: 'int', unit: 'nm', min: 230 }, mode: { type: 'str', value: 'fast' } },
    twin: { result: { absorbance: 0.4 }, takes: 0.05 },
  },
  wait: { twin: { takes: 60 } },
  break: { twin: { fails: 'the lamp is broken' } },
};

async function twin(more: object = {}): Promise<{ device: MadsciDevice; hosted: Hosted }> {
  const device = new MadsciDevice();
  const hosted = inContext(device, folder);
  await device._initialize({ address: 'http://nowhere:1', simulate: true, poll: 0.05, functions, ...more });
  return { device, hosted };
}

describe('a twin of a node of MADSci', () => {
  it('has the declared functions, which do what the lab says, without a node', async () => {
    const { device, hosted } = await twin();
    expect(device._svc_functions()['read']).toMatchObject({
      kind: 'effect',
      parameters: { wavelength: { unit: 'nm', min: 230 } },
    });
    expect(await hosted.call('read', { wavelength: 600 })).toMatchObject({ result: { absorbance: 0.4 } });
    await expect(hosted.call('break')).rejects.toThrow('break is failed: the lamp is broken');
    expect(await device._report()).toMatchObject({ simulated: true, connected: true, ready: true });
  });

  it('can be locked and stopped like a node', async () => {
    const { device, hosted } = await twin();
    await hosted.call('node_lock');
    await expect(hosted.call('read', { wavelength: 600 })).rejects.toThrow(
      'read was not started: Node is locked',
    );
    await hosted.call('node_unlock');
    const call = hosted.call('wait');
    call.catch(() => undefined);
    const running = async (): Promise<unknown> =>
      ((await hosted.call('node_status')) as JsonObject)['running_actions'];
    await expect.poll(running, { timeout: 10_000 }).toHaveLength(1);
    await device._stop?.('enough');
    await expect(call).rejects.toThrow('wait is cancelled after a stop (enough)');
  });

  it('needs functions, because no node tells of them', async () => {
    await expect(twin({ functions: {} })).rejects.toThrow(/init_parameters\.functions is empty/);
  });

  it('has only the admin commands of a node for a stop', async () => {
    await expect(twin({ stop: 'safety_stop' })).rejects.toThrow(
      'init_parameters.stop: the node has no command safety_stop; it has cancel, lock, unlock',
    );
    const { device } = await twin({ stop: 'none' });
    expect(device._stop).toBeUndefined();
  });
});
