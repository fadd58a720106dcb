import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@lab/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpDevice } from '../../src/http/index.js';
import { DeviceUnderTest } from '../device-under-test.js';
import { document, ReaderServer } from './reader-server.js';

const text = JSON.stringify(document);
const sha256 = createHash('sha256').update(text).digest('hex');

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function server(): Promise<ReaderServer> {
  const started = await new ReaderServer().start();
  ends.push(() => started.stop());
  return started;
}

function device(parameters: JsonObject, Device: typeof HttpDevice = HttpDevice): DeviceUnderTest {
  const made = new DeviceUnderTest(Device, parameters);
  ends.push(() => made.end().catch(() => undefined));
  return made;
}

describe('the functions of an OpenAPI document', () => {
  it('have the kinds, types, bounds, units and defaults of the document', async () => {
    const { url } = await server();
    const under = await device({ url, openapi: { url: `${url}/openapi.json`, sha256 } }).start();
    expect(under.functions).toMatchObject({
      get_temperature: { kind: 'query', description: 'Reads the temperature', parameters: {} },
      set_temperature: {
        kind: 'idempotent',
        parameters: { celsius: { type: 'float', unit: 'C', min: 4, max: 65 } },
      },
      measure: {
        kind: 'effect',
        parameters: {
          well_id: { type: 'str' },
          flashes: { type: 'int', unit: 'n/a', min: 1, max: 200, value: 10 },
          mode: { type: 'choice', choices: ['fast', 'exact'], optional: true },
          nm: { type: 'int', unit: 'nm', min: 230 },
          gain: { type: 'float', unit: 'n/a', optional: true },
          spots: { type: 'list', element_type: 'float', optional: true },
        },
      },
      POST_stop: { kind: 'effect', parameters: {} },
    });
    expect(under.functions).not.toHaveProperty('upload');
    expect(under.logged.join()).toMatch(/POST \/picture is no function: .*declare the function by hand/);
  });

  it('send what the document says', async () => {
    const reader = await server();
    const under = await device({
      url: reader.url,
      openapi: { url: `${reader.url}/openapi.json`, sha256 },
    }).start();
    await under.call('measure', { well_id: 'A1', flashes: 10, nm: 450 }).catch(() => undefined);
    await under.call('set_temperature', { celsius: 44 });
    expect(reader.requests.slice(1).map(({ route, body }) => [route, body])).toEqual([
      ['POST /wells/A1/measurements?flashes=10', { nm: 450 }],
      ['PUT /temperature', { celsius: 44 }],
    ]);
    expect(await under.call('get_temperature')).toEqual({ celsius: 44 });
  });

  it('can be chosen, renamed and changed', async () => {
    const { url } = await server();
    const functions = {
      halt: { operation: 'POST /stop', kind: 'idempotent', desc: 'Halts' },
      temperature: { operation: 'get-temperature', answer: { path: 'celsius', type: 'float', unit: 'C' } },
    };
    const openapi = { url: `${url}/openapi.json`, sha256, operations: ['measure'] };
    const under = await device({ url, openapi, functions, safe_state: ['halt'] }).start();
    const own = ['record_traffic', 'recorded_traffic'];
    expect(
      Object.keys(under.functions)
        .filter((name) => !own.includes(name))
        .sort(),
    ).toEqual(['halt', 'measure', 'temperature']);
    expect(under.functions['halt']).toMatchObject({ kind: 'idempotent', description: 'Halts' });
    expect(await under.call('temperature')).toBe(22);
    const wrong = device({ url, openapi, functions: { halt: { operation: 'POST /halt' } } });
    await expect(wrong.start()).rejects.toThrow(
      /functions.halt.operation: .* has no POST \/halt; it has get-temp/,
    );
    const image = device({ url, openapi, functions: { upload: { operation: 'upload' } } });
    await expect(image.start()).rejects.toThrow(/functions.upload: .*no JSON/);
  });

  it('are refused when nobody has read the document, and after it has changed', async () => {
    const { url } = await server();
    const at = `${url}/openapi.json`;
    await expect(device({ url, openapi: { url: at } }).start()).rejects.toThrow(
      new RegExp(`openapi.sha256: ${sha256}`),
    );
    await expect(device({ url, openapi: { url: at, sha256: '0'.repeat(64) } }).start()).rejects.toThrow(
      /read what changed/,
    );
  });

  it('come from a file, or from the package, and have a twin', async () => {
    const { url } = await server();
    const first = device({ url });
    const file = join(first.folder, 'openapi.json');
    writeFileSync(file, text);
    const under = await device({ url, openapi: { file, sha256 } }).start();
    expect(await under.call('get_temperature')).toEqual({ celsius: 22 });

    class Packaged extends HttpDevice {
      static override readonly openapi = document;
    }
    const twin = await device({ url, simulate: true, twin: { state: { celsius: 9 } } }, Packaged).start();
    expect(await twin.call('get_temperature')).toEqual({ celsius: 9 });
    await twin.call('set_temperature', { celsius: 50 });
    expect(await twin.call('get_temperature')).toEqual({ celsius: 50 });
  });
});
