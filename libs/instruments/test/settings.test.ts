import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addedFunctions, functionEntry, readSettings } from '../src/index.js';

const schema = z.strictObject({
  host: z.string(),
  functions: z.record(z.string(), functionEntry.extend({ ask: z.string() })).default({}),
});

describe('the init parameters of a generic device', () => {
  it('get the defaults of the schema', () => {
    expect(readSettings(schema, { host: 'balance' })).toEqual({ host: 'balance', functions: {} });
  });

  it('are refused with every fault and its path', () => {
    const read = (): unknown =>
      readSettings(schema, { port: 5, functions: { weigh: { kind: 'read', ask: 'S', timeout: -1 } } });
    expect(read).toThrow(TypeError);
    expect(read).toThrow(/init_parameters\.host: /);
    expect(read).toThrow(/init_parameters\.functions\.weigh\.kind: .*effect.*idempotent.*query/);
    expect(read).toThrow(/init_parameters\.functions\.weigh\.timeout: /);
    expect(read).toThrow(/init_parameters: unrecognized key: "port"/);
  });

  it('become functions that carry the entry to the call', async () => {
    const { functions } = readSettings(schema, {
      host: 'balance',
      functions: {
        weigh: { kind: 'query', ask: 'S', desc: 'Weighs', timeout: 5 },
        tare: { kind: 'effect', ask: 'T', parameters: { times: { type: 'int', unit: 'n/a' } } },
      },
    });
    const added = addedFunctions(functions, ({ ask }, given, name) => [name, ask, given]);
    expect(added).toMatchObject({
      weigh: { kind: 'query', description: 'Weighs', timeout: 5, parameters: {} },
      tare: { kind: 'effect', parameters: { times: { type: 'int', unit: 'n/a' } } },
    });
    expect(await added['tare']?.call({ times: 2 })).toEqual(['tare', 'T', { times: 2 }]);
  });
});
