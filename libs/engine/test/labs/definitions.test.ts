import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, ints, literal, open, TestLab } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' }, { dish: 'dish' });
  test.lab('other', { oven: 'oven' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }], ['l']);
  await test.open();
  return test;
}

const use = (name: string) => ({ name, type: 'use', devices: { d: { lab_name: 'l', name: 'arm' } } });

describe('a change of definitions', () => {
  it('can be refused by its author because of unfinished work and its devices', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.engine.submissions.task(use('t'));
    const before = test.engine.views.devices();
    const seen: unknown[] = [];
    const refusal = test.engine.definitionsChanged((work) => {
      test.definitions.loadedLabs.delete('l');
      for (const { label, labs, devices } of work()) seen.push([label, [...labs], [...devices]]);
      test.definitions.loadedLabs.set('l', test.lab('l', { arm: 'arm' }, { dish: 'dish' }));
      throw new ServiceError('wrong_state', 'in use');
    });
    await expect(refusal).rejects.toMatchObject({ code: 'wrong_state' });
    expect(seen).toEqual([
      ['protocol run r', ['l'], ['l.arm']],
      ['task t', ['l'], []],
    ]);
    expect(test.engine.views.devices()).toEqual(before);
  });

  it('reports no work when all work has ended', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.complete('r/a');
    expect(test.engine.views.unfinishedWork()).toEqual([]);
  });

  it('is reverted when the commit fails', async () => {
    const test = await lab();
    let undone = 0;
    test.store.beforeCommit = () => {
      throw new ServiceError('store_unavailable', 'the database is away');
    };
    await expect(
      test.engine.definitionsChanged(
        () => void test.lab('l', { arm: 'arm', leg: 'leg' }, { dish: 'dish', cup: 'cup' }),
        () => {
          undone += 1;
          test.lab('l', { arm: 'arm' }, { dish: 'dish' });
        },
      ),
    ).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(undone).toBe(1);
    expect(test.engine.views.devices().map((each) => each.name)).toEqual(['arm', 'oven']);
  });
});

describe('a laboratory that drains', () => {
  it('takes no new work, by protocol run, campaign or task, and lets accepted work go on', async () => {
    const test = await lab();
    await test.run('r', 'p');
    test.definitions.draining.add('l');
    await test.engine.definitionsChanged();
    const refused = { code: 'invalid', faults: [expect.objectContaining({ code: 'lab_draining' })] };
    await expect(test.engine.submissions.protocolRun({ name: 's', type: 'p' })).rejects.toMatchObject(
      refused,
    );
    await expect(
      test.engine.submissions.campaign({ name: 'c', protocol: 'p', max_protocol_runs: 1 }),
    ).rejects.toMatchObject(refused);
    await expect(test.engine.submissions.task(use('t'))).rejects.toMatchObject(refused);
    await test.complete('r/a');
    expect(test.runState('r')).toBe('completed');
  });
});

describe('a campaign whose protocol is loaded anew', () => {
  async function running(): Promise<TestLab> {
    const test = await lab();
    test.taskType('count', { input_parameters: ints('n') });
    test.protocol('q', [{ name: 'a', type: 'count', parameters: { n: open } }]);
    const global_parameters = { a: { n: 1 } };
    await test.engine.submissions.campaign({
      name: 'c',
      protocol: 'q',
      max_protocol_runs: 2,
      global_parameters,
    });
    await test.clock.settle();
    return test;
  }
  const replace = (test: TestLab, hash: string): void => {
    const snapshot = test.definitions.protocols.get('q');
    if (snapshot !== undefined) test.definitions.protocols.set('q', { ...snapshot, hash });
  };

  it('finishes its running runs with the old version and starts the next with the new one', async () => {
    const test = await running();
    replace(test, 'new');
    await test.engine.definitionsChanged();
    expect(test.runRow('c_run_1').definitionHash).toBe('protocol-q');
    await test.complete('c_run_1/a');
    expect(test.runRow('c_run_1').definitionHash).toBe('protocol-q');
    expect(test.runRow('c_run_2').definitionHash).toBe('new');
  });

  it('keeps the version it was accepted with when its parameters do not fit the new one', async () => {
    const test = await running();
    test.taskType('count', { input_parameters: ints('n', 'm') });
    test.protocol('q', [{ name: 'a', type: 'count', parameters: { n: literal(1), m: open } }]);
    replace(test, 'new');
    await test.engine.definitionsChanged();
    await test.complete('c_run_1/a');
    expect(test.runRow('c_run_2').definitionHash).toBe('protocol-q');
  });

  it('keeps the version it was accepted with when the protocol is unloaded', async () => {
    const test = await running();
    test.definitions.protocols.delete('q');
    await test.engine.definitionsChanged();
    await test.complete('c_run_1/a');
    expect(test.runRow('c_run_2').definitionHash).toBe('protocol-q');
  });
});
