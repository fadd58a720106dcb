import { z } from 'zod';
import {
  answerEntry,
  answerSpec,
  condition,
  deviceSettings,
  secretSource,
  tlsSettings,
  twinEntry,
} from '../messages/index.js';
import { functionEntry } from '../settings/index.js';

const topic = z
  .string()
  .min(1)
  .max(1000)
  .refine((text) => !/[#+\0]/.test(text), { error: 'is one topic: # and + cannot stand in it' });

/** A message. Places such as `{target}` are arguments of the function. */
const messageTemplate = z.strictObject({
  topic,
  /** A text is sent as it is, everything else as JSON. */
  payload: z.json().default(''),
  /** Default: 2 for effects, so that the broker hands it over once; else 1. */
  qos: z.union([z.literal(0), z.literal(1), z.literal(2)]).optional(),
  retain: z.boolean().default(false),
});

export type MessageTemplate = z.output<typeof messageTemplate>;

const stateEntry = answerEntry.extend({
  topic,
  /** Seconds after which a value without a new message is unknown. */
  stale_after: z.number().positive().optional(),
});

/** Values of a state of the instrument. */
const stateCondition = z.strictObject({
  state: z.string(),
  equals: condition.shape.equals,
});

const command = functionEntry.extend({
  /** Default: effect; a query in case of `state`. */
  kind: functionEntry.shape.kind.optional(),
  publish: messageTemplate,
  /** The instrument answers on the response topic, with the correlation data of the request. */
  request: z.boolean().default(false),
  answer: answerSpec.optional(),
  /** What an answer says when the instrument refused or failed. */
  failed: condition.extend({ reason: z.string().optional() }).optional(),
  /** The call ends when a later message says so. */
  until: stateCondition.optional(),
  /** The call fails when a later message says so. */
  unless: stateCondition.optional(),
  twin: twinEntry.optional(),
});

const reading = z.strictObject({
  /** Name of a state, whose last value the function returns. */
  state: z.string(),
  kind: z.literal('query').default('query'),
  desc: functionEntry.shape.desc,
});

export const mqttFunction = z.union([command, reading]);

export type CommandEntry = z.output<typeof command>;
export type ReadingEntry = z.output<typeof reading>;
export type StateEntry = z.output<typeof stateEntry>;

export const mqttSettings = deviceSettings.extend({
  url: z.url({ protocol: /^mqtts?$/, error: 'is the address of a broker such as mqtts://broker.lab:8883' }),
  /** Default: `<lab>-<device>`. */
  client_id: z.string().min(1).max(100).optional(),
  tls: tlsSettings.optional(),
  auth: z.strictObject({ user: z.string(), password: secretSource.optional() }).optional(),
  /** Seconds between signs of life. */
  keepalive: z.number().int().min(1).max(3600).default(15),
  /** What the broker publishes when this device is lost. */
  will: messageTemplate.optional(),
  /** What the device publishes when it is connected. */
  birth: messageTemplate.optional(),
  /** A retained message by which the instrument is recognised. */
  identity: z.strictObject({ topic, value: z.string().default(''), equals: z.json() }).optional(),
  /** The state by which the instrument, or its last will, says whether it is there. */
  presence: stateCondition.optional(),
  /** Topic on which the instrument answers. Default: `svc/<client id>/answers`. */
  response_topic: topic.optional(),
  state: z.record(z.string(), stateEntry).default({}),
  functions: z.record(z.string(), mqttFunction).default({}),
});

export type MqttSettings = z.output<typeof mqttSettings>;
