import { deviceFileRequests, mostFoundFiles, ServiceError } from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import { deviceFileKey, type FileStore, type FileTickets } from '@lab/object-store';
import type { DeviceFiles } from '@lab/persistence';
import type { Clock } from '@lab/ports';

/** How long an agent may take to send or fetch one file, in milliseconds. */
const ticketMs = 15 * 60_000;

export interface DeviceFileParts {
  bus: Pick<Bus, 'serve'>;
  records: Pick<DeviceFiles, 'has' | 'store' | 'isAttemptOf' | 'ofAttempt'>;
  files: Pick<FileStore, 'head'>;
  tickets: FileTickets;
  /** Milliseconds since 1970. */
  clock: Clock;
  /** Gateways that share the requests. */
  queue: string;
}

/** Answers agents that store files of instruments, or look for those of an attempt. */
export async function serveDeviceFiles({
  bus,
  records,
  files,
  tickets,
  clock,
  queue,
}: DeviceFileParts): Promise<void> {
  const options = { queue, maxInFlight: 2 };
  await bus.serve(
    deviceFileRequests.upload,
    {},
    async ({ id, size, sha256 }) => {
      if (await records.has(id)) return { ticket: null };
      const { url, headers } = await tickets.uploadTicket({
        ...{ key: deviceFileKey(id), size, sha256, expiresInMs: ticketMs },
      });
      return { ticket: { url, headers } };
    },
    options,
  );
  await bus.serve(
    deviceFileRequests.store,
    {},
    async ({ wall_ms: wall, file }, { tokens: { computer } }) => {
      const head = await files.head(deviceFileKey(file.id));
      if (head?.size !== file.size)
        throw new ServiceError('not_found', `the service does not have the bytes of the file "${file.path}"`);
      await records.store(computer, wall - clock.now(), file);
      return {};
    },
    options,
  );
  await bus.serve(
    deviceFileRequests.find,
    {},
    async ({ attempt_id: attempt, lab, device, after = '0' }, { tokens: { computer } }) => {
      if (!(await records.isAttemptOf(computer, attempt)))
        throw new ServiceError('not_found', `attempt ${attempt} is none of ${computer}`);
      const found = await records.ofAttempt(attempt, { lab, name: device }, placeOf(after), mostFoundFiles);
      const last = found.length < mostFoundFiles ? undefined : found.at(-1);
      return {
        files: found.map(({ id, name, path, size, sha256 }) => ({
          ...{ id, name, path, size, sha256 },
          ticket: tickets.downloadTicket({ key: deviceFileKey(id), size, sha256, expiresInMs: ticketMs }),
        })),
        ...(last === undefined ? {} : { next: String(last.place) }),
      };
    },
    options,
  );
}

/** @throws ServiceError `invalid` */
function placeOf(after: string): number {
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw new ServiceError('invalid', 'after must be what an earlier answer gave as next');
}
