import { ProblemError, UnreachableError, type ApiClient, type ServerEvent } from '@lab/api-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveLab } from '../src/lab/live-lab.js';

/** A service with one device, whose stream of events a test writes. */
class Service {
  readonly reads: string[] = [];
  /** What a path fails with; absent: it does not. */
  readonly failures = new Map<string, Error>();
  device = { lab_name: 'color_lab', name: 'arm', state: 'idle', detail: null, halted: null };
  /** How many open items there are. */
  attention = 0;
  #say: (event: ServerEvent | Error) => void = () => undefined;
  #open: ((after: string | undefined) => void) | undefined;

  readonly client = {
    get: (path: string, { query }: { query?: { cursor?: string } } = {}) => {
      const at = Number(query?.cursor ?? 0);
      return this.#read(path, {
        ...{ items: path === '/api/devices' ? [{ ...this.device }] : this.#portion(path, at), paused: false },
        next_cursor: path === '/api/attention' && at + 500 < this.attention ? String(at + 500) : null,
      });
    },
    events: (_path: string, options: { onOpen: (after: string | undefined) => void }) => {
      this.#open = options.onOpen;
      return this.#events();
    },
  } as unknown as ApiClient;

  #portion(path: string, at: number): object[] {
    if (path !== '/api/attention') return [];
    return Array.from({ length: Math.min(500, this.attention - at) }, (_, n) => ({ id: `a${at + n}` }));
  }

  async #read<T>(path: string, answer: T): Promise<T> {
    this.reads.push(path);
    await Promise.resolve();
    const failure = this.failures.get(path);
    if (failure !== undefined) throw failure;
    return answer;
  }

  async *#events(): AsyncGenerator<ServerEvent> {
    for (;;) {
      const next = await new Promise<ServerEvent | Error>((resolve) => (this.#say = resolve));
      if (next instanceof Error) throw next;
      yield next;
    }
  }

  opens(after?: string): void {
    this.#open?.(after);
  }

  says(event: ServerEvent | Error): void {
    this.#say(event);
  }

  tells(type: string, body: object): void {
    const data = JSON.stringify({ id: 1, type, at: '2026-11-27T07:00:00.000Z', body });
    this.says({ id: '1', event: type, data });
  }
}

const refused = (status: number, code: string): ProblemError =>
  new ProblemError({
    type: `urn:svc:error:${code}`,
    title: 'refused',
    status,
    detail: 'Not you.',
    code,
  } as never);

let service: Service;
let lab: LiveLab;
let signedOut: number;
beforeEach(() => {
  vi.useFakeTimers();
  service = new Service();
  signedOut = 0;
  lab = new LiveLab(service.client, () => (signedOut += 1));
  lab.start();
});
afterEach(() => {
  lab.stop();
  vi.useRealTimers();
});

/** Starts as a browser does: the stream opens, and every list is read. */
async function started(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1);
  service.opens();
  await vi.advanceTimersByTimeAsync(1);
  service.reads.length = 0;
}

it('is complete once every list was read', async () => {
  await vi.advanceTimersByTimeAsync(1);
  expect(lab.sight().isComplete).toBe(false);
  expect(lab.heardAt).toBeUndefined();
  service.opens();
  await vi.advanceTimersByTimeAsync(1);
  expect([...service.reads].sort()).toEqual([
    ...[
      '/api/agents',
      '/api/attention',
      '/api/campaigns',
      '/api/devices',
      '/api/estop',
      '/api/protocols',
      '/api/queue',
    ],
  ]);
  expect(lab.sight()).toMatchObject({ isComplete: true, trouble: undefined });
  expect(lab.sight().records.devices).toHaveLength(1);
});

it('reads a list on to its end, up to a bound, and says which lists it has cut', async () => {
  await started();
  expect(lab.sight().cut.size).toBe(0);
  service.attention = 1_100;
  lab.readAgain(['attention']);
  await vi.advanceTimersByTimeAsync(10);
  expect(lab.sight().records.attention).toHaveLength(1_100);
  service.attention = 5_000;
  lab.readAgain(['attention']);
  await vi.advanceTimersByTimeAsync(10);
  expect(lab.sight().records.attention).toHaveLength(2_000);
  expect([...lab.sight().cut]).toEqual(['attention']);
  service.attention = 1;
  lab.readAgain(['attention']);
  await vi.advanceTimersByTimeAsync(10);
  expect(lab.sight().cut.size).toBe(0);
});

it('shows the state in an event, tells its listeners once for a burst, and reads the list again later', async () => {
  await started();
  let told = 0;
  lab.subscribe(() => (told += 1));
  for (const state of ['busy', 'idle', 'busy']) {
    service.tells('device.changed', { lab: 'color_lab', name: 'arm', state });
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(250);
  expect(lab.sight().records.devices[0]?.state).toBe('busy');
  expect(told).toBe(1);
  expect(service.reads).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(service.reads).toEqual(['/api/devices']);
});

it('reads what an event does not tell as soon as it comes, and only that', async () => {
  await started();
  service.tells('attention.opened', { id: 'a', state: 'open' });
  await vi.advanceTimersByTimeAsync(600);
  expect(service.reads).toEqual(['/api/attention']);
});

it('notes that the service is there without telling its listeners', async () => {
  await started();
  let told = 0;
  lab.subscribe(() => (told += 1));
  const before = lab.heardAt ?? 0;
  await vi.advanceTimersByTimeAsync(15_000);
  service.opens('17');
  expect(lab.heardAt).toBe(performance.now());
  expect(lab.heardAt).toBeGreaterThan(before);
  expect(told).toBe(0);
});

it('tells those who follow a record of events, and that some may have been missed', async () => {
  await started();
  const heard: unknown[] = [];
  const end = lab.listen((events) => heard.push(events === 'gap' ? events : events.map(({ type }) => type)));
  service.tells('task_run.running', { id: 't' });
  await vi.advanceTimersByTimeAsync(251);
  service.opens();
  end();
  service.opens();
  expect(heard).toEqual([['task_run.running'], 'gap']);
});

it('reads everything again when the stream begins anew without an event to go on from', async () => {
  await started();
  service.opens('17');
  await vi.advanceTimersByTimeAsync(100);
  expect(service.reads).toEqual([]);
  service.opens();
  await vi.advanceTimersByTimeAsync(100);
  expect(service.reads).toHaveLength(7);
});

it('says why a list cannot be read, keeps what it has, and tries again', async () => {
  await started();
  service.failures.set('/api/devices', new UnreachableError('refused', 'nothing answers at http://lab'));
  lab.readAgain(['devices']);
  await vi.advanceTimersByTimeAsync(1);
  expect(lab.sight().trouble).toBe('nothing answers at http://lab.');
  expect(lab.sight().records.devices).toHaveLength(1);
  service.failures.clear();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(lab.sight().trouble).toBeUndefined();
});

it('is not complete while the person may not see a list: that is not an empty one', async () => {
  service.failures.set('/api/attention', refused(403, 'forbidden'));
  await started();
  expect(lab.sight()).toMatchObject({ isComplete: false, trouble: 'Not you.' });
});

it('says that the person is signed out, whether a list or the stream learns of it', async () => {
  await started();
  service.failures.set('/api/devices', refused(401, 'unauthorized'));
  lab.readAgain(['devices']);
  await vi.advanceTimersByTimeAsync(1);
  expect(signedOut).toBe(1);
  service.says(refused(401, 'unauthorized'));
  await vi.advanceTimersByTimeAsync(1);
  expect(signedOut).toBe(2);
});

it('reads nothing more once it has stopped', async () => {
  await started();
  service.tells('device.out_of_service', { lab: 'color_lab', name: 'arm' });
  await vi.advanceTimersByTimeAsync(1);
  lab.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.reads).toEqual([]);
});

describe('for a person of single laboratories', () => {
  /** The lists that were read, each with the laboratory that it was read for. */
  const read: string[] = [];
  const get = (path: string, { query = {} }: { query?: { lab?: string } }): Promise<unknown> => {
    read.push(`${path} ${query.lab ?? 'all'}`);
    const own = { id: query.lab, computer: query.lab, lab_name: query.lab, name: 'arm' };
    const both = { id: 'both', computer: 'both', lab_name: 'both', name: 'arm' };
    return Promise.resolve({ items: [own, both], next_cursor: null, paused: false });
  };
  const client = {
    get,
    all: async (path: string, input: object) => ((await get(path, input)) as { items: unknown[] }).items,
    events: () => service.client.events('/api/events'),
  } as unknown as ApiClient;
  let own: LiveLab;
  beforeEach(async () => {
    read.length = 0;
    own = new LiveLab(client, () => undefined, ['a', 'b']);
    own.start();
    own.readAgain();
    await vi.advanceTimersByTimeAsync(1);
  });
  afterEach(() => own.stop());

  it('reads every list for each laboratory, and joins what belongs to several', () => {
    const lists = ['agents', 'attention', 'campaigns', 'devices', 'estop', 'protocols'];
    expect([...read].sort()).toEqual(
      [...lists.flatMap((list) => ['a', 'b'].map((lab) => `/api/${list} ${lab}`)), '/api/queue a'].sort(),
    );
    const { records, isComplete } = own.sight();
    expect(isComplete).toBe(true);
    expect(records.agents.map(({ computer }) => computer)).toEqual(['a', 'both', 'b']);
    expect(records.devices.map(({ lab_name: lab }) => lab)).toEqual(['a', 'both', 'b']);
  });

  it('reads again and again what no event of these laboratories tells', async () => {
    read.length = 0;
    await vi.advanceTimersByTimeAsync(10_001);
    const polled = ['/api/agents a', '/api/agents b', '/api/queue a'];
    expect([...read].sort()).toEqual([...polled, ...polled].sort());
    own.stop();
    read.length = 0;
    await vi.advanceTimersByTimeAsync(10_001);
    expect(read).toEqual([]);
  });
});
