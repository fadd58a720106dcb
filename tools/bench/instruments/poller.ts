/** A process with one device that polls its instrument, as an agent starts one for each device. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AnswerSpec } from '@lab/instruments/kit';
import { ScpiDevice } from '@lab/instruments/scpi';
import type { JsonValue } from '@lab/sdk';

const [port, perSecond, seconds] = process.argv.slice(2).map(Number) as [number, number, number];

class Polled extends ScpiDevice {
  reads = 0;

  protected override ask(
    text: string,
    answer?: AnswerSpec,
    timeoutMs?: number,
  ): Promise<JsonValue | undefined> {
    this.reads += 1;
    return super.ask(text, answer, timeoutMs);
  }
}

const device = new Polled();
await device._initialize({
  transport: { tcp: { host: '127.0.0.1', port } },
  functions: { voltage: { kind: 'query', ask: 'MEAS:VOLT?', answer: 'float' } },
  report: ['voltage'],
  poll: 1 / perSecond,
});
// The code is compiled now.
await delay(2_000);
const before = process.cpuUsage();
const reads = device.reads;
const begin = performance.now();
await delay(seconds * 1_000);
const { system, user } = process.cpuUsage(before);
const took = (performance.now() - begin) / 1_000;
process.send?.({ perSecond: (device.reads - reads) / took, core: (system + user) / 1e6 / took });
await device._cleanup();
process.disconnect();
