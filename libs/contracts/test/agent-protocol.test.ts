import { describe, expect, it } from 'vitest';
import { agentProtocol, demandCommonProtocol, spokenProtocol } from '../src/index.js';

const agent = (min: number, max: number) => ({
  computer: 'bench_b',
  version: '0.3.0',
  protocol: { min, max },
});
const service = { min: 3, max: 4 };

describe('the protocol of an agent', () => {
  it.each([
    [3, 3],
    [4, 4],
    [1, 3],
    [4, 9],
    [1, 9],
  ])('from %i to %i has a version in common with 3 to 4', (min, max) => {
    expect(() => demandCommonProtocol(agent(min, max), service)).not.toThrow();
  });

  it('that is too old is told to be updated', () => {
    expect(() => demandCommonProtocol(agent(1, 2), service)).toThrow(
      expect.objectContaining({
        code: 'upgrade_required',
        message:
          'the agent of computer bench_b (release 0.3.0) speaks version 1 to 2 of the protocol, and the service version 3 to 4; update this agent to a release that speaks version 3 to 4: "svc agent packages" lists those of the service',
      }) as Error,
    );
  });

  it('that is too new waits for an update of the service', () => {
    expect(() => demandCommonProtocol(agent(5, 5), service)).toThrow(
      /speaks version 5 of the protocol.*update the service first, then its agents, to a release that speaks version 5;/,
    );
  });

  it('that an older agent does not name is version 1', () => {
    const unsaid = { computer: 'bench_b', version: '0.1.0' };
    expect(() => demandCommonProtocol(unsaid)).not.toThrow();
    expect(() => demandCommonProtocol(unsaid, { min: 2, max: 3 })).toThrow('update this agent');
    expect(spokenProtocol(undefined)).toEqual({ min: 1, max: 1 });
  });

  it('of this release covers the release before it', () => {
    expect(agentProtocol.min).toBeLessThanOrEqual(Math.max(1, agentProtocol.max - 1));
  });
});
