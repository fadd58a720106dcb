import { fromDevice } from '@lab/contracts';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { HostProcess, temporaryFolder } from './host-process.js';
import { languages } from './languages.js';

const folder = temporaryFolder();
afterAll(() => folder.dispose());

describe.each(languages)('a device in $name that adds functions when it starts', (language) => {
  let host: HostProcess | undefined;
  afterEach(() => host?.kill());

  async function start(functions: string[]): Promise<HostProcess> {
    const driver = await language.bundle('devices/driver/device', folder.path);
    host = await HostProcess.start(language, 'device-host', fromDevice, {});
    host.send({ type: 'init', lab: 'sdk_lab', name: 'driver_1', ...driver, init_parameters: { functions } });
    return host;
  }

  it('announces them beside those of its class, and answers their calls', async () => {
    const started = await start(['stir', 'shake']);
    const added = (name: string): object => ({
      name,
      kind: 'idempotent',
      description: `Does ${name}`,
      beside: true,
      parameters: { times: { type: 'int', unit: 'n/a' } },
    });
    expect((await started.next('ready'))['functions']).toEqual([
      { name: 'known', kind: 'effect' },
      added('stir'),
      added('shake'),
    ]);
    started.send({ type: 'call', call_id: 'c1', function: 'shake', arguments: { times: 3 } });
    expect(await started.next('asks')).toMatchObject({ text: 'shake it' });
    expect(await started.next('result')).toMatchObject({ call_id: 'c1', value: 'shake 3 times, c1' });
    started.send({ type: 'call', call_id: 'c3', function: 'stir', arguments: { times: 1 } });
    expect(await started.next('asks')).toMatchObject({ text: null });
    started.send({ type: 'call', call_id: 'c2', function: 'tilt', arguments: {} });
    expect(await started.next('failure')).toMatchObject({ call_id: 'c2', code: 'unknown_function' });
  });

  it('cannot be used when a function has no name that a call can have', async () => {
    const failed = await (await start(['stir twice'])).next('init_failed');
    expect(failed['error']).toMatchObject({
      message: expect.stringMatching(/the name ['"]stir twice['"]/) as string,
    });
  });
});
