import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DeletionRecord,
  type LegalHoldRecord,
  definitionRequests,
  orchestratorRequests as requests,
  ServiceError,
  type JsonObject,
  type TaskRunRecord,
} from '@lab/contracts';
import { taskFileKey } from '@lab/object-store';
import { freePort } from '@lab/testkit';
import { agent, attentionItem } from '../../gateway/test/color-lab-records.js';
import { byTokens, headersOf } from '../../gateway/test/tokens.js';
import { logLine } from '../../gateway/test/memory-lines.js';
import {
  campaignRecord,
  runRecord,
  startHarness,
  taskRecord,
  type Harness,
} from '../../gateway/test/twins.js';
import { MemoryRecords } from '../../gateway/test/memory-records.js';
import { svcHere, trimmed, type Ran } from './in-process.js';

/** The commands in this process, with the real gateway. The test scripts the answers of the orchestrator. */

let gateway: Harness;
let folder: string;

beforeAll(async () => {
  [gateway, folder] = await Promise.all([startHarness(), mkdtemp(join(tmpdir(), 'svc-work-'))]);
});
afterAll(async () => {
  await gateway?.server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  gateway.requests.sent.length = 0;
  Object.assign(gateway.records, new MemoryRecords());
});

const svc = async (args: string[], env: Record<string, string> = {}, input?: string): Promise<Ran> => {
  const typed = { folder, env: { SVC_URL: gateway.url, ...env } };
  return trimmed(await svcHere(args, input === undefined ? typed : { ...typed, input }));
};

/** Lets the orchestrator accept every submission and adds its record. */
function acceptSubmissions(): void {
  gateway.requests
    .on(requests.submitTask, ({ name }) => {
      gateway.records.taskRuns.push(taskRecord({ name }));
      return { id: 'i', name };
    })
    .on(requests.submitProtocolRun, ({ name }) => {
      gateway.records.runs.push(runRecord({ name }));
      return { id: 'i', name };
    })
    .on(requests.submitCampaign, ({ name }) => {
      gateway.records.campaignList.push(campaignRecord({ name }));
      return { id: 'i', name };
    });
}

describe('svc submit', () => {
  it('takes JSON and YAML, from a file and from standard input, and recognises the kind by the fields', async () => {
    acceptSubmissions();
    await writeFile(
      join(folder, 'rinse.yml'),
      'name: rinse_1\ntype: clean_container\ninput_resources:\n  beaker: beaker_1\n',
    );
    await writeFile(
      join(folder, 'sweep.json'),
      JSON.stringify({ name: 'sweep', protocol: 'mix', max_protocol_runs: 2 }),
    );
    expect(await svc(['submit', 'rinse.yml'])).toEqual({ code: 0, out: 'rinse_1: queued', err: '' });
    expect(await svc(['submit', 'sweep.json', '--name', 'other'])).toMatchObject({ out: 'other: created' });
    const run = JSON.stringify({ name: 'mix_1', type: 'color_mixing', parameters: { mix: { cyan: 1 } } });
    const { out } = await svc(['submit', '-', '--json'], {}, run);
    expect(JSON.parse(out)).toMatchObject({ name: 'mix_1', state: 'created' });
    expect(gateway.requests.sent.map(({ name }) => name)).toEqual([
      requests.submitTask.name,
      requests.submitCampaign.name,
      requests.submitProtocolRun.name,
    ]);
  });

  it('asks for the kind when the fields do not decide it, and reports the errors of a file', async () => {
    acceptSubmissions();
    await writeFile(join(folder, 'bare.yml'), 'name: bare\ntype: score_color\n');
    expect(await svc(['submit', 'bare.yml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--kind') as string,
    });
    expect(await svc(['submit', 'bare.yml', '--kind', 'task'])).toMatchObject({ code: 0 });
    await writeFile(join(folder, 'broken.yml'), 'name: [\n');
    expect(await svc(['submit', 'broken.yml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('broken.yml') as string,
    });
    expect(await svc(['submit', 'none.yml'])).toMatchObject({ code: 2 });
    expect(gateway.requests.sent).toHaveLength(1);
  });

  it('shows the errors of the service with the line of the file', async () => {
    gateway.requests.on(requests.submitTask, () => {
      throw new ServiceError('invalid', 'the parameters are wrong', {
        faults: [{ path: 'input_parameters.red', code: 'out_of_range', message: 'must be at most 255' }],
      });
    });
    await writeFile(
      join(folder, 'score.yml'),
      'name: score_1\ntype: score_color\ninput_parameters:\n  red: 900\n',
    );
    const { code, err } = await svc(['submit', 'score.yml']);
    expect(code).toBe(3);
    expect(err).toContain('score.yml:4');
    expect(err).toContain('must be at most 255');
  });

  it('takes the parameters of a campaign from a CSV file, and reports errors with line and row', async () => {
    acceptSubmissions();
    gateway.requests.on(definitionRequests.getDefinition, ({ type, name }) => ({
      ...{ type, name, package: 'p', file: 'f', loaded: true, hash: 'h', sound: true, labs: [], errors: [] },
      definition: (type === 'protocol'
        ? { type: name, tasks: [{ name: 'mix', type: 'mix', parameters: { volume: { kind: 'dynamic' } } }] }
        : {
            type: name,
            input_parameters: { volume: { type: 'float', desc: '', unit: 'mL', max: 10 } },
          }) as JsonObject,
    }));
    await writeFile(join(folder, 'rows.yml'), 'name: rows\nprotocol: mixing\n');
    await writeFile(join(folder, 'task.yml'), 'name: rinse_2\ntype: clean_container\ninput_parameters: {}\n');
    await writeFile(join(folder, 'rows.csv'), 'mix.volume\r\n2.5\r\n3\r\n');
    expect(await svc(['submit', 'rows.yml', '--parameters', 'rows.csv'])).toMatchObject({
      code: 0,
      out: 'rows: created',
    });
    expect(gateway.requests.of(requests.submitCampaign)).toMatchObject([
      {
        body: {
          name: 'rows',
          max_protocol_runs: 2,
          protocol_run_parameters: [{ mix: { volume: 2.5 } }, { mix: { volume: 3 } }],
        },
      },
    ]);
    await writeFile(join(folder, 'wrong.csv'), 'mix.volume\n2.5\n11\n');
    const wrong = await svc(['submit', 'rows.yml', '--parameters', 'wrong.csv']);
    expect(wrong).toMatchObject({ code: 3, out: '' });
    expect(wrong.err).toMatch(/wrong\.csv:3 above_max\n\s+mix\.volume: 11 is above .*10 mL\n\s+3 \| 11\n/);
    gateway.requests.on(requests.submitCampaign, () => {
      const path = 'protocol_run_parameters[1].mix.volume';
      const faults = [{ path, code: 'bounds', message: 'the optimizer does not take it' }];
      throw new ServiceError('invalid', 'the campaign cannot be', { faults });
    });
    const refused = await svc(['submit', 'rows.yml', '--parameters', 'rows.csv']);
    expect(refused).toMatchObject({
      code: 3,
      err: expect.stringContaining('row 2 of rows.csv: the optimizer does not take it') as string,
    });
    await writeFile(join(folder, 'latin.csv'), Buffer.from([0x6d, 0xfc, 0x0a]));
    for (const [submission, file, said] of [
      ['task.yml', 'rows.csv', 'is for a campaign'],
      ['rows.yml', 'none.csv', 'cannot be read'],
      ['rows.yml', 'latin.csv', 'UTF-8'],
    ] as const) {
      const { code, err } = await svc(['submit', submission, '--parameters', file]);
      expect([code, err.includes(said)], said).toEqual([2, true]);
    }
  });

  it('follows what it submitted with --watch', async () => {
    gateway.requests.on(requests.submitTask, ({ name }) => {
      gateway.records.taskRuns.push(taskRecord({ name, state: 'completed' }));
      return { id: 'i', name };
    });
    const task = JSON.stringify({ name: 'score_2', type: 'score_color', input_parameters: {} });
    expect(await svc(['submit', '-', '--watch'], {}, task)).toEqual({
      code: 0,
      out: 'score_2  completed',
      err: '',
    });
  });
});

describe('svc watch', () => {
  it('prints a line for every change and exits when the work ends: 0 when it completed, 1 otherwise', async () => {
    const task = (state: TaskRunRecord['state']): TaskRunRecord =>
      taskRecord({
        name: 'mix',
        protocol_run: 'mix_1',
        state,
        devices: { arm: { lab_name: 'color_lab', name: 'arm' } },
      });
    gateway.records.runs.push(runRecord({ state: 'running', tasks: [task('running')] }));
    const broke = { code: 'task_failed', message: 'the cup broke' };
    const { code, out } = await svcHere(['watch', 'protocol', 'mix_1', '--url', gateway.url], {
      onOutput(text) {
        if (text.includes('running'))
          gateway.records.runs[0] = runRecord({ state: 'failed', reason: broke, tasks: [task('failed')] });
      },
    });
    expect(out.trimEnd().split('\n')).toEqual([
      'mix_1  mix  running  on arm',
      'mix_1  running',
      'mix_1  mix  failed',
      'mix_1  failed: the cup broke',
    ]);
    expect(code).toBe(1);
  });

  it('prints the final record as JSON, and reports an unknown name', async () => {
    gateway.records.campaignList.push(campaignRecord({ name: 'sweep', state: 'completed' }));
    const { code, out } = await svc(['watch', 'campaign', 'sweep', '--json']);
    expect({ code, name: (JSON.parse(out) as { name: string }).name }).toEqual({ code: 0, name: 'sweep' });
    expect(await svc(['watch', 'task', 'none'])).toMatchObject({ code: 3 });
    expect(await svc(['watch', 'sample', 'none'])).toMatchObject({ code: 2 });
  });
});

describe('svc cancel and retry', () => {
  it('send the request to the service, and address a task of a run by its run', async () => {
    gateway.records.runs.push(runRecord({ state: 'running' }));
    gateway.records.taskRuns.push(
      taskRecord({ name: 'mix', protocol_run: 'mix_1', state: 'running', computer: 'bench_b' }),
    );
    gateway.records.attention.push(attentionItem);
    gateway.requests
      .on(requests.cancelProtocolRun, () => ({ id: 'i', name: 'mix_1' }))
      .on(requests.cancelTask, () => ({ id: 'i', name: 'mix' }))
      .on(requests.resolveAttention, ({ id }) => ({ id }));
    expect(await svc(['cancel', 'protocol', 'mix_1'])).toEqual({
      ...{ code: 3, out: 'mix_1: running' },
      err: 'NOT CONFIRMED: the service does not say at present which tasks still run.',
    });
    gateway.requests.on(requests.listAgents, () => ({ agents: [{ ...agent, state: 'online' as const }] }));
    expect(await svc(['cancel', 'task', 'mix', '--run', 'mix_1'])).toEqual({
      ...{ code: 0, out: 'mix: running' },
      err: 'mix_1/mix still runs on bench_b and was asked to stop',
    });
    expect((await svc(['retry', 'mix_1/mix_colors', '--by', 'bo', '--note', 'clean'])).out).toBe(
      'mix_1/mix_colors: retry',
    );
    expect(gateway.requests.sent.at(-1)?.body).toMatchObject({
      id: attentionItem.id,
      action: 'retry',
      by: 'bo',
      note: 'clean',
    });
  });
});

describe('svc archive and restore', () => {
  it('send the request by kind, and list archived records separately', async () => {
    const since = { archived_at: '2026-11-20T09:30:00.000Z' };
    gateway.records.campaignList.push(campaignRecord({ name: 'sweep', state: 'completed' }));
    gateway.records.taskRuns.push(taskRecord({ name: 'rinse', state: 'failed', ...since }));
    gateway.requests
      .on(requests.archiveWork, ({ name }) => ({ id: 'i', name }))
      .on(requests.restoreWork, ({ name }) => ({ id: 'i', name }));
    expect((await svc(['archive', 'campaign', 'sweep', '--by', 'bo'])).out).toBe('sweep: archived');
    expect((await svc(['restore', 'task', 'rinse'])).out).toBe('rinse: restored');
    expect(gateway.requests.sent.map(({ body }) => body)).toMatchObject([
      { kind: 'campaign', name: 'sweep', by: 'bo' },
      { kind: 'task_run', name: 'rinse' },
    ]);
    expect((await svc(['list', 'tasks'])).out).toBe('no tasks');
    expect((await svc(['list', 'tasks', '--archived'])).out).toContain('rinse');
  });
});

describe('svc delete, keep and deletions', () => {
  const deletion: DeletionRecord = {
    ...{ id: 'd1', name: 'mix_1', work_id: 'w1', owner: 'ada', labs: [], reason: 'a test', by: 'bo' },
    kind: 'protocol_run',
    what: 'everything',
    state: 'planned',
    created_at: '2026-11-23T14:00:00.000Z',
    due_at: '2026-11-24T14:00:00.000Z',
    ...{ ended_at: null, ended_by: null, removed: null },
  };

  it('say when it begins and how to take it back, and list what was removed', async () => {
    const { records, requests: asked } = gateway;
    records.runs.push(runRecord({ name: 'mix_1', state: 'completed' }));
    const removed = { task_runs: 3, files: 2, bytes: 10 };
    records.deletions.push({ ...deletion, removed, state: 'done' });
    asked
      .on(requests.deleteWork, ({ what }) => ({ ...deletion, what }))
      .on(requests.keepWork, () => ({ ...deletion, state: 'cancelled' as const }));
    const because = ['--reason', 'a test', '--by', 'bo'];
    expect((await svc(['delete', 'protocol', 'mix_1', ...because])).out).toBe(
      'mix_1: it will be deleted at 2026-11-24 14:00:00Z\ntake it back until then with: svc keep protocol mix_1',
    );
    expect((await svc(['delete', 'protocol', 'mix_1', '--files', ...because])).out).toContain(
      'mix_1: its files will be deleted',
    );
    expect((await svc(['keep', 'protocol', 'mix_1', '--by', 'bo'])).out).toBe('mix_1: kept');
    expect((await svc(['deletions'])).out).toMatch(
      /protocol +mix_1 +everything +done .* 3 tasks, 2 files, 10 bytes/,
    );
    expect((await svc(['delete', 'protocol', 'mix_1'])).code).toBe(2);
    const body = { kind: 'protocol_run', name: 'mix_1', reason: 'a test', by: 'bo' };
    expect(asked.of(requests.deleteWork)).toMatchObject([
      { body: { ...body, what: 'everything' } },
      { body: { ...body, what: 'files' } },
    ]);
  });
});

describe('svc legal-hold', () => {
  it('adds, lists and releases legal holds', async () => {
    const hold: LegalHoldRecord = {
      id: 'h1',
      kind: 'protocol_run',
      ...{ name: 'mix_1', reason: 'dispute 17', by: 'eve', too_late: [] },
      ...{ created_at: '2026-11-23T14:00:00.000Z', released_at: null, released_by: null },
    };
    gateway.requests
      .on(requests.addHold, () => ({ ...hold, too_late: ['mix_0'] }))
      .on(requests.releaseHold, () => hold)
      .on(requests.listHolds, () => ({ holds: [hold] }));
    const line = 'protocol mix_1 by eve: dispute 17';
    expect((await svc(['legal-hold', 'add', 'protocol', 'mix_1', '--reason', 'dispute 17'])).out).toBe(
      `held: ${line}\ntoo late for mix_0: its deletion has begun\nrelease it with: svc legal-hold release h1`,
    );
    expect((await svc(['legal-hold', 'list'])).out).toMatch(/protocol +mix_1 .* eve +dispute 17 +h1$/);
    expect((await svc(['legal-hold', 'release', 'h1'])).out).toBe(`released: ${line}`);
    expect(gateway.requests.of(requests.addHold)).toMatchObject([
      { body: { kind: 'protocol_run', name: 'mix_1', reason: 'dispute 17' } },
    ]);
    expect((await svc(['legal-hold', 'add', 'device', 'arm', '--reason', 'x'])).code).toBe(2);
  });
});

describe('svc list', () => {
  it('lists records of a kind as a table or as JSON, filtered by state', async () => {
    gateway.records.taskRuns.push(
      taskRecord({ id: '1', name: 'rinse_1', state: 'completed' }),
      taskRecord({ id: '2', name: 'mix', protocol_run: 'mix_1', state: 'running' }),
    );
    const { out } = await svc(['list', 'tasks']);
    expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
      ['NAME', 'RUN', 'TYPE', 'STATE'],
      ['mix', 'mix_1', 'clean_container', 'running'],
      ['rinse_1', '-', 'clean_container', 'completed'],
    ]);
    const running = JSON.parse(
      (await svc(['list', 'tasks', '--state', 'running', '--json'])).out,
    ) as object[];
    expect(running).toMatchObject([{ name: 'mix' }]);
    expect((await svc(['list', 'campaigns'])).out).toBe('no campaigns');
    expect(await svc(['list', 'tasks', '--state', 'sleeping'])).toMatchObject({ code: 3 });
  });
});

describe('svc logs', () => {
  it('shows the selected lines of tasks and devices, the oldest first', async () => {
    gateway.records.logs = [
      logLine({ id: 1, task: 'mix', protocol_run: 'run_1', message: 'stirring' }),
      logLine({
        id: 2,
        source: 'device',
        lab: 'lab',
        device: 'arm',
        level: 'warn',
        message: '\u001b[2Jslow',
      }),
      logLine({ id: 3, source: 'service', level: 'warn', message: '4 lines were dropped here' }),
    ];
    const shown = async (...flags: string[]): Promise<string[]> =>
      (await svc(['logs', ...flags])).out.split('\n').map((line) => line.replace(/^\S+ +/, ''));
    expect(await shown()).toEqual([
      'INFO   run_1/mix  stirring',
      'WARN   lab.arm  slow',
      'WARN   svc_computer  (4 lines were dropped here)',
    ]);
    expect(await shown('--device', 'lab.arm', '--level', 'warn')).toEqual(['WARN   lab.arm  slow']);
    const { out } = await svc(['logs', '--run', 'run_1', '--task', 'mix', '--json']);
    expect(JSON.parse(out)).toMatchObject([{ id: 1, message: 'stirring' }]);
    expect(await svc(['logs', '--run', 'run_2'])).toMatchObject({ code: 0, out: 'no lines' });
    expect(await svc(['logs', '--device', 'arm'])).toMatchObject({ code: 2 });
    expect(await svc(['logs', '--since', 'yesterday'])).toMatchObject({ code: 3 });
  });

  /** The token is refused from now on. */
  function withdraw({ tokens, authentication }: Harness): void {
    for (const { id } of tokens.kept.splice(0)) authentication.forget(id);
  }

  /**
   * Follows the lines of a service with authentication, until the test has withdrawn the token and the stream ends.
   *
   * @param lifeMs how long a stream lasts
   */
  async function followed(
    flags: readonly string[],
    lifeMs: number,
    onOutput: (text: string, service: Harness) => void,
  ): Promise<Ran> {
    const service = await startHarness({ feeds: { heartbeatMs: 20, lifeMs } }, undefined, byTokens);
    try {
      const { authorization } = await headersOf(service, 'ada', [{ role: 'viewer' }]);
      service.records.logs = [logLine({ id: 1, task: 'mix', message: 'stirring' }), logLine({ id: 2 })];
      service.lines.store(...service.records.logs, logLine({ id: 3, task: 'mix', message: 'meanwhile' }));
      const ran = await svcHere(['logs', '--task', 'mix', '--follow', '--url', service.url, ...flags], {
        env: { SVC_TOKEN: authorization.replace('Bearer ', '') },
        onOutput: (text) => onOutput(text, service),
      });
      return trimmed(ran);
    } finally {
      await service.server.close();
    }
  }

  it('continues with new lines after the end of the list, until the service refuses the caller', async () => {
    const { code, out, err } = await followed([], 20, (text, service) => {
      if (text.includes('meanwhile'))
        service.lines.store({ task: 'rinse' }, { task: 'mix', message: 'done' });
      if (text.includes('done')) withdraw(service);
    });
    expect(out.split('\n').map((line) => line.replace(/^\S+ +/, ''))).toEqual([
      'INFO   mix  stirring',
      'INFO   mix  meanwhile',
      'INFO   mix  done',
    ]);
    expect([code, err]).toEqual([3, expect.stringMatching(/token/)]);
  });

  it('goes on behind lines that were removed before they came, and prints each line as JSON', async () => {
    const { out, err } = await followed(['--json'], 1_000, (text, service) => {
      if (text.includes('meanwhile')) {
        service.lines.store({ task: 'mix' }, { task: 'mix' }, { task: 'mix', message: 'after the gap' });
        service.lines.pruned = 5;
      }
      if (text.includes('after the gap')) withdraw(service);
    });
    expect(out.split('\n').map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 3, 6]);
    expect(err).toMatch(/^lines are missing here: they were removed before they came\n/);
  });
});

describe('svc results', () => {
  it('prints the table of a campaign or writes it to a new file, and never overwrites a file', async () => {
    gateway.records.campaignList.push(campaignRecord({ name: 'sweep' }));
    const header = 'number,run,state,source,started_at,ended_at,reason,reason_message';
    expect(await svc(['results', 'sweep'])).toEqual({ code: 0, out: header, err: '' });
    const saved = await svc(['results', 'sweep', '--output', 'sweep.csv']);
    expect(saved).toMatchObject({ code: 0, out: expect.stringContaining('sweep.csv') as string });
    expect(await readFile(join(folder, 'sweep.csv'), 'utf8')).toBe(`${header}\r\n`);
    expect(await svc(['results', 'sweep', '-o', 'sweep.csv'])).toMatchObject({ code: 2 });
    expect(await svc(['results', 'sweep', '--parameters'])).toEqual({ code: 0, out: '', err: '' });
    expect(await svc(['results', 'none'])).toMatchObject({ code: 3 });
  });
});

describe('svc files', () => {
  const content = Buffer.from('a picture');

  function produce(bytes: Buffer): void {
    const file = {
      name: 'a b.png',
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      media_type: 'image/png',
    };
    const task = taskRecord({ name: 'look', state: 'completed', attempt: 1, output_files: [file] });
    gateway.records.taskRuns.push(task);
    gateway.files.contents.set(taskFileKey(task.id, task.attempt, file.name), bytes);
  }

  it('lists the files and saves one whole, and never overwrites a file', async () => {
    produce(content);
    expect((await svc(['files', 'list', 'look'])).out).toMatch(/^a b\.png +9 +[0-9a-f]{64}$/m);
    expect((await svc(['files', 'get', 'look', 'a b.png'])).code).toBe(0);
    expect(await readFile(join(folder, 'a b.png'))).toEqual(content);
    expect(await svc(['files', 'get', 'look', 'a b.png'])).toMatchObject({ code: 2 });
    expect((await svc(['files', 'get', 'look', 'a b.png', '-o', '-'])).out).toBe('a picture');
    expect(await svc(['files', 'get', 'look', 'other.png'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('a b.png') as string,
    });
  });

  it('keeps nothing of a file that arrived with other bytes', async () => {
    produce(Buffer.from('a PICTURE'));
    expect(await svc(['files', 'get', 'look', 'a b.png', '-o', 'wrong.png'])).toMatchObject({ code: 1 });
    await expect(readFile(join(folder, 'wrong.png'))).rejects.toThrow('ENOENT');
    await expect(readFile(join(folder, 'wrong.png.part'))).rejects.toThrow('ENOENT');
  });
});

describe('every command', () => {
  it('exits with different codes for a misunderstood, a refused and an unanswered command', async () => {
    expect(await svc(['lits', 'tasks'])).toMatchObject({ code: 2 });
    expect(await svc(['rpc', 'lab', 'arm', 'move', '{x}'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('not JSON') as string,
    });
    expect(await svc(['list', 'tasks'], { SVC_URL: 'ftp://here' })).toMatchObject({ code: 2 });
    const nobody = `http://127.0.0.1:${await freePort()}`;
    expect(await svc(['list', 'tasks', '--url', nobody])).toMatchObject({
      code: 4,
      err: expect.stringContaining('nothing answers') as string,
    });
    expect(await svc(['--help'])).toMatchObject({ code: 0 });
  });
});
