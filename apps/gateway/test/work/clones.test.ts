import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  CampaignSubmission,
  ProtocolRunSubmission,
  TaskSubmission,
  type TaskParameters,
} from '@lab/contracts';
import { dtoSchema } from '@lab/contracts/bodies';
import {
  campaignRecord,
  expectProblem,
  runRecord,
  startHarness,
  taskRecord,
  type Harness,
} from '../twins.js';

let gateway: Harness;

beforeEach(async () => {
  gateway = await startHarness();
});
afterEach(() => gateway.server.close());

const submissionOf = async (path: string): Promise<Record<string, unknown>> => {
  const reply = await gateway.send('GET', path);
  expect(reply.status).toBe(200);
  return reply.body['submission'] as Record<string, unknown>;
};

it('a clone of a task reports the input file that it does not receive', async () => {
  const raw = { id: 't1/1/a.csv', name: 'a.csv', size: 3, sha256: 'f', media_type: 'text/csv' };
  gateway.records.taskRuns.push(taskRecord({ name: 'read', input_files: { raw } }));
  const { body } = await gateway.send('GET', '/api/tasks/read/clone');
  expect(body['left_out']).toEqual(['files.raw']);
});

it('a clone can be submitted unchanged under a free name', async () => {
  gateway.records.runs.push(
    runRecord({ name: 'mix_1', parameters: { a: { n: 1 } }, priority: 4, owner: 'ada' }),
    runRecord({ name: 'mix_2' }),
  );
  gateway.records.taskRuns.push(
    taskRecord({
      name: 'rinse',
      state: 'failed',
      failure_policy: { timeout: 5, retry: { attempts: 2 } },
      input_resources: { beaker: { name: 'beaker_1', type: 'beaker', meta: {} } },
    }),
  );
  gateway.records.campaignList.push(campaignRecord({ name: 'sweep', protocol_run_parameters: null }));
  const run = await submissionOf('/api/protocols/mix_1/clone');
  expect(run).toMatchObject({ name: 'mix_3', parameters: { a: { n: 1 } }, priority: 4, owner: 'ada' });
  const task = await submissionOf('/api/tasks/rinse/clone');
  expect(task).toMatchObject({
    name: 'rinse_2',
    timeout: 5,
    retry: { attempts: 2 },
    input_resources: { beaker: 'beaker_1' },
  });
  const campaign = await submissionOf('/api/campaigns/sweep/clone');
  expect(campaign).toMatchObject({ name: 'sweep_2' });
  for (const [schema, submission] of [
    [dtoSchema(ProtocolRunSubmission), run],
    [dtoSchema(TaskSubmission), task],
    [dtoSchema(CampaignSubmission), campaign],
  ] as const)
    expect(schema.check(submission)).toMatchObject({ ok: true });
});

it('a clone of a campaign to which changes added runs has as many runs as it lists', async () => {
  const listed: TaskParameters[] = [{ a: { n: 1 } }, {}];
  const open = { optimize: false, max_protocol_runs: 0, protocol_run_parameters: listed };
  gateway.records.campaignList.push(campaignRecord({ name: 'open', ...open }));
  expect(await submissionOf('/api/campaigns/open/clone')).toMatchObject({ ...open, max_protocol_runs: 2 });
});

it('a clone omits secrets and names them', async () => {
  const meta = { optimizer_overrides: { ai_api_key: 'sk-canary', p_ai: 0.5 }, list: [1, { x: 2 }] };
  gateway.records.campaignList.push(campaignRecord({ name: 'sweep', meta }));
  const reply = await gateway.send('GET', '/api/campaigns/sweep/clone');
  expect(reply.body).toMatchObject({
    submission: { meta: { optimizer_overrides: { p_ai: 0.5 }, list: [1, { x: 2 }] } },
    left_out: ['meta.optimizer_overrides.ai_api_key'],
  });
  expect(reply.text).not.toContain('canary');
});

it('an unknown record has no clone', async () => {
  for (const path of ['/api/tasks/x/clone', '/api/protocols/x/clone', '/api/campaigns/x/clone'])
    expectProblem(await gateway.send('GET', path), 404, 'not_found');
});
