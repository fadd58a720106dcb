import { request } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { definitionRequests, ServiceError, type DefinitionRecord } from '@lab/contracts';
import type { ParameterSpec, ProtocolSnapshot, ProtocolTask } from '@lab/definitions/model';
import type { CampaignRun } from '@lab/persistence';
import { campaignRecord, expectProblem, sharedHarness, type Reply } from '../twins.js';

const gateway = sharedHarness();
afterEach(() => vi.restoreAllMocks());
const float: ParameterSpec = { desc: '', type: 'float', unit: 'mL' };
const module = { hash: 'h', package: 'p', source: 's' };
const protocol: ProtocolSnapshot = {
  hash: 'h',
  protocol: {
    type: 'mixing',
    desc: '',
    labs: [],
    resources: {},
    tasks: ['mix', 'clean'].map((name): ProtocolTask => ({
      name,
      type: name,
      desc: '',
      duration: 1,
      group: null,
      devices: {},
      resources: {},
      parameters: name === 'mix' ? { volume: { kind: 'dynamic' }, label: { kind: 'dynamic' } } : {},
      dependencies: [],
    })),
  },
  tasks: {
    mix: {
      type: 'mix',
      desc: '',
      devices: {},
      input_parameters: { volume: float, label: { desc: '', type: 'str' } },
      output_parameters: { volume: float, spectrum: { desc: '', type: 'list', element_type: 'float' } },
      input_resources: {},
      output_resources: {},
      isolation: 'reusable',
      module,
    },
  },
};

const at = '2026-11-20T09:30:00.250Z';
const run = (number: number, given: Partial<CampaignRun> = {}): CampaignRun => ({
  id: `id-${String(number).padStart(6, '0')}`,
  number,
  name: `sweep_run_${number}`,
  state: 'completed',
  reason: null,
  source: 'given',
  parameters: { mix: { volume: number / 3, label: 'a' } },
  outputs: { mix: { volume: 0.1 } },
  started_at: at,
  ended_at: null,
  ...given,
});

function sweep(runs: CampaignRun[], given: Parameters<typeof campaignRecord>[0] = {}): void {
  const campaign = campaignRecord(given);
  gateway.records.campaignList.push(campaign);
  gateway.records.protocolsOf.set(campaign.id, [protocol]);
  gateway.records.tablesOf.set(campaign.id, runs);
}

const results = '/api/campaigns/sweep/runs.csv';
const parameters = '/api/campaigns/sweep/parameters.csv';
const rows = '/api/protocols/mixing/parameters';
const post = (csv: string, type = 'text/csv'): Promise<Reply> =>
  gateway.send('POST', rows, csv, { 'content-type': type });

/** The definitions in the answer of the orchestrator. */
function define(given: Partial<DefinitionRecord> = {}): void {
  gateway.requests.on(definitionRequests.getDefinition, ({ type, name }) => {
    const definition = type === 'protocol' ? protocol.protocol : protocol.tasks[name];
    if (definition === undefined || name === 'none')
      throw new ServiceError('not_found', `the packages define no ${type} "${name}"`);
    return {
      ...{ type, name, package: 'p', file: 'f', loaded: true, hash: 'h', sound: true, labs: [], errors: [] },
      definition: JSON.parse(JSON.stringify(definition)) as DefinitionRecord['definition'],
      ...given,
    };
  });
}

describe('the table of the runs of a campaign', () => {
  it('has a row for each run with inputs, outputs and the reason of a failure', async () => {
    const reason = { code: 'task_failed', message: 'the pump, "old" one, is dry\nand hot' };
    sweep([
      run(1),
      run(2, { state: 'failed', reason, outputs: {}, ended_at: at, source: 'optimizer' }),
      run(3, { state: 'running', parameters: { mix: { volume: 1e-7, label: '=1+1' } }, outputs: {} }),
    ]);
    const reply = await gateway.send('GET', results);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="sweep_runs.csv"');
    expect(reply.text.split('\r\n')).toEqual([
      'number,run,state,source,started_at,ended_at,mix.volume,mix.label,mix.volume (output),reason,reason_message',
      `1,sweep_run_1,completed,given,${at},,0.3333333333333333,a,0.1,,`,
      `2,sweep_run_2,failed,optimizer,${at},${at},0.6666666666666666,a,,task_failed,"the pump, ""old"" one, is dry\nand hot"`,
      `3,sweep_run_3,running,given,${at},,1e-7,"""=1+1""",,,`,
      '',
    ]);
  });

  it('is available before a run has begun, and for HEAD without its rows', async () => {
    sweep([]);
    expect((await gateway.send('GET', results)).text.split('\r\n')).toHaveLength(2);
    const head = await fetch(`${gateway.url}${results}`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-disposition')).toContain('sweep_runs.csv');
  });

  it('is refused for an unknown campaign and for a query', async () => {
    expectProblem(await gateway.send('GET', results), 404, 'not_found');
    sweep([run(1)]);
    expectProblem(await gateway.send('GET', `${results}?state=failed`), 422, 'invalid');
    gateway.records.failure = new ServiceError('store_unavailable', 'away');
    expectProblem(await gateway.send('GET', results), 503, 'store_unavailable');
  });

  it('is read from the database in parts, and breaks off when a part cannot be read', async () => {
    sweep(Array.from({ length: 1_001 }, (_, index) => run(index + 1)));
    const reads = vi.spyOn(gateway.records, 'campaignRuns');
    const { text } = await gateway.send('GET', results);
    expect(
      text
        .split('\r\n')
        .slice(1, -1)
        .map((line) => Number(line.split(',')[0])),
    ).toEqual(Array.from({ length: 1_001 }, (_, index) => index + 1));
    expect(reads.mock.calls.length).toBeGreaterThan(2);
    expect(Math.max(...reads.mock.calls.map(([, { limit }]) => limit))).toBeLessThan(500);
    reads
      .mockResolvedValueOnce([run(1)])
      .mockRejectedValueOnce(new ServiceError('store_unavailable', 'away'));
    const ended = await new Promise<string>((resolve, reject) => {
      const asked = request(`${gateway.url}${results}`, (response) => {
        response.resume();
        response.on('end', () => resolve('whole'));
        response.on('error', () => resolve('broken off'));
      });
      asked.on('error', reject).end();
    });
    expect(ended).toBe('broken off');
    expect(gateway.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: expect.stringContaining('sweep_runs.csv broke off') as string },
    ]);
  });
});

describe('the table of the parameters of a campaign', () => {
  it('contains the parameters of past and future runs and can be submitted again', async () => {
    define();
    sweep([run(1)], {
      global_parameters: { mix: { label: 'all' } },
      protocol_run_parameters: [{}, { mix: { volume: 2 } }, { mix: { volume: 3, label: '' } }],
    });
    const { text, headers } = await gateway.send('GET', parameters);
    expect(headers.get('content-disposition')).toBe('attachment; filename="sweep_parameters.csv"');
    expect(text).toBe('mix.volume,mix.label\r\n0.3333333333333333,a\r\n2,all\r\n3,""""""\r\n');
    expect(await post(text)).toMatchObject({
      status: 200,
      body: {
        protocol_run_parameters: [
          { mix: { volume: 1 / 3, label: 'a' } },
          { mix: { volume: 2, label: 'all' } },
          { mix: { volume: 3, label: '' } },
        ],
      },
    });
  });

  it.each([
    [
      'all of those that have only what all get',
      { max_protocol_runs: 3, global_parameters: { mix: { volume: 2 } } },
      2,
    ],
    ['none of those that an optimizer has still to find', { max_protocol_runs: 3, optimize: true }, 0],
    ['none of a campaign that goes on without end', { max_protocol_runs: 0 }, 0],
  ])('has %s', async (_, given, coming) => {
    sweep([run(1)], given);
    expect((await gateway.send('GET', parameters)).text.split('\r\n')).toHaveLength(3 + coming);
  });
});

describe('a submitted table of parameters', () => {
  it('is refused with its faults', async () => {
    define();
    const reply = await post('mix.volume\n1\nmuch');
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors).toEqual([
      {
        path: 'mix.volume',
        line: 3,
        code: 'type',
        message: 'must be a number, not "much"',
        hint: 'Write it with a decimal point and without a unit, such as 1250.5.',
      },
    ]);
    expect(reply.body['effect']).toBe('none');
    expectProblem(
      await gateway.send('POST', rows, undefined, { 'content-type': 'text/csv' }),
      422,
      'invalid',
    );
  });

  it('is accepted as text/csv only, and no other route accepts text/csv', async () => {
    define();
    for (const type of ['text/csv; charset=utf-8', 'TEXT/CSV;header=present'])
      expect((await post('mix.volume\n1', type)).status, type).toBe(200);
    for (const type of ['application/json', 'text/plain', 'text/csv-not', 'text/html, text/csv']) {
      const reply = await post('mix.volume\n1', type);
      expectProblem(reply, 415, 'unsupported_media_type');
      expect(reply.body['detail']).toContain('text/csv');
    }
    const elsewhere = await gateway.send('POST', '/api/tasks', 'a,b', { 'content-type': 'text/csv' });
    expectProblem(elsewhere, 415, 'unsupported_media_type');
    expect(elsewhere.body['detail']).toContain('application/json');
    expectProblem(await post(`mix.volume\n${'1\n'.repeat(600_000)}`), 413, 'payload_too_large');
  });

  it('needs a loaded protocol', async () => {
    define({ loaded: false });
    expectProblem(await post('mix.volume\n1'), 409, 'wrong_state');
    define();
    const none = await gateway.send('POST', '/api/protocols/none/parameters', 'a', {
      'content-type': 'text/csv',
    });
    expectProblem(none, 404, 'not_found');
  });
});
