import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { awaitStop, requestStop } from '../../src/installation/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lab-stop-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the request to stop', () => {
  it('does nothing when no agent runs', async () => {
    expect(await requestStop(join(folder, 'none'), 1_000)).toBeUndefined();
    writeFileSync(join(folder, 'svc-agent.lock'), '{"pid":999999999,"started":"1"}\n');
    expect(await requestStop(folder, 1_000)).toBeUndefined();
    expect(existsSync(join(folder, 'stop-requested'))).toBe(false);
  });

  it('fails with the reason when the folder cannot be used', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => awaitStop(join(file, 'data'), () => undefined)).toThrow('ENOTDIR');
    mkdirSync(join(folder, 'svc-agent.lock'));
    await expect(requestStop(folder, 1_000)).rejects.toThrow('EISDIR');
    expect(existsSync(join(folder, 'stop-requested'))).toBe(false);
  });

  it('reaches the agent of the folder, and fails when its process goes on', async () => {
    let stops = 0;
    awaitStop(folder, () => (stops += 1));
    await expect(requestStop(folder, 900)).rejects.toThrow(
      `the agent, process ${process.pid}, still runs after 0.9 s; its log says why`,
    );
    expect(stops).toBe(1);
  });

  it('of an earlier time does not count, and a folder has one agent', async () => {
    writeFileSync(join(folder, 'stop-requested'), '');
    let stops = 0;
    awaitStop(folder, () => (stops += 1));
    expect(() => awaitStop(folder, () => undefined)).toThrow(
      `an agent runs already as process ${process.pid} on ${folder}; stop it with "svc-agent stop"`,
    );
    expect(stops).toBe(0);
    await expect(requestStop(folder, 900)).rejects.toThrow('still runs');
    expect(stops).toBe(1);
  });
});
