import { SerialPort } from 'serialport';
import { z } from 'zod';
import type { TransportKind } from '../device/index.js';
import { readSettings } from '../settings/index.js';
import type { Line, LineEvents, Transport } from '../transport/index.js';

/** The init parameter `transport.serial`. */
export const serialSettings = z.strictObject({
  /** Such as `/dev/ttyUSB0` or `COM3`. A name below `/dev/serial/by-id` stays the same when adapters change their places. */
  path: z.string().min(1),
  baud_rate: z.int().min(50).max(4_000_000).default(9_600),
  data_bits: z.union([z.literal(5), z.literal(6), z.literal(7), z.literal(8)]).default(8),
  parity: z.enum(['none', 'even', 'odd']).default('none'),
  stop_bits: z.union([z.literal(1), z.literal(1.5), z.literal(2)]).default(1),
  /** Whether the lines RTS and CTS control the flow. */
  rtscts: z.boolean().default(false),
  /** Whether the characters XON and XOFF control the flow. */
  xonxoff: z.boolean().default(false),
});
export type SerialSettings = z.output<typeof serialSettings>;

/**
 * A serial port. The process has it alone (`lock`).
 *
 * `open` throws when the port does not exist, is in use, or the user of the agent has no right to it.
 */
export function serial(settings: SerialSettings): Transport {
  const label = `serial:${settings.path}`;
  return {
    label,
    open: (events, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const port = new SerialPort({
          path: settings.path,
          baudRate: settings.baud_rate,
          dataBits: settings.data_bits,
          parity: settings.parity,
          stopBits: settings.stop_bits,
          rtscts: settings.rtscts,
          xon: settings.xonxoff,
          xoff: settings.xonxoff,
          autoOpen: false,
          lock: true,
        });
        port.open((error) => {
          if (error !== null) {
            reject(new Error(`${label}: ${reasonOf(error.message)}`, { cause: error }));
            return;
          }
          if (!signal.aborted) {
            resolve(lineOn(port, events));
            return;
          }
          port.close(() => reject(new Error(`${label}: gave up`)));
        });
      }),
  };
}

function lineOn(port: SerialPort, events: LineEvents): Line {
  let isOver = false;
  const over = (why: string): void => {
    if (isOver) return;
    isOver = true;
    events.ended(why);
  };
  port.on('data', (bytes: Buffer) => {
    if (!isOver) events.bytes(bytes);
  });
  port.on('error', (error) => over(error.message));
  port.on('close', (error: Error | null) => over(error === null ? 'closed' : 'the port was unplugged'));
  return {
    write(bytes, _call, taken) {
      port.write(bytes, (error) => {
        if (error !== null && error !== undefined) {
          taken?.(error);
          return;
        }
        if (taken === undefined) return;
        // The driver has the bytes; they have left when it has no more of them.
        port.drain((failed) => taken(failed ?? undefined));
      });
    },
    close: () =>
      new Promise((resolve) => {
        isOver = true;
        if (!port.isOpen) {
          resolve();
          return;
        }
        // Without the flush, a port whose other end takes nothing would wait for it.
        port.flush(() => port.close(() => resolve()));
      }),
  };
}

/** A sentence without a subject, for people. */
function reasonOf(message: string): string {
  if (/No such file/.test(message)) return `there is no such port (${message})`;
  if (/Permission denied|Access denied/.test(message))
    return `the user of the agent may not use it: on Linux, add the user to the group dialout (${message})`;
  if (/lock|busy|temporarily unavailable/i.test(message)) return `another program has it (${message})`;
  return message;
}

/** The transport `serial`, for the field `transports` of a device. */
export const overSerial: TransportKind = {
  name: 'serial',
  make: (given, where) => serial(readSettings(serialSettings, given, where)),
};
