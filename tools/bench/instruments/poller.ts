/**
 * A process with one device that polls its instrument, as an agent starts one for each device. With `bare` as the last argument, a timer
 * and a socket take the place of the device: what each process costs that is woken so often.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
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

/** @returns a counter of readings, and what ends them */
async function polledDevice(): Promise<[reads: () => number, end: () => Promise<void>]> {
  const device = new Polled();
  await device._initialize({
    transport: { tcp: { host: '127.0.0.1', port } },
    functions: { voltage: { kind: 'query', ask: 'MEAS:VOLT?', answer: 'float' } },
    report: ['voltage'],
    poll: 1 / perSecond,
  });
  return [() => device.reads, () => device._cleanup()];
}

/** The same by hand. */
async function polledSocket(): Promise<[reads: () => number, end: () => Promise<void>]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let reads = 0;
  socket.on('data', () => (reads += 1));
  const timer = setInterval(() => socket.write('MEAS:VOLT?\n'), 1_000 / perSecond);
  const end = async (): Promise<void> => {
    clearInterval(timer);
    socket.destroy();
    await once(socket, 'close');
  };
  return [() => reads, end];
}

const [reads, end] = await (process.argv[5] === 'bare' ? polledSocket() : polledDevice());
// Most of the code is compiled now.
await delay(2_000);
const before = process.cpuUsage();
const first = reads();
const begin = performance.now();
await delay(seconds * 1_000);
const { system, user } = process.cpuUsage(before);
const took = (performance.now() - begin) / 1_000;
process.send?.({ perSecond: (reads() - first) / took, core: (system + user) / 1e6 / took });
await end();
process.disconnect();
