import { z } from 'zod';
import { requestsOf, type ReplyOf } from './define.js';
import { itself } from './process-roles.js';

/** Folder of a computer into which an instrument writes files, as `files` of a device in `lab.yml`. */
export const instrumentFolder = z.object({
  /** Absolute, on the computer of the device. */
  folder: z.string(),
  /** Which files, relative to the folder. */
  pattern: z.string(),
  /** Seconds for which size and time of a complete file have not changed. */
  stable_s: z.number(),
  /** Seconds between two looks at the folder. */
  poll_s: z.number(),
  /** In units of 1,000,000 bytes. */
  max_size_mb: z.number(),
  /** Also takes files of before, if they changed at this moment (ISO 8601) or later; absent: takes none of before. */
  since: z.string().optional(),
  /** Seconds after the end of an attempt in which a file still belongs to it. */
  grace_s: z.number(),
  /** Regular expression with one named group, which finds the task by the path of the file; absent: time finds it. */
  name: z.string().optional(),
  /** What happens to a file when it is stored. */
  afterwards: z.enum(['keep', 'move', 'delete']),
  /** Folder below `folder` into which files are moved. */
  moved_to: z.string(),
});
export type InstrumentFolder = z.infer<typeof instrumentFolder>;

/** How the attempt of a file is found. */
export const fileOwner = z.discriminatedUnion('by', [
  z.object({ by: z.literal('time'), grace_s: z.number().nonnegative() }),
  /** `key` is `task`: the value is the id or the name of a task. Otherwise an argument or input parameter. */
  z.object({ by: z.literal('name'), key: z.string(), value: z.string() }),
  /** The name of the file does not say, so no attempt is looked for. */
  z.object({ by: z.literal('nothing') }),
]);
export type FileOwner = z.infer<typeof fileOwner>;

const content = { size: z.number().int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) };

/** A file of an instrument, on its way from the agent of the device. Times are in milliseconds since 1970 by its clock. */
export const deviceFile = z.object({
  /** Follows from device, path, size, time and SHA-256, so that the same file has the same id for ever. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  lab: z.string(),
  device: z.string(),
  /** A name that every file system allows. */
  name: z.string().min(1).max(200),
  /** Below the folder of the instrument, with `/`. */
  path: z.string().min(1).max(4_096),
  ...content,
  /** When the instrument made it. */
  made_ms: z.number(),
  /** When it was changed last. */
  modified_ms: z.number(),
  owner: fileOwner,
});
export type DeviceFile = z.infer<typeof deviceFile>;

const ticket = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) });

const request = requestsOf('svc.v1.up.{computer}.device_file.', 'device_file.', {
  from: { agent: { computer: itself } },
  to: { gateway: {} },
});

/** Most files that one answer names. */
export const mostFoundFiles = 100;

/** What agents ask of a gateway about the files of instruments. Each may be repeated. */
export const deviceFileRequests = {
  /** Where to send the bytes of a file; null: the service has the file already. */
  upload: request(
    'upload',
    z.object({ id: deviceFile.shape.id, ...content }),
    z.object({ ticket: ticket.nullable() }),
    ['store_unavailable', 'service_unavailable'],
    5_000,
  ),
  /**
   * Stores the record of a file whose bytes are stored, and finds its attempt. A file is stored once, by its id.
   * `not_found`: the service does not have its bytes.
   */
  store: request(
    'store',
    z.object({ wall_ms: z.number(), file: deviceFile }),
    z.object({}),
    ['not_found', 'store_unavailable', 'service_unavailable'],
    5_000,
  ),
  /** The files of a device that belong to an attempt of this computer, in the order in which they were stored. */
  find: request(
    'find',
    z.object({ attempt_id: z.string(), lab: z.string(), device: z.string(), after: z.string().optional() }),
    z.object({
      files: z.array(
        z.object({
          id: deviceFile.shape.id,
          name: z.string(),
          path: z.string(),
          ...content,
          ticket,
        }),
      ),
      /** Continues after these files; absent: there are no further ones. */
      next: z.string().optional(),
    }),
    ['not_found', 'store_unavailable'],
    5_000,
  ),
};
export type FoundDeviceFile = ReplyOf<typeof deviceFileRequests.find>['files'][number];
