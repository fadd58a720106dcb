import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optimizerRequests as requests } from '@lab/contracts';
import { createLog, systemTimers } from '@lab/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sessions } from '../src/sessions.js';
import { hostsWith } from './hosts-with.js';
import { gridModule } from './modules.js';

/** Sessions with real processes, of which a computation takes longer than it may. A person at a breakpoint looks like that. */

const module = gridModule({ mode: 'slow' });
const first = { campaign_id: 'c', session: 's1' };
const opening = (session: string) => ({
  ...{ campaign_id: 'c', session, campaign: 'sweep', protocol: 'paints', overrides: {}, runtime_params: {} },
  module: module.reference,
});
const question = { type: 'propose' as const, runs: [{ number: 1, run: 'r1' }], insights: [] };

let folder: string;
let sessions: Sessions;
let lost: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-debugged-'));
  lost = [];
});
afterEach(async () => {
  sessions.stop();
  await rm(folder, { recursive: true, force: true });
});

async function opened(debugged: readonly string[]): Promise<void> {
  const path = join(folder, 'module.mjs');
  await writeFile(path, module.text);
  sessions = new Sessions({
    modules: {
      path: () => Promise.resolve(path),
      archivePieces: () => () => Promise.reject(new Error('there are no libraries')),
    },
    sealing: undefined,
    lend: () => Promise.reject(new Error('nothing is lent here')),
    timers: systemTimers,
    log: createLog({ service: 'optimizer', destination: { write: () => undefined } }),
    hosts: hostsWith(undefined, debugged),
    computingMs: 200,
    lost: (_, reason) => void lost.push(reason),
  });
  expect(await sessions.open(opening('s1'), 1)).toMatchObject({
    runtime: { name: 'node', version: process.versions.node, environment: null },
  });
}

const propose = () => sessions.compute(first, question, requests.propose);

describe('an optimizer that computes for longer than it may', () => {
  it('is ended', async () => {
    await opened([]);
    await expect(propose()).rejects.toMatchObject({ code: 'optimizer_unavailable' });
    await expect.poll(() => lost).toHaveLength(1);
  });

  it('goes on when a debugger may attach, and its campaign gets no other one meanwhile', async () => {
    await opened(['paint']);
    const proposed = propose();
    // The service has given up the call and tries again.
    sessions.close(first);
    await expect(sessions.open(opening('s2'), 1)).rejects.toMatchObject({
      code: 'optimizer_unavailable',
      message: expect.stringMatching(
        /a person may hold the optimizer in a debugger \(127\.0\.0\.1:\d+\)/,
      ) as string,
    });
    expect((await proposed)['trials']).toHaveLength(1);
    expect(lost).toEqual([]);
    // Then a new session replaces it, as after any other pause.
    await expect.poll(() => sessions.count).toBe(0);
    await sessions.open(opening('s2'), 1);
    expect(sessions.count).toBe(1);
  });
});
