import { z } from 'zod';
import { recordSettings } from '../recordings/index.js';
import { readSettings } from '../settings/index.js';
import { tcp, tcpSettings, type Transport } from '../transport/index.js';

/** A kind of transport that a device type can use: a key of the init parameter `transport`. */
export interface TransportKind {
  readonly name: string;
  /** @param settings the value of the key @throws TypeError that names its faults, beginning with `where` */
  make(settings: unknown, where: string): Transport;
}

/** Seconds, more than 0. */
export const seconds = z.number().positive().max(604_800);

/** The init parameters that all devices of the kit have. */
export const commonSettings = {
  /** One key: the name of a transport, with its settings. */
  transport: z.record(z.string(), z.unknown()),
  /** Seconds in which the instrument answers, if a function says nothing else. */
  answer_timeout: seconds.default(2),
  /** Seconds without traffic after which the device asks whether the instrument is still there; 0: never. */
  heartbeat: z.number().min(0).max(86_400).default(30),
  /** Milliseconds without a byte before a request leaves. */
  settle_ms: z.number().min(0).max(10_000).optional(),
  /** Names of functions whose values are in the report of the device. */
  report: z.array(z.string()).default([]),
  /** Seconds between two readings of the functions in `report`. Absent: they are read for each report. */
  poll: z.number().min(0.001).max(86_400).optional(),
  /** Record the traffic from the start. */
  record: recordSettings,
};

/** `simulate: {replay: FILE}`, for all protocols. */
export const replaySettings = z.strictObject({
  /** Absolute, or relative to the folder of the device. */
  replay: z.string().min(1),
  mode: z.enum(['lenient', 'strict']).default('lenient'),
});

/** The transport of every device type. */
export const overTcp: TransportKind = {
  name: 'tcp',
  make: (given, where) => tcp(readSettings(tcpSettings, given, where)),
};
