import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventKinds, type LogLine, type ServiceEvent } from '@lab/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventClient } from '../apps/gateway/test/event-client.js';
import { isSignedBy, startReceiver, type Receiver } from '../apps/gateway/test/receiver.js';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';

/** Specification, "Events": the events that a client receives. */

let lab: Lab;
let receiver: Receiver;
let folder: string;

beforeAll(async () => {
  receiver = await startReceiver();
  folder = mkdtempSync(join(tmpdir(), 'events-'));
  const config = join(folder, 'config.yml');
  writeFileSync(config, `webhooks: { allow: [127.0.0.1], http: true, ports: [443, ${receiver.port}] }\n`);
  lab = await startLab(['multiplication_lab'], { env: { SVC_CONFIG: config } });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await receiver?.close();
  rmSync(folder, { recursive: true, force: true });
});

const multiply = (name: string) => ({
  name,
  type: 'multiply',
  owner: 'ada',
  devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } },
  input_parameters: { number: 3 },
});

async function follow(query = '', lastId?: number): Promise<EventClient> {
  return EventClient.open(
    `${lab.stack.url}/api/events${query}`,
    lastId === undefined ? {} : { 'last-event-id': String(lastId) },
  );
}

/** Reads events up to and including the first that matches. */
async function until(client: EventClient, wanted: (event: ServiceEvent) => boolean): Promise<ServiceEvent[]> {
  const seen: ServiceEvent[] = [];
  for (;;) {
    const [event] = await client.next(1);
    if (event === undefined) throw new Error('the stream gave nothing');
    seen.push(event);
    if (wanted(event)) return seen;
  }
}

const statesOf = (events: readonly ServiceEvent[], kind: string): string[] =>
  events.filter(({ type }) => type.startsWith(`${kind}.`)).map(({ type }) => type.slice(kind.length + 1));

describe('the events of the service', () => {
  it('report every state of a task live, and again to a client that reconnects', async () => {
    const live = await follow('?owner=ada');
    await lab.api.submit('tasks', multiply('told'));
    const story = await until(live, ({ type }) => type === 'task_run.completed');
    live.close();
    expect(statesOf(story, 'task_run')).toEqual(['queued', 'running', 'completed']);
    expect(statesOf(story, 'attempt')).toEqual(['dispatching', 'running', 'completed']);
    const task = await lab.api.task('told');
    const of = story.filter(({ aggregate }) => aggregate === `task_run/${task.id}`);
    expect(of.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(of.at(-1)?.body).toMatchObject({ name: 'told', state: 'completed', labs: ['multiplication_lab'] });
    const page = await lab.api.call<{ items: ServiceEvent[] }>(
      'GET',
      `/api/events/history?aggregate=task_run/${task.id}`,
    );
    expect(page.body.items).toEqual(of);

    const again = await follow('?owner=ada', story[1]?.id ?? 0);
    expect(await again.next(story.length - 2)).toEqual(story.slice(2));
    again.close();
  });

  it('are numbered without gaps for each record and have known kinds', async () => {
    const client = await follow('?after=0');
    await lab.api.submit('tasks', multiply('last'));
    const all = await until(
      client,
      ({ type, body }) => type === 'task_run.completed' && body['name'] === 'last',
    );
    const arm = 'device/multiplication_lab.multiplier_a';
    const isIdle = (event: ServiceEvent | undefined): boolean => event?.type === 'device.idle';
    if (!isIdle(all.findLast(({ aggregate }) => aggregate === arm)))
      all.push(...(await until(client, (event) => event.aggregate === arm && isIdle(event))));
    client.close();
    const last = new Map<string, ServiceEvent>();
    for (const event of all) {
      const before = last.get(event.aggregate);
      expect([event.aggregate, event.seq]).toEqual([event.aggregate, (before?.seq ?? 0) + 1]);
      last.set(event.aggregate, event);
    }
    const kinds = new Set(all.map(({ type }) => type.split('.')[0] ?? ''));
    expect([...kinds].filter((kind) => !eventKinds.some((known) => known === kind))).toEqual([]);
    expect([...kinds]).toEqual(
      expect.arrayContaining(['agent', 'attempt', 'device', 'lab', 'protocol', 'task_run']),
    );
  });
});

describe('the output of tasks and devices', () => {
  it('is in the log when the task has ended and can be searched by its writer', async () => {
    const lines = (path: string): Promise<LogLine[]> => lab.api.all<LogLine>(path);
    const stream = await EventClient.open<LogLine>(`${lab.stack.url}/api/logs/stream?task=logged`);
    await lab.api.submit('tasks', multiply('logged'));
    await eventually(() => lab.api.task('logged'), isOver);
    const [ofTask] = await eventually(
      () => lines('/api/tasks/logged/logs?sort=id'),
      (found) => found.length > 0,
    );
    const { id } = await lab.api.task('logged');
    const [attempt] = await lab.api.attempts('logged');
    expect(ofTask).toMatchObject({
      source: 'task',
      computer: 'svc_computer',
      task_run_id: id,
      task: 'logged',
      protocol_run: null,
      attempt_id: attempt?.id,
      attempt: 1,
      level: 'info',
      message: expect.stringMatching(/^3 x .* on multiplier_a$/) as string,
    });
    expect(await stream.next(1)).toEqual([ofTask]);
    stream.close();
    const again = await EventClient.open<LogLine>(`${lab.stack.url}/api/tasks/logged/logs/stream?after=0`);
    expect(await again.next(1)).toEqual([ofTask]);
    again.close();
    const ofDevice = await lines('/api/labs/multiplication_lab/devices/multiplier_a/logs');
    expect(ofDevice[0]).toMatchObject({ source: 'device', device: 'multiplier_a', task: null });
    expect(ofDevice[0]?.message).toMatch(/^ready/);
    expect(await lines('/api/logs?task=logged&level=error')).toEqual([]);
  });
});

describe('a webhook', () => {
  it('receives only the event types that it asked for, signed and in order', async () => {
    const made = await lab.api.call<{ id: string; secret: string }>('POST', '/api/webhooks', {
      url: receiver.url,
      filters: { type: 'task_run', owner: 'ada' },
    });
    expect(made.status).toBe(201);
    await lab.api.submit('tasks', multiply('sent'));
    const received = await eventually(
      async () => receiver.received,
      (all) => all.some(({ event }) => event.type === 'task_run.completed'),
    );
    expect(
      statesOf(
        received.map(({ event }) => event),
        'task_run',
      ),
    ).toEqual(['queued', 'running', 'completed']);
    expect(received).toHaveLength(3);
    for (const each of received) expect(isSignedBy(made.body.secret, each)).toBe(true);
    const path = `/api/webhooks/${made.body.id}`;
    expect(JSON.stringify((await lab.api.call('GET', path)).body)).not.toContain('whsec_');
    expect((await lab.api.call('DELETE', path)).status).toBe(200);
  });

  it('receives the meta of a task, and its outputs when it has completed', async () => {
    const made = await lab.api.call<{ id: string }>('POST', '/api/webhooks', {
      url: receiver.url,
      filters: { type: 'task_run.running,task_run.completed', owner: 'eve' },
      include: ['meta', 'outputs'],
    });
    expect(made.status).toBe(201);
    const [before, meta] = [receiver.received.length, { sample: 'S-17' }];
    await lab.api.submit('tasks', { ...multiply('explained'), owner: 'eve', meta });
    const received = await eventually(
      async () => receiver.received.slice(before),
      (all) => all.length === 2,
    );
    const { output_parameters: outputs } = await lab.api.task('explained');
    expect(Object.keys(outputs ?? {})).not.toEqual([]);
    expect(received[0]?.event).toMatchObject({ type: 'task_run.running', body: { meta } });
    expect(received[0]?.event.body).not.toHaveProperty('output_parameters');
    expect(received[1]?.event.body).toMatchObject({ state: 'completed', meta, output_parameters: outputs });
    expect((await lab.api.call('DELETE', `/api/webhooks/${made.body.id}`)).status).toBe(200);
  });
});
