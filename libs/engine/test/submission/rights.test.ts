import { orchestratorRequests, type LabRights } from '@lab/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { anyDevice, device, TestLab } from '../test-lab.js';

/** The laboratory `own` of the caller, one that the caller only sees, and one that the caller does not see. */
const rights: LabRights = { see: ['own', 'seen'], use: ['own'] };

let test: TestLab;
beforeEach(async () => {
  test = new TestLab();
  test.lab('own', { arm: 'arm' }, { own_cup: 'cup' });
  test.lab('seen', { arm: 'arm' }, { seen_cup: 'cup' });
  test.lab('secret_place', { hidden_arm: 'arm' }, { hidden_cup: 'cup' });
  test.taskType('use', { devices: { arm: { type: 'arm' } } });
  test.taskType('fill', { input_resources: { cup: { type: 'cup' } } });
  test.taskType('count');
  const tasks = (slot = anyDevice('arm')) => [{ name: 'a', devices: { arm: slot } }];
  test.protocol('mine', tasks(), ['own']);
  test.protocol('shared', tasks(), ['own', 'seen']);
  test.protocol('mixed', tasks(), ['own', 'secret_place']);
  test.protocol('foreign', tasks(device('secret_place.hidden_arm')), ['secret_place']);
  await test.open();
});

/** Everything that an error says. */
const said = (error: unknown): string =>
  JSON.stringify([(error as Error).message, (error as { faults: unknown }).faults]);
const refusal = (act: Promise<unknown>): Promise<{ code: string; text: string }> =>
  act.then(
    () => ({ code: 'accepted', text: '' }),
    (error: unknown) => ({ code: (error as { code: string }).code, text: said(error) }),
  );
const onArm = (lab: string, name = 'arm') => ({
  ...{ name: 't', type: 'use' },
  devices: { arm: { lab_name: lab, name } },
});

describe('work of a caller with roles for single laboratories', () => {
  it('is accepted in them, and placed on their devices alone', async () => {
    await test.engine.submissions.protocolRun({ name: 'r', type: 'mine' }, rights);
    await test.engine.submissions.task(onArm('own'), rights);
    await test.engine.submissions.campaign({ name: 'c', protocol: 'mine', max_protocol_runs: 2 }, rights);
    await test.clock.settle();
    expect(test.allocated()).toEqual(['own.arm']);
    expect(test.running()).toEqual(['r/a']);
  });

  it.each([
    ['shared', 'forbidden', 'may use seen, for which you do not have the role submitter'],
    ['mixed', 'forbidden', 'may use other laboratories, for which you do not have the role submitter'],
    ['foreign', 'unknown_protocol', 'no protocol \\"foreign\\" is loaded'],
    ['absent', 'unknown_protocol', 'no protocol \\"absent\\" is loaded'],
  ])('is refused for the protocol %s, also as a dry run', async (type, code, text) => {
    const campaign = { name: 'c', protocol: type, max_protocol_runs: 1 };
    const { submissions } = test.engine;
    for (const act of [
      submissions.protocolRun({ name: 'r', type }, rights),
      submissions.campaign(campaign, rights),
      submissions.tryOut({ kind: 'protocol_run', submission: { name: 'r', type } }, rights),
      submissions.tryOut({ kind: 'campaign', submission: campaign }, rights),
    ]) {
      const found = await refusal(act);
      expect(found).toEqual({ code, text: expect.stringContaining(text) });
      expect(found.text).not.toMatch(/secret_place|hidden|mixed,|, foreign/);
    }
    expect(test.store.rows.protocolRuns.size + test.store.rows.campaigns.size).toBe(0);
  });

  it('is refused on a device of another laboratory, whether or not that exists', async () => {
    const tried = async (lab: string, name: string): Promise<{ code: string; text: string }> => {
      const act = test.engine.submissions.task(onArm(lab, name), rights);
      const dry = { kind: 'task', submission: onArm(lab, name) } as const;
      const found = await refusal(act);
      expect(await refusal(test.engine.submissions.tryOut(dry, rights))).toEqual(found);
      return found;
    };
    expect((await tried('seen', 'arm')).text).toContain('may use seen,');
    const existing = await tried('secret_place', 'hidden_arm');
    expect(existing).toEqual(await tried('nowhere', 'arm'));
    expect(existing).toEqual({
      code: 'forbidden',
      text: expect.stringContaining('may use other laboratories'),
    });
  });

  it('gets no hint with a name of another laboratory', async () => {
    const { submissions } = test.engine;
    const missing = await refusal(submissions.task({ name: 't', type: 'use' }, rights));
    expect(missing).toMatchObject({ code: 'invalid', text: expect.stringContaining('own.arm') });
    const cup = (name: string) => ({ name: 't', type: 'fill', input_resources: { cup: name } });
    const hidden = await refusal(submissions.task(cup('hidden_cup'), rights));
    const absent = await refusal(submissions.task(cup('hidden_pot'), rights));
    expect(hidden.code).toBe('invalid');
    expect(hidden.text.replaceAll('hidden_cup', 'hidden_pot')).toBe(absent.text);
    expect(await refusal(submissions.task(cup('seen_cup'), rights))).toMatchObject({ code: 'forbidden' });
    for (const { text } of [missing, absent]) expect(text).not.toMatch(/seen|secret_place|hidden_cup/);
  });

  it('needs a role for all laboratories when it belongs to none', async () => {
    const task = { name: 't', type: 'count' };
    expect(await refusal(test.engine.submissions.task(task, rights))).toMatchObject({ code: 'forbidden' });
    await test.engine.submissions.task(task, { see: ['own'], use: 'all' });
  });

  it('of other laboratories is not resumed and not changed, as if it did not exist', async () => {
    await test.engine.submissions.protocolRun({ name: 'r', type: 'foreign' });
    await test.engine.submissions.protocolRun({ name: 's', type: 'shared' });
    await test.engine.submissions.campaign({ name: 'c', protocol: 'foreign', max_protocol_runs: 1 });
    await test.engine.submissions.task({ ...onArm('secret_place', 'hidden_arm'), name: 'far' });
    const { work, changes, submissions } = test.engine;
    const change = { priority: 3 };
    for (const act of [
      work.resumeProtocolRun('r', 'eve', rights),
      work.resumeCampaign('c', 'eve', undefined, rights),
      work.resumeCampaign('c', 'eve', {}, rights),
      submissions.protocolRun({ name: 'r', type: 'foreign', resume: true }, rights),
      submissions.campaign({ name: 'c', protocol: 'foreign', max_protocol_runs: 1, resume: true }, rights),
      changes.protocolRun('r', change, 'eve', rights),
      changes.task('a', 'r', change, 'eve', rights),
      changes.task('far', undefined, change, 'eve', rights),
      changes.campaign('c', change, 'eve', rights),
    ])
      expect(await refusal(act)).toEqual({ code: 'not_found', text: expect.stringContaining('there is no') });
    for (const act of [
      work.resumeProtocolRun('s', 'eve', rights),
      changes.protocolRun('s', change, 'eve', rights),
      changes.task('a', 's', change, 'eve', rights),
    ])
      expect(await refusal(act)).toEqual({
        code: 'forbidden',
        text: expect.stringContaining('may use seen,'),
      });
    expect(test.runRow('s')?.priority).toBe(0);
  });
});

it.each([
  'submitTask',
  'submitProtocolRun',
  'submitCampaign',
  'dryRun',
  'simulate',
  'simulateProtocolRun',
  'resumeProtocolRun',
  'resumeCampaign',
  'changeTask',
  'changeProtocolRun',
  'changeCampaign',
  'readQueue',
  'readUsage',
  'readSchedule',
] as const)('the request %s without rights is refused', (name) => {
  const work = { name: 'x', type: 't', protocol: 'p', max_protocol_runs: 1, by: 'eve', change: {} };
  const page = { limit: 1, descending: false, after: null };
  const dry = { kind: 'task', submission: { name: 'x', type: 't' } };
  const faults = (rights: object): string[] => {
    const body = { ...(name === 'dryRun' ? dry : { ...work, ...page, submission: work }), ...rights };
    const checked = orchestratorRequests[name].request.check(body);
    return checked.ok ? [] : checked.faults.map(({ path }) => path.split('.')[0] ?? '');
  };
  expect(faults({})).toContain('rights');
  expect(faults({ rights: { see: 'all' } })).toContain('rights');
  expect(faults({ rights: { see: 'all', use: ['own'] } })).not.toContain('rights');
});
