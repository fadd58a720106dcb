import { beforeEach, describe, expect, it } from 'vitest';
import { agentEvents, orchestratorRequests, ServiceError, type ErrorCode } from '@lab/contracts';
import { MemoryAnnouncements, ScriptedRequests } from '../twins.js';
import { EmergencyStops } from '../../src/operating/emergency-stops.js';

const { engageStop } = orchestratorRequests;

let announcements: MemoryAnnouncements;
let requests: ScriptedRequests;
let stops: EmergencyStops;
/** What happened, in order. */
let order: string[];

beforeEach(() => {
  order = [];
  announcements = new MemoryAnnouncements();
  requests = new ScriptedRequests();
  const announce = announcements.announce.bind(announcements);
  announcements.announce = (definition, ...rest) => {
    order.push(definition.name);
    return announce(definition, ...rest);
  };
  stops = new EmergencyStops(announcements, requests, { totalMs: 600, answerMs: 10, pauseMs: 5 });
});

const refuse = (code: ErrorCode, effect: 'none' | 'maybe', times = Infinity): void => {
  let left = times;
  requests.on(engageStop, ({ id }) => {
    order.push(engageStop.name);
    left -= 1;
    if (left >= 0) throw new ServiceError(code, `it is ${code}`, { effect });
    return { id };
  });
};

describe('an emergency stop', () => {
  it('reaches the agents before anything else', async () => {
    refuse('store_unavailable', 'none', 0);
    const id = await stops.engage({});
    expect(order).toEqual([agentEvents.emergencyStop.name, engageStop.name]);
    expect(announcements.announced).toMatchObject([{ body: { id, scope: 'all' } }]);
  });

  it.each([
    ['store_unavailable', 'none'],
    ['service_unavailable', 'none'],
    ['deadline_exceeded', 'maybe'],
    ['disconnected', 'maybe'],
  ] as const)(
    'is recorded by a repeated request for the same stop after %s with effect %s',
    async (code, effect) => {
      refuse(code, effect, 2);
      const id = await stops.engage({});
      const ids = requests.of(engageStop).map(({ body }) => (body as { id: string }).id);
      expect(ids).toEqual([id, id, id]);
      expect(announcements.announced).toHaveLength(1);
    },
  );

  it('reports that the agents obey it when it cannot be recorded', async () => {
    refuse('store_unavailable', 'none');
    const failure = await stops.engage({ lab_name: 'l' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'service_unavailable', effect: 'done', retryable: false });
    expect((failure as Error).message).toContain('agents were told');
    expect(requests.of(engageStop).length).toBeGreaterThan(2);
  });

  it('reports that it reached no agent, and where to turn', async () => {
    refuse('disconnected', 'none');
    announcements.failure = new ServiceError('disconnected', 'no connection');
    const failure = await stops.engage({}).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'service_unavailable', effect: 'maybe' });
    expect((failure as Error).message).toContain('stop switches');
    expect(order.filter((name) => name === agentEvents.emergencyStop.name).length).toBeGreaterThan(2);
  });

  it('reaches the agents as soon as the broker is back', async () => {
    announcements.failure = new ServiceError('disconnected', 'no connection');
    requests.on(engageStop, ({ id }) => {
      if (announcements.announced.length > 0) return { id };
      announcements.failure = undefined;
      throw new ServiceError('disconnected', 'no connection');
    });
    const id = await stops.engage({});
    expect(announcements.announced).toMatchObject([{ body: { id } }]);
  });

  it.each(['unknown_lab', 'unknown_device'] as const)(
    'is not requested again after the refusal %s',
    async (code) => {
      refuse(code, 'none');
      await expect(stops.engage({ lab_name: 'l', device_name: 'd' })).rejects.toMatchObject({ code });
      expect(requests.sent).toHaveLength(1);
    },
  );
});
