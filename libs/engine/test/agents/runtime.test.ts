import type { AttemptOutcome, CodeRuntime } from '@lab/contracts';
import { expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

const completed: AttemptOutcome = {
  kind: 'completed',
  output_parameters: {},
  output_resources: {},
  files: [],
};
const python: CodeRuntime = { name: 'python', version: '3.11.2', environment: 'ab12' };

it.each<[string, AttemptOutcome]>([
  ['completed', completed],
  ['failed', { kind: 'failed', code: 'task_error', error: { message: 'no' } }],
  ['cancelled', { kind: 'cancelled' }],
  ['unknown', { kind: 'unknown', detail: 'the agent ended while the task ran' }],
])('an attempt that %s keeps what its agent says that executed it', async (_, outcome) => {
  for (const runtime of [python, undefined]) {
    const test = new TestLab();
    test.lab('l', { arm: 'arm@pc' });
    test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
    await test.open();
    await test.run('r', 'p');
    const attempt = test.agents.running()[0]?.attempt ?? '';
    test.agents.finishSilently(attempt, 'pc', outcome);
    const result = { attempt_id: attempt, computer: 'pc', inc: 1, outcome };
    await test.engine.agents.attemptEnded({ ...result, ...(runtime === undefined ? {} : { runtime }) });
    await test.clock.settle();
    expect([...test.store.rows.attempts.values()]).toMatchObject([{ runtime: runtime ?? null }]);
  }
});
