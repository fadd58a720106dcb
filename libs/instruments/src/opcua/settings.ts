import { z } from 'zod';
import { deviceSettings, secretSource, twinEntry } from '../messages/index.js';
import { functionEntry } from '../settings/index.js';

/** A node: a path of browse names from the root, or a node id. */
const node = z.string().refine((text) => /^\/[^/]/.test(text) || /^(ns=\d+;)?[isgb]=/.test(text), {
  error:
    'is a path of browse names such as /Objects/Reactor/Temperature, or a node id such as ns=2;s=Temperature',
});

/** As in a function entry, without a default: what is left out follows from the server. */
const parameterTable = z.record(z.string(), z.looseObject({}));

const shared = {
  kind: functionEntry.shape.kind.optional(),
  desc: functionEntry.shape.desc,
  timeout: functionEntry.shape.timeout,
  unit: z.string().optional(),
  twin: twinEntry.optional(),
};

const readEntry = z.strictObject({ ...shared, read: node });
const writeEntry = z.strictObject({
  ...shared,
  write: node,
  /** At most one parameter: its declaration in place of the one that follows from the type on the server. */
  parameters: parameterTable.optional(),
});
const methodEntry = z.strictObject({
  ...shared,
  method: node,
  /** The object of the method; absent: the one that has it. */
  object: node.optional(),
  /** By the names of the input arguments, in place of those that follow from the types on the server. */
  parameters: parameterTable.optional(),
});

export const opcuaFunction = z.union([readEntry, writeEntry, methodEntry], {
  error: 'has one of read, write and method',
});

export type OpcuaFunction = z.output<typeof opcuaFunction>;
export type WriteEntry = z.output<typeof writeEntry>;
export type MethodEntry = z.output<typeof methodEntry>;

export const opcuaSettings = deviceSettings.extend({
  url: z.url({ protocol: /^opc\.tcp$/, error: 'is an address such as opc.tcp://reactor.lab:4840' }),
  security: z
    .strictObject({
      policy: z.enum(['None', 'Basic256Sha256']),
      mode: z.enum(['None', 'Sign', 'SignAndEncrypt']).optional(),
    })
    .default({ policy: 'Basic256Sha256' }),
  /** SHA-256 of the certificate of the server. */
  server_certificate: z
    .string()
    .transform((text) => text.replaceAll(':', '').toUpperCase())
    .pipe(z.string().regex(/^[0-9A-F]{64}$/, 'is the SHA-256 of a certificate: 64 hexadecimal digits'))
    .optional(),
  user: z
    .union(
      [
        z.strictObject({ name: z.string(), password: secretSource }),
        z.strictObject({ certificate: z.string(), key: z.string() }),
      ],
      { error: 'is { name: NAME, password: SECRET } or { certificate: PATH, key: PATH }' },
    )
    .optional(),
  /** A value by which the server is recognised. */
  identity: z.strictObject({ read: node, equals: z.json() }).optional(),
  functions: z.record(z.string(), opcuaFunction).default({}),
  /** Nodes whose values people see, by name. */
  report: z
    .record(
      z.string(),
      z.strictObject({
        node,
        unit: z.string().optional(),
        /** Seconds between two samples. */
        interval: z.number().positive().default(1),
      }),
    )
    .default({}),
});

export type OpcuaSettings = z.output<typeof opcuaSettings>;
