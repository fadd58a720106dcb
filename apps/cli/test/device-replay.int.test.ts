import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { svcHere } from './in-process.js';

const fixtures = join(import.meta.dirname, '../../../libs/instruments/fixtures');
const folder = mkdtempSync(join(tmpdir(), 'svc-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('svc device replay', () => {
  it('shows requests and answers on one line each, with the number of their exchange', async () => {
    const { code, out } = await svcHere(['device', 'replay', join(fixtures, 'eos.ndjson')]);
    expect(code).toBe(0);
    const lines = out.split('\n').map((line) => line.replace(/^ +[\d.]+ ms /, ''));
    expect(lines[0]).toMatch(/^test_lab\.device_1 at http:\/\/127\.0\.0\.1:\d+, 20/);
    expect(lines).toContain(
      '--> 7: {"method":"POST","path":"/api/rpc/small_lab/pump_1/dose","body":{"volume":2.5}}',
    );
    expect(lines).toContain('<-- 7: {"status":201,"body":{"dosed":2.5}}');
  });

  it('answers on no port for messages, nor without traffic, and says what to do', async () => {
    const messages = join(fixtures, 'madsci.ndjson');
    expect(await svcHere(['device', 'replay', messages, '--port', '0'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('give the device the init parameter replay') as string,
    });
    const empty = join(folder, 'empty.ndjson');
    writeFileSync(
      empty,
      '{"svc_recording":1,"label":"tcp://x:1","of":"lab.x","at":"2026-11-28T09:00:00.000Z"}\n',
    );
    expect(await svcHere(['device', 'replay', empty, '--port', '0'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('empty.ndjson has no traffic') as string,
    });
  });
});
