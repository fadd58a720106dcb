import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type {
  InsightRecord,
  JournalEntry,
  OptimizerDescription,
  OptimizerRecord,
  Problem,
  RuntimeParameterValues,
  Trial,
} from '@lab/contracts';
import { AiServer } from '@lab/testkit';
import { eventually, isOver, type CampaignWithRuns } from './api.js';
import { startLab, type Lab } from './lab.js';

/** The specification of campaigns and optimizers, line by line, through the REST interface. */

const canary = 'sk-canary-51d0c7e2';
/** Longest start of a process on a busy machine, in milliseconds. */
const limitMs = 110_000;

let lab: Lab;
let ai: AiServer;

beforeAll(async () => {
  [lab, ai] = await Promise.all([startLab(['multiplication_lab']), AiServer.start()]);
});
afterEach(() => {
  ai.answer = () => 503;
  ai.asked.length = 0;
});
afterAll(() => Promise.all([lab.stack.dispose(), ai.stop()]));

const submit = (body: Record<string, unknown>) =>
  lab.api.submit('campaigns', { protocol: 'optimize_multiplication', ...body });
const ended = (name: string): Promise<CampaignWithRuns> =>
  eventually(() => lab.api.campaign(name), isOver, limitMs);
const trialsOf = (name: string): Promise<Trial[]> => lab.api.all(`/api/campaigns/${name}/trials`);
const optimizerOf = async (name: string): Promise<OptimizerRecord> =>
  (await lab.api.call<OptimizerRecord>('GET', `/api/campaigns/${name}/optimizer`)).body;
const ready = (name: string): Promise<OptimizerRecord> =>
  eventually(
    () => optimizerOf(name),
    ({ state }) => state === 'ready',
    limitMs,
  );
const pathsOf = ({ body }: { body: Problem }): (string | undefined)[] | undefined =>
  body.errors?.map(({ path }) => path);
const row = (number: number, factor: number, second: number) => ({
  'first.number': number,
  'first.factor': factor,
  'second.factor': second,
});
const suggest = (...rows: object[]): string =>
  JSON.stringify({ journal: 'a product of 1024', suggestions: rows });
/** Settings with which every sampling call asks the AI. */
const asking = () => ({
  p_ai: 1,
  ai_model: 'local:test',
  ai_model_settings: { base_url: ai.baseUrl },
  ai_api_key: canary,
});

describe('campaign submission', () => {
  it(
    'optimize: an optimizer proposes the dynamic parameters of each run and binds each proposal to its run',
    async () => {
      expect(
        await submit({
          name: 'proposed',
          max_protocol_runs: 4,
          max_concurrent_protocol_runs: 2,
          optimize: true,
        }),
      ).toMatchObject({
        status: 201,
        body: { optimize: true, optimizer_ip: '127.0.0.1' },
      });
      const campaign = await ended('proposed');
      expect(campaign).toMatchObject({ state: 'completed', reason: null, protocol_runs_completed: 4 });
      const trials = await trialsOf('proposed');
      expect(trials.map(({ number, run, source, state }) => ({ number, run, source, state }))).toEqual(
        [1, 2, 3, 4].map((number) => ({
          number,
          run: `proposed_run_${number}`,
          source: 'optimizer',
          state: 'measured',
        })),
      );
      expect(campaign.protocol_runs.map(({ parameters }) => parameters)).toEqual(
        trials.map(({ inputs }) => ({
          first: { number: inputs['first.number'], factor: inputs['first.factor'] },
          second: { factor: inputs['second.factor'] },
        })),
      );
      const losses = trials.map(({ outputs }) => outputs?.['score.loss'] ?? Infinity);
      expect(campaign.optimizer?.best?.[0]).toMatchObject({ 'score.loss': Math.min(...losses) });
    },
    limitMs,
  );

  it('optimizer_ip: an address without an optimizer is refused', async () => {
    const answer = await submit({
      name: 'nowhere',
      max_protocol_runs: 2,
      optimize: true,
      optimizer_ip: '192.0.2.7',
    });
    expect(answer).toMatchObject({ status: 503, body: { code: 'optimizer_unavailable' } });
    expect(answer.body.detail).toContain('192.0.2.7');
    expect((await lab.api.call('GET', '/api/campaigns/nowhere')).status).toBe(404);
  });

  it(
    'optimizer_ip: a worker with its own address serves its own campaign',
    async () => {
      lab.stack.beside('optimizer', '--ip', '127.0.0.9');
      const answer = await eventually(
        () => submit({ name: 'elsewhere', max_protocol_runs: 2, optimize: true, optimizer_ip: '127.0.0.9' }),
        ({ status }) => status !== 503,
        limitMs,
      );
      expect(answer.status).toBe(201);
      const here = await submit({ name: 'beside_it', max_protocol_runs: 2, optimize: true });
      expect(here.status).toBe(201);
      expect(await ended('elsewhere')).toMatchObject({ state: 'completed' });
      expect(await ended('beside_it')).toMatchObject({ state: 'completed' });
    },
    limitMs,
  );

  it(
    'protocol_run_parameters override global_parameters, the optimizer overrides both, and a complete row is used as a trial',
    async () => {
      const answer = await submit({
        name: 'given',
        max_protocol_runs: 3,
        optimize: true,
        global_parameters: { first: { number: 4 } },
        protocol_run_parameters: [
          { first: { number: 8, factor: 4 }, second: { factor: 32 } },
          { second: { factor: 64 } },
        ],
      });
      expect(answer.status).toBe(201);
      await ended('given');
      const trials = await trialsOf('given');
      expect(trials.map(({ source }) => source)).toEqual(['given', 'optimizer', 'optimizer']);
      expect(trials[0]).toMatchObject({ inputs: row(8, 4, 32), outputs: { 'score.loss': 0 } });
      expect(trials[1]?.inputs).toEqual(row(2, 3, 8));
    },
    limitMs,
  );

  it(
    'max_protocol_runs 0: the campaign starts runs until it is cancelled',
    async () => {
      expect(
        (
          await submit({
            name: 'endless',
            max_protocol_runs: 0,
            global_parameters: { first: { number: 2, factor: 3 }, second: { factor: 8 } },
          })
        ).status,
      ).toBe(201);
      await eventually(
        () => lab.api.campaign('endless'),
        ({ protocol_runs_completed: completed }) => completed >= 3,
        limitMs,
      );
      expect((await lab.api.call('POST', '/api/campaigns/endless/cancel')).status).toBe(202);
      expect(await ended('endless')).toMatchObject({ state: 'cancelled' });
    },
    limitMs,
  );

  it(
    'meta.optimizer_overrides: the service applies runtime parameters of the optimizer at submission',
    async () => {
      const answer = await submit({
        name: 'downwards',
        max_protocol_runs: 2,
        optimize: true,
        meta: { optimizer_overrides: { descending: true } },
      });
      expect(answer.status).toBe(201);
      await ended('downwards');
      expect((await trialsOf('downwards')).map(({ inputs }) => inputs)).toEqual([
        row(8, 5, 64),
        row(8, 5, 32),
      ]);
      expect((await optimizerOf('downwards')).runtime_params).toMatchObject({ descending: true });
    },
    limitMs,
  );

  it(
    'meta.optimizer_overrides: the service compares inputs and outputs with the protocol, also in a dry run',
    async () => {
      const inputs = [
        { key: 'first.factor', values: [1001] },
        { key: 'third.factor', values: [8, 16] },
      ];
      const outputs = [{ key: 'score.lost', objective: { kind: 'minimize', weight: 1 } }];
      const body = {
        name: 'mistaken',
        max_protocol_runs: 2,
        optimize: true,
        global_parameters: { first: { number: 2 }, second: { factor: 8 } },
        meta: { optimizer_overrides: { inputs, outputs } },
      };
      const tried = await lab.api.call<Problem>('POST', '/api/campaigns?dry_run=true', {
        protocol: 'optimize_multiplication',
        ...body,
      });
      for (const answer of [tried, await submit(body)]) {
        expect(answer.status).toBe(422);
        expect(pathsOf(answer)).toEqual([
          'meta.optimizer_overrides.inputs[1].key',
          'meta.optimizer_overrides.outputs[0].key',
          'meta.optimizer_overrides.inputs[0].values[0]',
        ]);
      }
    },
    limitMs,
  );
});

describe('endpoint rules', () => {
  it('2. a campaign without an optimizer needs exactly max_protocol_runs entries', async () => {
    const answer = await submit({
      name: 'short',
      max_protocol_runs: 2,
      protocol_run_parameters: [{ first: { number: 2, factor: 3 }, second: { factor: 8 } }],
    });
    expect(answer.status).toBe(422);
    expect(pathsOf(answer)).toEqual(['protocol_run_parameters']);
  });

  it(
    '3. with an optimizer, the request gives the parameters that are not inputs of the optimizer',
    async () => {
      const only = { ...asking(), inputs: [{ key: 'second.factor', values: [8, 16] }] };
      const found = [8, 16].map((factor) => ({ 'second.factor': factor }));
      const left = [...found];
      ai.answer = ({ count }) => suggest(...left.splice(0, count));
      const body = {
        name: 'rest',
        max_protocol_runs: 2,
        optimize: true,
        meta: { optimizer_overrides: only },
      };
      const without = await submit(body);
      expect(without.status).toBe(422);
      expect(without.body.errors?.every(({ code }) => code === 'missing_parameter')).toBe(true);
      const answer = await submit({ ...body, global_parameters: { first: { number: 2, factor: 5 } } });
      expect(answer.status).toBe(201);
      await ended('rest');
      expect((await trialsOf('rest')).map(({ inputs }) => inputs)).toEqual(found);
      const told = /given: first.number is 2\n- given: first.factor is 5\n[^]*here 1024/;
      expect(ai.asked[0]?.system).toMatch(told);
    },
    limitMs,
  );

  it(
    '7. parameters change without a restart, either probability derives the other, and an invalid value changes nothing',
    async () => {
      await submit({ name: 'tuned', max_protocol_runs: 0, optimize: true });
      const params = '/api/campaigns/tuned/optimizer/params';
      await ready('tuned');
      const put = (body: object) => lab.api.call<RuntimeParameterValues & Problem>('PUT', params, body);
      expect(await put({ descending: true, ai_history_size: 7 })).toMatchObject({
        status: 200,
        body: { descending: true, ai_history_size: 7, p_bayesian: 1, p_ai: 0 },
      });
      for (const wrong of [
        { descending: 'yes' },
        { ai_history_size: 0, descending: false },
        { unknown: 1 },
        { p_ai: 2 },
      ])
        expect(await put(wrong), JSON.stringify(wrong)).toMatchObject({
          status: 422,
          body: { code: 'invalid' },
        });
      expect((await optimizerOf('tuned')).runtime_params).toMatchObject({
        descending: true,
        ai_history_size: 7,
      });
      await lab.api.call('POST', '/api/campaigns/tuned/cancel');
      await ended('tuned');
      const again = await lab.api.call('POST', '/api/campaigns/tuned/resume', {
        optimizer_overrides: { ai_history_size: 9 },
      });
      expect(again.status).toBe(202);
      expect((await optimizerOf('tuned')).runtime_params).toMatchObject({
        descending: true,
        ai_history_size: 9,
      });
      const domain = await lab.api.call<Problem>('POST', '/api/campaigns/tuned/cancel').then(async () => {
        await ended('tuned');
        return lab.api.call<Problem>('POST', '/api/campaigns/tuned/resume', {
          optimizer_overrides: { constraints: [] },
        });
      });
      expect(domain.status).toBe(422);
    },
    2 * limitMs,
  );

  it(
    '8. and 9. the AI receives domain, results and insights, and the service accepts only suggestions inside the domain',
    async () => {
      const valid = [row(8, 4, 32), row(4, 4, 64), row(2, 4, 64)];
      ai.answer = ({ count }) => suggest(...valid.splice(0, count));
      expect(
        (
          await submit({
            name: 'asked',
            max_protocol_runs: 3,
            optimize: true,
            meta: { optimizer_overrides: asking() },
          })
        ).status,
      ).toBe(201);
      await ended('asked');
      const trials = await trialsOf('asked');
      expect(trials.map(({ source, inputs }) => ({ source, inputs }))).toEqual([
        { source: 'ai', inputs: row(8, 4, 32) },
        { source: 'ai', inputs: row(4, 4, 64) },
        { source: 'ai', inputs: row(2, 4, 64) },
      ]);
      expect(trials[0]?.note).toMatchObject({
        journal: 'a product of 1024',
        model: 'local:test',
        tokens: { input: 100, output: 20 },
      });
      expect(ai.asked[0]?.prompt).toContain('second.factor');
      expect(ai.asked[0]?.prompt).toContain('Multiplies twice on the same device');
      expect(ai.asked[0]?.headers.authorization).toBe(`Bearer ${canary}`);
      // All measured results go to the plugged-in optimizer, also those of the AI.
      expect((await optimizerOf('asked')).best).toContainEqual(expect.objectContaining({ 'score.loss': 0 }));
    },
    limitMs,
  );

  it(
    '8. insights stay queued until a suggestion succeeds, and 9. the plugged-in optimizer proposes when the AI fails',
    async () => {
      ai.answer = () => suggest(row(3, 3, 3));
      await submit({
        name: 'advised',
        max_protocol_runs: 0,
        optimize: true,
        meta: { optimizer_overrides: { ...asking(), ai_retries: 1 } },
      });
      const insight = await lab.api.call<InsightRecord>('POST', '/api/campaigns/advised/optimizer/insight', {
        insight: 'powers of two only',
        by: 'ada',
      });
      expect(insight).toMatchObject({
        status: 201,
        body: { text: 'powers of two only', by: 'ada', used: false },
      });
      const fallen = await eventually(
        () => trialsOf('advised'),
        (trials) => trials.length >= 2,
        limitMs,
      );
      expect(fallen[0]).toMatchObject({ source: 'optimizer', inputs: row(2, 3, 8) });
      expect(fallen[0]?.note.fallback).toMatchObject({
        code: 'invalid_output',
        message: expect.stringContaining('invalid after 2 questions') as string,
      });
      expect(ai.asked.map(({ prompt }) => prompt)).toContainEqual(
        expect.stringContaining('This answer cannot be used:\n- suggestions'),
      );
      const best = [row(8, 4, 32), row(4, 4, 64), row(2, 4, 64)];
      ai.answer = ({ prompt, count }) =>
        prompt.includes('powers of two only') ? suggest(...best.slice(0, count)) : suggest();
      const used = await eventually(
        () => optimizerOf('advised'),
        ({ insights, journal }) =>
          insights[0]?.used === true && journal.some(({ source }) => source === 'ai'),
        limitMs,
      );
      expect(used.insights).toHaveLength(1);
      await lab.api.call('POST', '/api/campaigns/advised/cancel');
      await ended('advised');
    },
    limitMs,
  );

  it(
    '8. a resume restores journal, insights and settings',
    async () => {
      const before = await optimizerOf('advised');
      const insight = { insight: 'for later', by: 'ada' };
      const path = '/api/campaigns/advised';
      ai.answer = () => suggest();
      expect((await lab.api.call('POST', `${path}/resume`)).status).toBe(202);
      await lab.api.call('POST', `${path}/optimizer/insight`, insight);
      const [asked] = await eventually(
        () => Promise.resolve(ai.asked.filter(({ prompt }) => prompt.includes('for later'))),
        (questions) => questions.length > 0,
        limitMs,
      );
      expect(asked?.prompt).toMatch(
        /Earlier remarks[^#]*powers of two only[^#]*## New remarks[^#]*for later/,
      );
      const after = await optimizerOf('advised');
      expect(after.insights.map(({ text, used }) => [text, used])).toEqual(
        expect.arrayContaining([
          ['powers of two only', true],
          ['for later', false],
        ]),
      );
      expect(after.journal).toEqual(
        expect.arrayContaining(before.journal.filter(({ source }) => source === 'ai')),
      );
      expect(after.runtime_params).toEqual(before.runtime_params);
      await lab.api.call('POST', `${path}/cancel`);
      await ended('advised');
    },
    limitMs,
  );

  it(
    '10. the AI receives the results as a table of the latest rows after a constant beginning',
    async () => {
      const points = [3, 4, 5].flatMap((factor) => [row(2, factor, 64), row(4, factor, 64)]);
      ai.answer = ({ count }) => suggest(...points.splice(0, count));
      const settings = {
        ...asking(),
        ai_model_settings: { base_url: ai.baseUrl, temperature: 0.3 },
        ai_history_size: 1,
        ai_additional_context: 'shorter is better',
        ai_additional_parameters: ['first.product'],
      };
      const answer = await submit({
        name: 'told',
        max_protocol_runs: 6,
        optimize: true,
        meta: { optimizer_overrides: settings },
      });
      expect(answer.status).toBe(201);
      await ended('told');
      const asked = ai.asked.filter(({ system }) => system.includes('shorter is better'));
      expect(new Set(asked.map(({ system }) => system)).size).toBe(1);
      expect(asked[0]?.temperature).toBe(0.3);
      const results = /## Results[^#]*##/.exec(asked.at(-1)?.prompt ?? '')?.[0] ?? '';
      expect(results).toMatch(/\(\d earlier ones are left out\)/);
      expect(results).toContain('run,by,first.number,first.factor,second.factor,score.loss,first.product');
      const rows = results.match(/^told_run_.*/gm) ?? [];
      expect(rows).toHaveLength(1);
      const [, by, number = NaN, factor = NaN, , , product] = (rows[0] ?? '').split(',');
      expect([by, Number(product)]).toEqual(['ai', Number(number) * Number(factor)]);
      // The journal keeps the AI's comment, also when the prompt leaves it out.
      const journal = await lab.api.all<JournalEntry>('/api/campaigns/told/optimizer/journal');
      expect(journal.map(({ number, note }) => [number, note.journal])).toEqual(
        [6, 5, 4, 3, 2, 1].map((number) => [number, 'a product of 1024']),
      );
    },
    limitMs,
  );

  it(
    '7. p_ai zero removes the AI, and a p_ai above zero brings it back',
    async () => {
      ai.answer = () => suggest();
      await submit({
        name: 'quiet',
        max_protocol_runs: 0,
        optimize: true,
        meta: { optimizer_overrides: { ...asking(), ai_retries: 0 } },
      });
      await eventually(
        () => Promise.resolve(ai.asked.length),
        (count) => count > 0,
        limitMs,
      );
      await ready('quiet');
      const answer = await lab.api.call<RuntimeParameterValues>(
        'PUT',
        '/api/campaigns/quiet/optimizer/params',
        {
          p_ai: 0,
        },
      );
      expect(answer).toMatchObject({ status: 200, body: { p_ai: 0, p_bayesian: 1 } });
      const count = ai.asked.length;
      const { protocol_runs_completed: before } = await lab.api.campaign('quiet');
      await eventually(
        () => lab.api.campaign('quiet'),
        ({ protocol_runs_completed: completed }) => completed >= before + 3,
        limitMs,
      );
      expect(ai.asked.length).toBe(count);
      const again = await lab.api.call('PUT', '/api/campaigns/quiet/optimizer/params', { p_ai: 1 });
      expect(again).toMatchObject({ status: 200, body: { p_ai: 1, p_bayesian: 0 } });
      await eventually(
        () => Promise.resolve(ai.asked.length),
        (now) => now > count,
        limitMs,
      );
      await lab.api.call('POST', '/api/campaigns/quiet/cancel');
      await ended('quiet');
    },
    limitMs,
  );
});

describe('conditions that are rejected or fail', () => {
  it.each([
    ['p_bayesian and p_ai do not sum to 1', { p_bayesian: 0.5, p_ai: 0.6 }],
    ['ai_model uses an unsupported provider prefix', { p_ai: 0.5, ai_model: 'nobody:test' }],
    ['Grid example: descending not boolean', { descending: 'yes' }],
    ['an override that the optimizer does not know', { no_such_setting: 1 }],
  ])('%s: the request is invalid', async (_, overrides) => {
    const answer = await submit({
      name: 'refused',
      max_protocol_runs: 2,
      optimize: true,
      meta: { optimizer_overrides: overrides },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid']);
    expect((await lab.api.call('GET', '/api/campaigns/refused')).status).toBe(404);
  });

  it('a given row outside the domain is refused with its path, and nothing is stored', async () => {
    const answer = await submit({
      name: 'outside',
      max_protocol_runs: 3,
      optimize: true,
      protocol_run_parameters: [
        { first: { number: 8, factor: 4 }, second: { factor: 32 } },
        { first: { number: 8, factor: 999 }, second: { factor: 32 } },
        { first: { factor: 999 } },
      ],
    });
    expect([answer.status, pathsOf(answer)]).toEqual([422, ['protocol_run_parameters[1].first.factor']]);
    expect((await lab.api.call('GET', '/api/campaigns/outside')).status).toBe(404);
  });

  it(
    'Grid example: a campaign that samples more points than remain fails, keeps its measurements and stays readable',
    async () => {
      await submit({
        name: 'exhausted',
        max_protocol_runs: 40,
        max_concurrent_protocol_runs: 4,
        optimize: true,
      });
      const campaign = await ended('exhausted');
      expect(campaign).toMatchObject({ state: 'failed', protocol_runs_completed: 36 });
      expect(campaign.reason?.message).toContain('The grid is exhausted');
      const trials = await trialsOf('exhausted');
      expect(trials.map(({ state }) => state)).toEqual(Array.from({ length: 36 }, () => 'measured'));
    },
    limitMs,
  );
});

describe('campaign settings for forms and people', () => {
  it(
    'the defaults of a protocol contain its own settings and those of the AI',
    async () => {
      const { status, body } = await lab.api.call<OptimizerDescription>(
        'GET',
        '/api/protocols/optimize_multiplication/optimizer/defaults',
      );
      expect(status).toBe(200);
      expect(body.input_names).toEqual(['first.number', 'first.factor', 'second.factor']);
      expect(body.fields.map(({ key }) => key)).toEqual(
        expect.arrayContaining(['descending', 'p_ai', 'ai_model']),
      );
    },
    limitMs,
  );

  it('an API key appears in no record, no answer and no log', async () => {
    const paths = [
      '/api/campaigns',
      '/api/campaigns/asked',
      '/api/campaigns/asked/optimizer',
      '/api/campaigns/asked/trials',
    ];
    const answers = await Promise.all(paths.map((path) => lab.api.call<unknown>('GET', path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[1]?.body).toMatchObject({ meta: { optimizer_overrides: { ai_api_key: '***' } } });
    const folder = join(lab.stack.dataDir, 'logs');
    const logs = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    );
    expect(JSON.stringify([answers, logs, lab.stack.output()])).not.toContain(canary);
  });
});
