import { orchestratorEvents } from '@lab/contracts';
import type { Change, Measures } from '@lab/engine';
import { MemoryBroker } from '@lab/messaging/testing';
import { expect, it } from 'vitest';
import { tellingTaken } from '../src/taken-devices.js';

const claim = (kind: 'device' | 'resource', key: string): Change => ({
  ...{ op: 'claim', kind, key, taskRunId: 't', fence: 1, at: 0 },
});

it('gateways hear which devices a commit gave to tasks, and the measures hear of every commit', async () => {
  const network = new MemoryBroker();
  const heard: string[][] = [];
  const gateway = network.connect({ role: 'gateway', name: 'g' });
  await gateway.subscribe(orchestratorEvents.devicesTaken, {}, ({ devices }) => void heard.push(devices));
  const committed: number[] = [];
  const measures: Measures = {
    begin: () => () => undefined,
    committed: (changes) => void committed.push(changes.length),
  };
  const bus = network.connect({ role: 'orchestrator', name: 'o' });
  const telling = tellingTaken(bus, measures);
  telling.committed([claim('resource', 'beaker'), { op: 'release', kind: 'device', key: 'l.arm', at: 0 }]);
  telling.committed([
    claim('device', 'l.arm'),
    claim('resource', 'beaker'),
    { op: 'pass', runId: 'r', kind: 'device', key: 'l.oven', taskRunId: 't', fence: 2, at: 0 },
  ]);
  await bus.flush();
  await gateway.flush();
  expect(heard).toEqual([['l.arm', 'l.oven']]);
  expect(committed).toEqual([2, 3]);
  tellingTaken(bus, undefined).begin('turn')();
});
