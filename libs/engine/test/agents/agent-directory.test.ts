import type { DeviceState, DeviceStatus } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { AgentDirectory, type Presence } from '../../src/agents/agent-directory.js';

const arm = (state: DeviceState, seq?: number): DeviceStatus => ({
  lab: 'l',
  name: 'arm',
  state,
  detail: null,
  functions: [],
  ...(seq === undefined ? {} : { seq }),
});

function agentWith(device: DeviceStatus): { directory: AgentDirectory; agent: Presence } {
  const directory = new AgentDirectory(5_000, 15_000);
  directory.registered({ computer: 'pc', session: 's', version: '1', devices: [device] }, 1, 0);
  const agent = directory.current('pc', 1);
  if (agent === undefined) throw new Error('the agent is not registered');
  return { directory, agent };
}

describe('the status of a device', () => {
  it('stays when an earlier report of it arrives late, as an event or in a heartbeat', () => {
    const { directory, agent } = agentWith(arm('idle', 1));
    directory.deviceChanged(agent, arm('uncertain', 4), 10);
    directory.deviceChanged(agent, arm('busy', 3), 11);
    expect(directory.whyUnusable('pc', 'l.arm')).toContain('uncertain');
    directory.heard(agent, [arm('busy', 2)], 12);
    expect(directory.whyUnusable('pc', 'l.arm')).toContain('uncertain');
  });

  it('follows later reports, and those of an agent that does not number them', () => {
    const { directory, agent } = agentWith(arm('idle', 1));
    directory.deviceChanged(agent, arm('uncertain', 2), 10);
    directory.heard(agent, [arm('initializing', 3)], 11);
    expect(directory.whyUnusable('pc', 'l.arm')).toContain('initializing');
    directory.deviceChanged(agent, arm('idle'), 12);
    expect(directory.whyUnusable('pc', 'l.arm')).toBeNull();
  });

  it('begins anew with the next process of the agent', () => {
    const { directory } = agentWith(arm('uncertain', 40));
    directory.registered({ computer: 'pc', session: 't', version: '1', devices: [arm('idle', 1)] }, 2, 20);
    expect(directory.whyUnusable('pc', 'l.arm')).toBeNull();
  });
});

describe('an agent', () => {
  it('is conspicuous while people may have to be asked about it or a device of it', () => {
    const { directory, agent } = agentWith(arm('idle'));
    const heard = (status: Partial<DeviceStatus>): boolean => {
      directory.heard(agent, [{ ...arm('idle'), ...status }], 1_000);
      return agent.isConspicuous;
    };
    const doubt = { id: 'd', in_doubt: [], last_confirmed: null };
    expect([heard({}), heard({ doubt }), heard({})]).toEqual([false, true, false]);
    expect([heard({ silent_since_ms: 1 }), heard({})]).toEqual([true, false]);
    directory.deviceChanged(agent, arm('faulted'), 1_001);
    expect(agent.isConspicuous).toBe(true);
    expect(heard({})).toBe(false);
    const beat = { inc: 1, seq: 1, devices: [], attempts: [] };
    directory.computerReported(agent, { ...beat, ledger_trouble: 'its disk is full' }, 1_002);
    expect(agent.isConspicuous).toBe(true);
    directory.computerReported(agent, { ...beat, ledger_trouble: null }, 1_003);
    expect(agent.isConspicuous).toBe(false);
    for (let n = 0; n < 3; n += 1) directory.computerReported(agent, { ...beat, wall_ms: 9_000 }, 1_004);
    expect(agent.isConspicuous).toBe(true);
  });
});
