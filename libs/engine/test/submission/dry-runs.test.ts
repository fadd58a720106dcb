import {
  isServiceError,
  type CampaignSubmission,
  type ProtocolRunSubmission,
  type Submission,
  type TaskSubmission,
} from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { here } from '../search-lab.js';
import { device, ints, open, TestLab } from '../test-lab.js';

/** A laboratory with work in every state that a submission may meet. */
async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm', mixer: 'mixer' }, { cup: 'cup' });
  test.taskType('measure', {
    input_parameters: ints('n', 'm'),
    output_parameters: { score: { type: 'float', desc: '', unit: 'n/a' } },
  });
  test.taskType('rinse', {
    devices: { arm: { type: 'arm' } },
    input_resources: { cup: { type: 'cup' } },
    input_parameters: {
      ...ints('n'),
      speed: { type: 'int', desc: '', unit: 'n/a', value: 3 },
    },
  });
  test.protocol('p', [{ name: 'a', type: 'measure', parameters: { n: open, m: open } }]);
  test.protocol('plain', [{ name: 'a', devices: { d: device('l.arm') } }]);
  test.protocol('elsewhere', [{ name: 'a', devices: { d: device('m.arm') } }], ['l', 'm']);
  const snapshot = test.definitions.protocols.get('p');
  if (snapshot === undefined) throw new Error('no protocol');
  snapshot.protocol.optimizer = { hash: 'o', package: 'l', source: 'optimizer.ts' };
  test.optimizers.boot(here);
  await test.open({ maxQueued: 14, maxQueuedPerOwner: 3 });
  await test.run('failed', 'plain');
  await test.fail('failed/a');
  await test.run('completed', 'plain');
  await test.complete('completed/a');
  await test.run('goes_on', 'plain');
  await test.run('paused', 'plain');
  await test.engine.work.pauseProtocolRun('paused', 'ada');
  await test.engine.submissions.campaign({
    name: 'sweep',
    protocol: 'plain',
    max_protocol_runs: 3,
    on_run_failure: 'pause',
  });
  await test.clock.settle();
  return test;
}

const run = (name: string, more: Partial<ProtocolRunSubmission> = {}): Submission => ({
  kind: 'protocol_run',
  submission: { name, type: 'plain', ...more },
});
const campaign = (name: string, more: Partial<CampaignSubmission> = {}): Submission => ({
  kind: 'campaign',
  submission: {
    name,
    protocol: 'p',
    max_protocol_runs: 2,
    global_parameters: { a: { n: 1, m: 2 } },
    ...more,
  },
});
const task = (name: string, more: Partial<TaskSubmission> = {}): Submission => ({
  kind: 'task',
  submission: {
    name,
    type: 'rinse',
    devices: { arm: { lab_name: 'l', name: 'arm' } },
    input_resources: { cup: 'cup' },
    input_parameters: { n: 1 },
    ...more,
  },
});

/** Each is tried out and then submitted. Accepted ones stay, so that later ones meet them. */
const submissions: [what: string, submission: Submission][] = [
  ['a run', run('r')],
  ['a run whose name is taken', run('r')],
  ['a run whose name is that of one that is over', run('completed')],
  ['a run with the name of a coming run of a campaign', run('sweep_run_3')],
  ['a run of a protocol that is not there', run('x', { type: 'plane' })],
  ['a run with parameters that its protocol does not leave open', run('x', { parameters: { a: { n: 1 } } })],
  ['a run without its parameters', run('x', { type: 'p' })],
  ['a run with values of the wrong type', run('x', { type: 'p', parameters: { a: { n: 'b', m: 0.5 } } })],
  ['a run with a policy for a task that is not there', run('x', { failure_policy: { b: { timeout: 1 } } })],
  ['a run in a laboratory that is not loaded', run('x', { type: 'elsewhere' })],
  ['a resume of a run that failed', run('failed', { resume: true })],
  ['a resume of a run that goes on', run('goes_on', { resume: true })],
  ['a resume of a run that is completed', run('completed', { resume: true })],
  ['a resume of a run that is paused', run('paused', { resume: true })],
  ['a resume with another type', run('failed', { resume: true, type: 'p' })],
  ['a resume of nothing, which is a new run', run('fresh', { resume: true, meta: { by: 'script' } })],
  ['a task', task('t')],
  ['a task whose name is taken', task('t')],
  ['a task of a type that is not there', task('x', { type: 'rinze' })],
  ['a task without its parameters', task('x', { input_parameters: {} })],
  ['a task with a parameter too many', task('x', { input_parameters: { n: 1, o: 2 } })],
  ['a task on a device that is not there', task('x', { devices: { arm: { lab_name: 'l', name: 'leg' } } })],
  ['a task on a device of another type', task('x', { devices: { arm: { lab_name: 'l', name: 'mixer' } } })],
  ['a task with a resource that is not there', task('x', { input_resources: { cup: 'mug' } })],
  ['a campaign', campaign('c')],
  ['a campaign whose name is taken', campaign('c')],
  ['a campaign that would have a run of a taken name', campaign('goes_on_run', { name: 'sweep_run_1' })],
  ['a campaign without parameters', campaign('x', { global_parameters: {} })],
  ['a campaign with too few rows', campaign('x', { protocol_run_parameters: [{ a: { n: 1 } }] })],
  ['a campaign with a limit of failures without effect', campaign('x', { max_failures: 2 })],
  ['a campaign with an optimizer', campaign('o', { optimize: true, global_parameters: { a: { m: 1 } } })],
  ['a campaign whose optimizer is nowhere', campaign('x', { optimize: true, optimizer_ip: '10.0.0.9' })],
  ['a campaign whose protocol has no optimizer', campaign('x', { optimize: true, protocol: 'plain' })],
  [
    'a campaign with overrides that its optimizer does not know',
    campaign('x', { optimize: true, meta: { optimizer_overrides: { wat: 1 } } }),
  ],
  ['a campaign with overrides that are no object', campaign('x', { meta: { optimizer_overrides: 7 } })],
  ['a resume of a campaign that goes on', campaign('sweep', { resume: true, protocol: 'plain' })],
  ['a resume of a campaign with other parameters', campaign('c', { resume: true, max_protocol_runs: 9 })],
  ...[1, 2, 3, 4, 5].map((n): [string, Submission] => [
    `number ${n} of one owner, of whom only so many may wait`,
    task(`mine_${n}`, { owner: 'ada' }),
  ]),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n): [string, Submission] => [
    `number ${n} of more than may wait in all`,
    task(`many_${n}`),
  ]),
];

const answered = async (act: Promise<unknown>): Promise<unknown> => {
  try {
    await act;
    return 'accepted';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const { code, message, faults, effect } = error;
    return { code, message, faults, effect };
  }
};

const submitted = ({ engine }: TestLab, { kind, submission }: Submission): Promise<unknown> => {
  switch (kind) {
    case 'protocol_run':
      return engine.submissions.protocolRun(submission);
    case 'campaign':
      return engine.submissions.campaign(submission);
    case 'task':
      return engine.submissions.task(submission);
  }
};

describe('a dry run', () => {
  it('gets the answer of the submission in every state, and changes nothing', async () => {
    const test = await lab();
    const outcomes = new Set<unknown>();
    for (const [what, submission] of submissions) {
      const before = JSON.stringify([test.store.commits, Object.values(test.store.rows).map((m) => [...m])]);
      const given = JSON.stringify(submission);
      const tried = await answered(test.engine.submissions.tryOut(submission));
      await test.clock.settle();
      expect(
        JSON.stringify([test.store.commits, Object.values(test.store.rows).map((m) => [...m])]),
        what,
      ).toBe(before);
      expect(JSON.stringify(submission), what).toBe(given);
      const meant = await answered(submitted(test, submission));
      await test.clock.settle();
      expect(tried, what).toEqual(meant);
      outcomes.add(meant === 'accepted' ? meant : (meant as { code: string }).code);
    }
    expect([...outcomes].sort()).toEqual(
      [
        'accepted',
        'backlog_full',
        'duplicate_name',
        'invalid',
        'optimizer_unavailable',
        'unknown_protocol',
        'unknown_task_type',
        'wrong_state',
      ].sort(),
    );
  });

  it('returns the submission with its defaults, which is equivalent', async () => {
    const test = await lab();
    expect(await test.engine.submissions.tryOut(task('t'))).toEqual({
      kind: 'task',
      submission: {
        name: 't',
        type: 'rinse',
        owner: '',
        devices: { arm: { lab_name: 'l', name: 'arm' } },
        input_parameters: { n: 1, speed: 3 },
        input_resources: { cup: 'cup' },
        priority: 0,
        allocation_timeout: 600,
        meta: {},
      },
    });
    for (const asked of [run('r'), campaign('c'), task('t')]) {
      const resolved = await test.engine.submissions.tryOut(asked);
      if (resolved === null) throw new Error('it is new');
      expect(await test.engine.submissions.tryOut(resolved)).toEqual(resolved);
    }
  });

  it('of a resume is reported as a resume', async () => {
    const test = await lab();
    expect(await test.engine.submissions.tryOut(run('failed', { resume: true }))).toBeNull();
    expect(test.runState('failed')).toBe('failed');
    expect(await test.engine.submissions.tryOut(run('new', { resume: true }))).toMatchObject({
      submission: { name: 'new', resume: true },
    });
  });
});
