import { deviceFileRequests, type AnyRequest, type DeviceFile } from '@lab/contracts';
import { FileTickets } from '@lab/object-store';
import type { Bus } from '@lab/messaging';
import { expect, it } from 'vitest';
import { serveDeviceFiles } from '../../src/files/device-file-requests.js';

const id = 'a'.repeat(32);
const sha256 = 'b'.repeat(64);
const file: DeviceFile = {
  ...{ id, lab: 'lab', device: 'reader', name: 'a.csv', path: 'a.csv', size: 5, sha256 },
  ...{ made_ms: 1_000, modified_ms: 1_000, owner: { by: 'nothing' } },
};

type Answer = (body: unknown, from: { tokens: { computer: string } }) => Promise<unknown>;

async function served() {
  const answers = new Map<AnyRequest, Answer>();
  const bus = {
    serve: (definition: AnyRequest, _tokens: object, answer: Answer) => {
      answers.set(definition, answer);
      return Promise.resolve({ unsubscribe: () => Promise.resolve() });
    },
  } as unknown as Pick<Bus, 'serve'>;
  const sizes = new Map<string, number>();
  const stored: unknown[] = [];
  const found = Array.from({ length: 150 }, (_, n) => ({
    ...{ id: String(n).padStart(32, '0'), name: 'a.csv', path: 'a.csv', size: 5, sha256, place: n + 1 },
  }));
  const tickets = new FileTickets({ publicUrl: 'http://lab', secret: 'a secret of the test' });
  await serveDeviceFiles({
    ...{ bus, tickets, clock: { now: () => 10_000 }, queue: 'gateway' },
    files: {
      head: (key: string) => {
        const size = sizes.get(key);
        return Promise.resolve(size === undefined ? undefined : { size, modifiedAt: new Date(0) });
      },
    },
    records: {
      has: () => Promise.resolve(stored.length > 0),
      store: (...given) => {
        stored.push(given);
        return Promise.resolve();
      },
      isAttemptOf: (computer, attempt) => Promise.resolve(computer === 'pc' && attempt === 'a1'),
      ofAttempt: (_attempt, _device, after, limit) =>
        Promise.resolve(found.filter(({ place }) => place > after).slice(0, limit)),
    },
  });
  const ask = (definition: AnyRequest, body: unknown, computer = 'pc'): Promise<unknown> =>
    answers.get(definition)?.(body, { tokens: { computer } }) ?? Promise.reject(new Error('nobody'));
  return { ask, sizes, stored, tickets };
}

it('a record is stored only when the service has all bytes, with the offset of the clock', async () => {
  const { ask, sizes, stored, tickets } = await served();
  const { ticket } = (await ask(deviceFileRequests.upload, { id, size: 5, sha256 })) as {
    ticket: { url: string };
  };
  expect(tickets.acceptTicket(ticket.url.split('/').at(-1) ?? '')).toEqual({
    ...{ key: `device-files/${id}`, size: 5, sha256 },
  });
  const body = { wall_ms: 12_500, file };
  await expect(ask(deviceFileRequests.store, body)).rejects.toMatchObject({ code: 'not_found' });
  sizes.set(`device-files/${id}`, 4);
  await expect(ask(deviceFileRequests.store, body)).rejects.toMatchObject({ code: 'not_found' });
  sizes.set(`device-files/${id}`, 5);
  await ask(deviceFileRequests.store, body);
  expect(stored).toEqual([['pc', 2_500, file]]);
  expect(await ask(deviceFileRequests.upload, { id, size: 5, sha256 })).toEqual({ ticket: null });
});

it('an agent gets the files of its own attempts, in portions, each with a ticket', async () => {
  const { ask, tickets } = await served();
  const asked = { attempt_id: 'a1', lab: 'lab', device: 'reader' };
  const first = (await ask(deviceFileRequests.find, asked)) as {
    files: { ticket: { url: string } }[];
    next?: string;
  };
  expect([first.files.length, first.next]).toEqual([100, '100']);
  const token = first.files[0]?.ticket.url.split('/').at(-1) ?? '';
  expect(tickets.acceptDownload(token).key).toBe(`device-files/${'0'.repeat(32)}`);
  const rest = (await ask(deviceFileRequests.find, { ...asked, after: first.next })) as typeof first;
  expect([rest.files.length, rest.next]).toEqual([50, undefined]);
  await expect(ask(deviceFileRequests.find, asked, 'other')).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask(deviceFileRequests.find, { ...asked, after: 'x' })).rejects.toMatchObject({
    code: 'invalid',
  });
});
