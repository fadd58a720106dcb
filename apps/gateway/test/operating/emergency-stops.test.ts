import { beforeEach, describe, expect, it } from 'vitest';
import {
  agentEvents,
  orchestratorRequests,
  ServiceError,
  type DeviceRecord,
  type DeviceState,
  type DeviceStatus,
  type EmergencyStop,
  type ErrorCode,
} from '@lab/contracts';
import { MemoryAnnouncements, ScriptedRequests } from '../twins.js';
import { deviceDetail } from '../color-lab-records.js';
import { EmergencyStops } from '../../src/operating/emergency-stops.js';
import { DeviceRoster } from '../../src/operating/roster.js';
import { StopReports } from '../../src/operating/stop-reports.js';

const { engageStop, listDevices } = orchestratorRequests;

let announcements: MemoryAnnouncements;
let requests: ScriptedRequests;
let reports: StopReports;
let stops: EmergencyStops;
/** What happened, in order. */
let order: string[];
/** What the agents do with a notification, which they get each time. */
let agents: (stop: EmergencyStop) => void;

const device = (name: string, more: Partial<DeviceRecord> = {}): DeviceRecord => ({
  ...{ ...deviceDetail, lab_name: 'l', name, computer: 'bench', functions: [] },
  ...more,
});
const status = (name: string, state: DeviceState, more: Partial<DeviceStatus> = {}): DeviceStatus => ({
  ...{ lab: 'l', name, state, detail: null, functions: [] },
  ...more,
});
const moving = {
  ...{ call_id: 'c', function: 'move', arguments: { to: 'rack' }, attempt_id: 'a' },
  since: '2026-11-23T09:00:00.000Z',
};
const moves = (name: string): DeviceStatus => {
  const { since, ...call } = moving;
  return status(name, 'busy', { doing: { ...call, since_ms: Date.parse(since) } });
};

beforeEach(() => {
  order = [];
  agents = () => undefined;
  announcements = new MemoryAnnouncements();
  requests = new ScriptedRequests();
  reports = new StopReports();
  const announce = announcements.announce.bind(announcements);
  announcements.announce = async (definition, ...rest) => {
    order.push(definition.name);
    await announce(definition, ...rest);
    agents(rest[1] as EmergencyStop);
  };
  const patience = { answerMs: 150, lookMs: 100, recordMs: 600, requestMs: 20, firstMs: 5, pauseMs: 5 };
  stops = new EmergencyStops(announcements, requests, reports, new DeviceRoster(requests), patience);
});

const roster = (...devices: DeviceRecord[]): void => void requests.on(listDevices, () => ({ devices }));

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
    roster();
    const { stop, recorded, confirmed } = await stops.engage({}, 'all');
    expect(order.filter((name, at) => order.indexOf(name) === at)).toEqual([
      agentEvents.emergencyStop.name,
      engageStop.name,
    ]);
    expect(announcements.announced[0]).toMatchObject({ body: { id: stop.id, scope: 'all' } });
    expect([recorded, confirmed]).toEqual([true, true]);
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
      const { stop, recorded } = await stops.engage({}, 'all');
      const ids = requests.of(engageStop).map(({ body }) => (body as { id: string }).id);
      expect([ids, recorded]).toEqual([[stop.id, stop.id, stop.id], true]);
    },
  );

  it('that cannot be recorded in time is answered, and its record is tried further', async () => {
    refuse('store_unavailable', 'none');
    roster(device('arm'));
    agents = ({ id }) => reports.hear('bench', { id, devices: [status('arm', 'idle')] });
    const { recorded, confirmed, stop } = await stops.engage({ lab_name: 'l' }, 'all');
    expect([recorded, confirmed]).toEqual([false, true]);
    const tried = requests.of(engageStop).length;
    expect(stops.engaged(stop.id)).toEqual(stop);
    await expect.poll(() => requests.of(engageStop).length).toBeGreaterThan(tried);
  });

  it('that the broker does not take names the devices that may be moving, and where to turn', async () => {
    refuse('disconnected', 'none');
    roster(device('arm', { doing: moving }), device('oven'));
    announcements.failure = new ServiceError('disconnected', 'no connection');
    const failure = await stops.engage({}, 'all').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'service_unavailable', effect: 'maybe' });
    expect((failure as Error).message).toContain('hardware switches');
    expect((failure as ServiceError).faults.map(({ message }) => message)).toEqual([
      'on computer bench, may be moving: move {"to":"rack"} since 2026-11-23T09:00:00.000Z',
      'on computer bench, may be moving',
    ]);
    expect(order.filter((name) => name === agentEvents.emergencyStop.name).length).toBeGreaterThan(2);
  });

  it('is answered in time when the broker is frozen', async () => {
    announcements.announce = () => new Promise(() => undefined);
    requests.on(engageStop, () => new Promise(() => undefined));
    requests.on(listDevices, () => new Promise(() => undefined));
    const since = performance.now();
    await expect(stops.engage({}, 'all')).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'maybe',
    });
    expect(performance.now() - since).toBeLessThan(1_000);
  });

  it('reaches the agents as soon as the broker is back', async () => {
    announcements.failure = new ServiceError('disconnected', 'no connection');
    requests.on(engageStop, ({ id }) => {
      if (announcements.announced.length > 0) return { id };
      announcements.failure = undefined;
      throw new ServiceError('disconnected', 'no connection');
    });
    const { stop, recorded } = await stops.engage({}, 'all');
    expect(announcements.announced[0]).toMatchObject({ body: { id: stop.id } });
    expect(recorded).toBe(true);
  });

  it.each(['unknown_lab', 'unknown_device'] as const)(
    'is not requested again after the refusal %s',
    async (code) => {
      refuse(code, 'none');
      await expect(stops.engage({ lab_name: 'l', device_name: 'd' }, 'all')).rejects.toMatchObject({ code });
      expect(requests.of(engageStop)).toHaveLength(1);
    },
  );
});

describe('the answer to an emergency stop', () => {
  beforeEach(() => refuse('store_unavailable', 'none', 0));

  it('says what every device does, by the word of its agent', async () => {
    roster(...['arm', 'gone', 'oven', 'pump', 'stir'].map((name) => device(name)));
    agents = ({ id }) =>
      reports.hear('bench', {
        id,
        devices: [
          moves('arm'),
          status('oven', 'uncertain', { detail: 'nobody knows' }),
          status('pump', 'idle'),
          status('stir', 'idle', { stopping: true }),
        ],
      });
    const { devices, confirmed, complete } = await stops.engage({}, 'all');
    expect(devices.map(({ name, state, detail, doing }) => [name, state, detail, doing])).toEqual([
      ['arm', 'stopping', 'a call is still in progress', moving],
      ['gone', 'unknown', 'the agent of computer bench answered, but does not run the device', null],
      ['oven', 'unknown', 'nobody knows', null],
      ['pump', 'stopped', null, null],
      ['stir', 'stopping', '`_stop` is in progress', null],
    ]);
    expect([confirmed, complete]).toEqual([false, true]);
  });

  it('waits until what moves has stopped', async () => {
    roster(device('arm'));
    let asked = 0;
    agents = ({ id }) => {
      asked += 1;
      reports.hear('bench', { id, devices: [asked < 4 ? moves('arm') : status('arm', 'idle')] });
    };
    expect(await stops.engage({}, 'all')).toMatchObject({ confirmed: true, devices: [{ state: 'stopped' }] });
    expect(asked).toBe(4);
  });

  it('names a device that was not reached with what it did last', async () => {
    const at = '2026-11-23T09:00:10.000Z';
    roster(
      device('arm', {
        ...{ computer: 'away', state: 'unreachable', held_by: 'mix_1/carry', doing: moving },
        last_known: { state: 'busy', at },
      }),
      device('oven'),
    );
    agents = ({ id }) => reports.hear('bench', { id, devices: [status('oven', 'idle')] });
    const { devices, confirmed } = await stops.engage({}, 'all');
    expect(devices).toMatchObject([
      {
        ...{ name: 'arm', computer: 'away', state: 'not_reached', held_by: 'mix_1/carry', doing: moving },
        last_known: { state: 'busy', at },
      },
      { name: 'oven', state: 'stopped', last_known: null },
    ]);
    expect(confirmed).toBe(false);
  });

  it('has only the devices in the scope, and those that agents name although no laboratory has them', async () => {
    roster(device('arm'), device('arm', { lab_name: 'other' }));
    agents = ({ id }) =>
      reports.hear('bench', { id, devices: [status('arm', 'idle'), status('old', 'disabled')] });
    const { devices } = await stops.engage({ lab_name: 'l' }, 'all');
    expect(devices.map(({ lab_name: lab, name }) => `${lab}.${name}`)).toEqual(['l.arm', 'l.old']);
  });

  it('is not confirmed when nobody says which devices there are', async () => {
    agents = ({ id }) => reports.hear('bench', { id, devices: [status('arm', 'idle')] });
    expect(await stops.engage({}, 'all')).toMatchObject({
      ...{ complete: false, confirmed: false },
      devices: [{ name: 'arm', state: 'stopped' }],
    });
  });

  it('names the devices that were known before the orchestrator ended', async () => {
    roster(device('arm'));
    agents = ({ id }) => reports.hear('bench', { id, devices: [status('arm', 'idle')] });
    const { stop } = await stops.engage({}, 'all');
    requests.on(listDevices, () => {
      throw new ServiceError('service_unavailable', 'nobody leads');
    });
    agents = () => undefined;
    expect(await stops.look(stop, 'all')).toMatchObject({
      ...{ complete: true, confirmed: false },
      devices: [{ name: 'arm', state: 'not_reached' }],
    });
  });
});
