import { expect, it } from 'vitest';
import type { AgentAddress } from '../../src/rows/ports.js';
import { device, TestLab } from '../test-lab.js';

it('a start carries the number of the newest heartbeat of its agent, and 0 before the first', async () => {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
  const starts: AgentAddress[] = [];
  test.agents.onCall = (kind, to) => {
    if (kind === 'start') starts.push(to);
    return 'delivered';
  };
  const engine = await test.open();
  await test.run('first', 'p');
  await test.complete('first/a');
  const beat = (seq: number): void =>
    engine.agents.heartbeat('svc_computer', {
      inc: 1,
      seq,
      devices: [{ lab: 'l', name: 'arm', state: 'idle', detail: null, functions: [] }],
      attempts: [],
    });
  beat(7);
  beat(6);
  await test.run('second', 'p');
  expect(starts.map(({ fresh }) => fresh)).toEqual([0, 7]);
});
