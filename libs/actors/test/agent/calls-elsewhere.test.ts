import { callFreshMs, type DeviceFunction } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { deferred, device, task, World } from '../world.js';
import {
  MemoryOrchestrator,
  VirtualTime,
  type DeviceScript,
  type TaskScript,
} from '../../src/testing/index.js';

const functions: DeviceFunction[] = [
  { name: 'move', kind: 'effect' },
  { name: 'look', kind: 'query' },
];
const arm = { lab: 'lab', name: 'arm' };
const move = (callId: string, attemptId?: string) => ({
  callId,
  function: 'move',
  arguments: {},
  ...(attemptId === undefined ? {} : { attemptId, caller: 'elsewhere' }),
});

async function withArm(time: VirtualTime, call: DeviceScript['call']): Promise<World> {
  const orchestrator = new MemoryOrchestrator();
  orchestrator.devices = [device('arm')];
  const script: DeviceScript = { functions, call };
  return new World({ time, orchestrator, computer: 'there', device: () => script }).up();
}

describe('a call from another computer', () => {
  it('is refused after a long delivery and may be sent again with a new clock reading', async () => {
    const time = new VirtualTime();
    const made: string[] = [];
    const there = await withArm(time, async (name) => made.push(name));
    const asOf = there.agent.readClock();
    await time.advance(callFreshMs + 1);
    await expect(there.agent.callDevice(arm, move('person-1'), { asOf })).rejects.toMatchObject({
      code: 'late_message',
      effect: 'none',
    });
    expect(made).toEqual([]);
    await there.callDevice(arm, move('person-1'), {});
    expect(made).toEqual(['move']);
  });

  it('of a person is refused once a task got the device after the fence at which it was free', async () => {
    const made: string[] = [];
    const there = await withArm(new VirtualTime(), async (name) => made.push(name));
    const at = (fence: number): { fence: Record<string, number> } => ({ fence: { 'lab.arm': fence } });
    await there.callDevice(arm, move('person-1'), at(3));
    await there.callDevice(arm, move('a/1', 'a'), at(4));
    await expect(there.callDevice(arm, move('person-2'), at(3))).rejects.toMatchObject({
      code: 'device_in_use',
      effect: 'none',
    });
    expect(made).toHaveLength(2);
    // A forced call names no fence. The call of a person never makes the fence of a task an old one.
    await there.callDevice(arm, move('person-3'), {});
    await there.callDevice(arm, move('person-4'), at(9));
    await there.callDevice(arm, move('a/2', 'a'), at(4));
    expect(made).toHaveLength(5);
  });

  it('that may only be a query is refused when the function is none', async () => {
    const made: string[] = [];
    const there = await withArm(new VirtualTime(), async (name) => made.push(name));
    const query = { ...move('person-1'), query: true };
    await expect(there.callDevice(arm, query, {})).rejects.toMatchObject({
      code: 'stale_message',
      effect: 'none',
    });
    await there.callDevice(arm, { ...query, callId: 'person-2', function: 'look' }, {});
    expect(made).toEqual(['look']);
  });

  it('does not begin after the end of its attempt, whether it waits or arrives later', async () => {
    const made: string[] = [];
    const end = deferred<string>();
    const there = await withArm(new VirtualTime(), (name) => {
      made.push(name);
      return end.promise;
    });
    const fence = { 'lab.arm': 3 };
    const going = there.callDevice(arm, move('a/1', 'a'), { fence });
    await there.time.advance(0);
    const waiting = there.callDevice(arm, move('a/2', 'a'), { fence });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'aborted', effect: 'none' });
    // Another computer may name any attempt, and reaches only its own calls.
    expect(there.agent.barCalls('a', 'another', 'a lie')).toBe(false);
    await there.time.advance(100);
    expect(made).toEqual(['move']);
    expect(there.agent.barCalls('a', 'elsewhere', 'its agent ended')).toBe(true);
    await refused;
    await expect(there.callDevice(arm, move('a/3', 'a'), { fence })).rejects.toMatchObject({
      code: 'aborted',
      effect: 'none',
    });
    end.resolve('moved');
    expect(await going).toBe('moved');
    expect(there.agent.barCalls('a', 'elsewhere', 'its agent ended')).toBe(false);
    await there.callDevice(arm, move('b/1', 'b'), { fence: { 'lab.arm': 4 } });
    expect(made).toEqual(['move', 'move']);
  });
});

describe('an attempt whose agent died while a device of another computer worked for it', () => {
  const handle: TaskScript = async ({ call }) => {
    await call('arm', 'move');
    return {};
  };

  /** The restarted agent `here`, whose first process died in the middle of a call to `there`. */
  async function secondLife(there?: World): Promise<World> {
    const time = there?.time ?? new VirtualTime();
    const orchestrator = new MemoryOrchestrator();
    const first = await new World({ time, orchestrator, tasks: { handle } }).up();
    if (there === undefined) first.peers.call = () => new Promise(() => undefined);
    else first.peers.agents.set('there', there.agent);
    const start = task('a', 'handle', { devices: { arm: { computer: 'there' } } });
    start.devices['arm']?.functions?.push(...functions);
    await first.agent.startTask(start, {});
    await time.advance(0);
    const second = new World({ time, orchestrator, ledger: first.crash(), session: 'later-' });
    if (there !== undefined) second.peers.agents.set('there', there.agent);
    return second.up();
  }

  it('is reported as ended only after that device has ended, and none of its calls begins afterwards', async () => {
    const end = deferred<string>();
    const there = await withArm(new VirtualTime(), () => end.promise);
    const here = await secondLife(there);
    expect(there.state('arm')).toBe('busy');
    await there.time.advance(10_000);
    expect(here.orchestrator.results).toEqual([]);
    expect(here.agent.attempts()).toEqual([{ attempt_id: 'a', status: 'ended' }]);
    end.resolve('moved');
    await there.time.advance(500);
    expect(here.orchestrator.results).toMatchObject([{ attempt_id: 'a', outcome: { kind: 'unknown' } }]);
    const late = there.callDevice(arm, move('a/7', 'a'), { fence: { 'lab.arm': 1 } });
    await expect(late).rejects.toMatchObject({ code: 'aborted', effect: 'none' });
  });

  it('is reported as ended when the other agent has restarted, because its devices restarted too', async () => {
    const here = await secondLife();
    await here.time.advance(10_000);
    expect(here.orchestrator.results).toEqual([]);
    here.peers.hear('there', 2);
    await here.time.advance(500);
    expect(here.orchestrator.results).toMatchObject([{ outcome: { kind: 'unknown' } }]);
  });

  it('is reported as ended when the other agent stays silent longer than any call may take', async () => {
    const here = await secondLife();
    await here.time.advance(callFreshMs + 2 * 65_000 - 1_000);
    expect(here.orchestrator.results).toEqual([]);
    await here.time.advance(2_000);
    expect(here.orchestrator.results).toMatchObject([{ outcome: { kind: 'unknown' } }]);
  });

  it('is taken over by the next agent process when this one stops earlier', async () => {
    const here = await secondLife();
    const stopped = here.agent.stop('the agent is stopping');
    await here.time.advance(30_000);
    await stopped;
    expect(here.orchestrator.results).toEqual([]);
    const { time, orchestrator } = here;
    const third = await new World({ time, orchestrator, ledger: here.crash(), session: 'third-' }).up();
    expect(third.agent.attempts()).toEqual([{ attempt_id: 'a', status: 'ended' }]);
    third.peers.hear('there', 2);
    await time.advance(500);
    expect(orchestrator.results).toMatchObject([{ outcome: { kind: 'unknown' } }]);
  });
});
