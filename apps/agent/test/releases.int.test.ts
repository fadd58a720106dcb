import { agentProtocol, orchestratorEvents } from '@lab/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Lab } from './lab.js';

/** A real agent at a real broker, whose release does not fit that of the orchestrator. */

let lab: Lab;
beforeAll(async () => void (lab = await Lab.open()));
afterAll(() => lab.close());

it.each([
  ['bench_old', { min: 7, max: 9 }, 'update this agent to a release that speaks version 7 to 9'],
  ['bench_new', { min: 0, max: 0 }, 'update the service first, then its agents'],
])(
  '%s starts no device, says why, and comes back when the service was updated',
  async (computer, speaks, why) => {
    lab.speaks = speaks;
    lab.assigned.set(computer, [lab.device(computer)]);
    const { lines } = lab.launch(computer);
    await lab.until('the agent says why', () => lines.some((line) => line.includes(why)));
    expect([lab.inc(computer), lab.latest(computer)]).toEqual([0, undefined]);
    lab.speaks = agentProtocol;
    lab.bus.publish(orchestratorEvents.leading, {}, { epoch: 2, instance: 'updated' });
    await lab.deviceIs(computer, 'idle');
  },
);
