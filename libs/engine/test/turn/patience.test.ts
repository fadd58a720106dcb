import { describe, expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

async function lab() {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('wait');
  await test.open();
  const start = test.agents.start.bind(test.agents);
  // As a real agent answers, which starts the process of the task later.
  test.agents.start = async (...given) => ((await start(...given)) === 'running' ? 'accepted' : 'ended');
  const commits: string[][] = [];
  test.store.beforeCommit = (changes) => void commits.push(changes.map(({ op }) => op));
  const attempt = () => [...test.store.rows.attempts.values()][0]?.state;
  return { test, commits, attempt };
}

describe('the acceptance of a task by its agent', () => {
  it('is committed 20 ms later, if nothing else is', async () => {
    const { test, commits, attempt } = await lab();
    await test.engine.submissions.task({ name: 't', type: 'wait' });
    await test.clock.advance(19);
    expect([commits.length, attempt()]).toEqual([1, 'dispatching']);
    await test.clock.advance(1);
    expect([commits.length, attempt()]).toEqual([2, 'running']);
  });

  it('is committed together with the end of the task, if that comes first', async () => {
    const { test, commits, attempt } = await lab();
    await test.engine.submissions.task({ name: 't', type: 'wait' });
    await test.clock.settle();
    await test.agents.complete('t');
    expect([commits.length, attempt()]).toEqual([2, 'completed']);
    expect(commits[1]?.filter((op) => op === 'updateAttempt')).toHaveLength(2);
    await test.clock.advance(100);
    expect(commits).toHaveLength(2);
  });

  it('is forgotten when the engine stops', async () => {
    const { test, commits } = await lab();
    await test.engine.submissions.task({ name: 't', type: 'wait' });
    await test.clock.settle();
    await test.engine.stop();
    await test.clock.advance(100);
    expect(commits).toHaveLength(1);
  });
});
