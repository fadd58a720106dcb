import { beforeEach, describe, expect, it } from 'vitest';
import { agentRequests, orchestratorRequests, ServiceError, type DeviceRecord } from '@lab/contracts';
import { ScriptedRequests } from '../twins.js';
import { LeaderWatch } from '@lab/messaging';
import { Orchestrator } from '../../src/orchestrator/orchestrator.js';
import { DeviceDetails } from '../../src/devices/device-details.js';

const { listDevices, locateDevice } = orchestratorRequests;
const { reportDevice } = agentRequests;

const arm: DeviceRecord = {
  lab_name: 'lab',
  name: 'arm',
  type: 'robot',
  computer: 'bench_b',
  state: 'idle',
  detail: null,
  held_by: null,
  halted: null,
  out_of_service: null,
  doing: null,
  last_known: null,
  runtime: null,
  debugger: null,
  doubt: null,
  functions: [
    { name: 'move', kind: 'effect', timeout_s: 9, description: 'Moves', parameters: { to: { type: 'str' } } },
    { name: 'look', kind: 'query' },
  ],
};

let requests: ScriptedRequests;
let details: DeviceDetails;

beforeEach(() => {
  requests = new ScriptedRequests()
    .on(listDevices, () => ({ devices: [arm] }))
    .on(locateDevice, ({ lab }) => {
      if (lab === 'lab') return { computer: 'bench_b', inc: 4, fence: 0 };
      throw new ServiceError('unknown_lab', 'no such laboratory');
    })
    .on(reportDevice, () => ({ report: { moves: 2 } }));
  details = new DeviceDetails(requests, new Orchestrator(requests, new LeaderWatch(), { ms: 0 }));
});

describe('the detail of a device', () => {
  it('contains its functions with their declarations, and null where a function declares nothing', async () => {
    expect(await details.find('lab', 'arm', { report: false })).toEqual({
      ...arm,
      functions: [
        {
          name: 'move',
          kind: 'effect',
          timeout_s: 9,
          description: 'Moves',
          parameters: { to: { type: 'str' } },
        },
        { name: 'look', kind: 'query', timeout_s: 60, description: null, parameters: null },
      ],
    });
    expect(requests.of(reportDevice)).toEqual([]);
  });

  it('contains the report of the device on request, from the agent that runs it', async () => {
    expect(await details.find('lab', 'arm', { report: true })).toMatchObject({ report: { moves: 2 } });
    expect(requests.of(reportDevice).map(({ tokens }) => tokens)).toEqual([
      { computer: 'bench_b', inc: '4', lab: 'lab', device: 'arm' },
    ]);
  });

  it('distinguishes an unknown device from an unknown laboratory', async () => {
    await expect(details.find('lab', 'leg', { report: false })).rejects.toMatchObject({
      code: 'unknown_device',
    });
    await expect(details.find('barn', 'arm', { report: false })).rejects.toMatchObject({
      code: 'unknown_lab',
    });
  });
});
