import { randomUUID } from 'node:crypto';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { eventSchema, isWanted, type DeliveryRecord, type ServiceEvent } from '@lab/contracts';
import { deliveryRecord, messageIdOf, type DeliveryRow, type WebhookRow } from '@lab/persistence';
import { systemIds } from '@lab/runtime';
import type { Log } from '@lab/ports';
import { readFilter } from '../events/index.js';
import type { DeliveryStore, EventReader, RecordReader, WebhookStore } from '../ports/index.js';
import { mostAttempts, retryInS } from './backoff.js';
import { withDetails } from './event-details.js';
import type { Attempt, WebhookSender } from './webhook-sender.js';

/** Interval of polls, and shortest time between two of them, in milliseconds. */
const lookMs = 1_000;
const paceMs = 20;
/** Longest time in which a database is set up at the start of the service, in milliseconds. */
const startMs = 20_000;
/** Lease of a webhook, in seconds, and interval of its renewal, in milliseconds. */
const leaseS = 20;
const holdMs = 3_000;
/** Events of one read, and maximum number of waiting deliveries of one webhook. */
const pageSize = 200;
const mostPending = 200;
/** Concurrent requests to one webhook while it accepts them. */
const atOnce = 4;
/** Longest pause of a webhook that does not accept messages, in milliseconds. */
const longestPauseMs = 60_000;
/** Duration of failures after which a webhook is disabled, in seconds. */
const patienceS = 5 * 86_400;
/** Longest time that a shutdown waits for requests under way, in milliseconds. */
const partingMs = 3_000;
const forgetMs = 3_600_000;

/** State of a webhook that this process holds. */
interface Line {
  sending: Map<string, Promise<void>>;
  /** Number of failed attempts in a row. */
  failures: number;
  /** Earliest time of the next attempt, in milliseconds since 1970. */
  pausedUntil: number;
  /** Time of the latest change of the webhook. A change ends an earlier pause. */
  changedAt: string;
}

export type AttemptOutcome = 'delivered' | 'failed' | 'given_up';

export interface DelivererOptions {
  log: Log;
  /** Time for which ended deliveries are kept, in days. */
  keptDays: number;
  /** Gets the outcome of each attempt. */
  count?: (outcome: AttemptOutcome) => void;
}

/**
 * Sends events to webhooks, each at least once, and the events of one record in order: the next event is sent after the
 * previous one was accepted or given up. Every delivery is in the database before it is sent, so that another gateway
 * continues when this one dies. Only one gateway holds a webhook at a time.
 */
export class WebhookDeliverer implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #holder = randomUUID();
  readonly #closing = new AbortController();
  readonly #lines = new Map<string, Line>();
  #held: WebhookRow[] = [];
  #holdAt = 0;
  #forgetAt = 0;
  #isListening = false;
  /** Until then a failure is no news: the service starts. In milliseconds of the monotonic clock. */
  #quietUntil = performance.now() + startMs;
  #isDown = false;
  #working: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #called = false;
  #stopped = false;

  constructor(
    private readonly webhooks: WebhookStore,
    private readonly deliveries: DeliveryStore,
    private readonly reader: EventReader,
    private readonly records: RecordReader,
    private readonly sender: WebhookSender,
    private readonly options: DelivererOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.#working = this.#work();
  }

  /** Checks a webhook at once, because it was created or changed or has a delivery to repeat. */
  changed(id: string): void {
    this.#holdAt = 0;
    const line = this.#lines.get(id);
    if (line !== undefined) line.pausedUntil = 0;
    this.#look();
  }

  /** Sends one empty message. @returns the delivery with its result; undefined when the webhook was removed */
  async ping(webhook: WebhookRow): Promise<DeliveryRecord | undefined> {
    const id = systemIds.next();
    const event: ServiceEvent = {
      id: 0,
      type: 'webhook.ping',
      schema: eventSchema,
      aggregate: `webhook/${webhook.id}`,
      seq: 0,
      at: new Date().toISOString(),
      body: {},
    };
    const body = JSON.stringify(event);
    const { type, aggregate } = event;
    const messageId = messageIdOf({ id, event_id: null });
    const { accepted, ...attempt } = await this.sender.send(webhook, messageId, body, this.#closing.signal);
    const kept = await this.deliveries.keep(
      { id, webhook_id: webhook.id, type, aggregate, body },
      { ...attempt, state: accepted ? 'delivered' : 'given_up' },
    );
    return kept === undefined ? undefined : deliveryRecord(kept);
  }

  async onModuleDestroy(): Promise<void> {
    const parting = setTimeout(() => this.#closing.abort(new Error('the service is stopping')), partingMs);
    this.#stopped = true;
    this.#look();
    await this.#working;
    await Promise.all([...this.#lines.values()].flatMap(({ sending }) => [...sending.values()]));
    clearTimeout(parting);
    await this.webhooks.letGo(this.#holder).catch(() => undefined /* the lease runs out */);
  }

  #look(): void {
    this.#called = true;
    this.#wake();
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      this.#called = false;
      try {
        await this.#turn();
        this.#isDown = false;
        this.#quietUntil = 0;
      } catch (error) {
        // Logged once for each outage of the database. The next check follows within a second. At the start of the
        // service the database may still be set up.
        const isStarting = performance.now() < this.#quietUntil;
        if (!this.#isDown && !isStarting)
          this.options.log.warn('webhooks cannot be delivered at present', { error });
        this.#isDown = !isStarting;
        this.#called = false;
      }
      await this.#pause();
    }
  }

  /** Waits until it is woken or the next check is due. */
  async #pause(): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#called ? paceMs : lookMs);
      this.#wake = () => {
        clearTimeout(timer);
        setTimeout(resolve, paceMs);
      };
    });
    this.#wake = () => undefined;
  }

  async #turn(): Promise<void> {
    const now = Date.now();
    if (now >= this.#holdAt) {
      this.#held = await this.webhooks.hold(this.#holder, leaseS);
      this.#holdAt = now + holdMs;
      const ids = new Set(this.#held.map(({ id }) => id));
      for (const [id, { sending }] of this.#lines)
        if (!ids.has(id) && sending.size === 0) this.#lines.delete(id);
    }
    if (now >= this.#forgetAt) {
      this.#forgetAt = now + forgetMs;
      while ((await this.deliveries.forget(this.options.keptDays)) > 0);
    }
    if (this.#held.length > 0 && !this.#isListening) {
      this.#isListening = true;
      this.reader.listen(() => this.#look());
    }
    const pages = new Map<number, ReturnType<EventReader['after']>>();
    for (const webhook of this.#held) {
      const { position } = webhook;
      const page = pages.get(position) ?? this.reader.after(position, pageSize);
      pages.set(position, page);
      await this.#take(webhook, await page);
      await this.#send(webhook);
    }
  }

  /** Moves a webhook past a page of events. */
  async #take(
    webhook: WebhookRow,
    { pruned, events }: Awaited<ReturnType<EventReader['after']>>,
  ): Promise<void> {
    if (pruned > webhook.position) {
      const message = `events ${webhook.position + 1} to ${pruned} were removed before they were sent; see what they were about, replay from ${pruned} or later, and enable the webhook`;
      await this.webhooks.failed(webhook.id, { code: 'events_pruned', message }, 0);
      this.options.log.error('a webhook was disabled: events were removed before they were sent', {
        webhook: webhook.id,
      });
      this.changed(webhook.id);
      return;
    }
    const last = events.at(-1);
    if (last === undefined) return;
    const { filter } = readFilter(webhook.filters, '');
    const wanted = events.filter((event) => isWanted(event, filter));
    const deliveries = (await withDetails(wanted, webhook.include, this.records)).map((event) => ({
      // Rises with the events, so that the log keeps the order of simultaneous events.
      id: systemIds.next(),
      event_id: event.id,
      type: event.type,
      aggregate: event.aggregate,
      body: JSON.stringify(event),
    }));
    if (await this.webhooks.take(webhook, last.id, deliveries, mostPending)) {
      webhook.position = last.id;
      if (events.length === pageSize) this.#look();
    } else this.#holdAt = 0;
  }

  /** Starts the deliveries that are due. */
  async #send(webhook: WebhookRow): Promise<void> {
    const { id, changed_at: changedAt } = webhook;
    const line: Line = this.#lines.get(id) ?? { sending: new Map(), failures: 0, pausedUntil: 0, changedAt };
    this.#lines.set(id, line);
    if (line.changedAt !== changedAt) Object.assign(line, { pausedUntil: 0, changedAt });
    const free = (line.failures === 0 ? atOnce : 1) - line.sending.size;
    if (free <= 0 || line.pausedUntil > Date.now()) return;
    for (const delivery of await this.deliveries.due(webhook, [...line.sending.keys()], free)) {
      const sending = this.#deliver(webhook, delivery, line)
        .catch((error: unknown) =>
          // The delivery stays pending and is sent again.
          this.options.log.warn('it could not be written down how a delivery ended', { error }),
        )
        .finally(() => {
          line.sending.delete(delivery.id);
          this.#look();
        });
      line.sending.set(delivery.id, sending);
    }
  }

  async #deliver(webhook: WebhookRow, delivery: DeliveryRow, line: Line): Promise<void> {
    const { signal } = this.#closing;
    const attempt = await this.sender.send(webhook, messageIdOf(delivery), delivery.body, signal);
    if (signal.aborted) return;
    if (attempt.accepted) {
      line.failures = 0;
      line.pausedUntil = 0;
      await this.deliveries.settle(delivery, { ...attempt, state: 'delivered', nextInS: 0 });
      await this.webhooks.recovered(webhook.id);
      this.options.count?.('delivered');
      return;
    }
    const attempts = delivery.attempts + 1;
    const isLast = attempts >= mostAttempts;
    line.failures += 1;
    line.pausedUntil = Date.now() + pauseMs(line.failures, attempt);
    await this.deliveries.settle(delivery, {
      ...attempt,
      state: isLast ? 'given_up' : 'pending',
      nextInS: retryInS(attempts, Math.random(), attempt.askedForS),
    });
    this.options.count?.(isLast ? 'given_up' : 'failed');
    await this.#note(webhook, attempt);
  }

  /** Records that a webhook does not accept messages. */
  async #note({ id, url }: WebhookRow, { error, gone }: Attempt): Promise<void> {
    const code = gone ? 'gone' : 'not_accepted';
    const message = gone ? 'the receiver wants nothing more (410)' : (error ?? '');
    const disabled = await this.webhooks.failed(id, { code, message }, gone ? 0 : patienceS);
    if (!disabled) return;
    this.options.log.error('a webhook was disabled', { webhook: id, url, reason: message });
    this.changed(id);
  }
}

/** Pause of a webhook after failures in a row, in milliseconds. */
function pauseMs(failures: number, { askedForS }: Attempt): number {
  const usual = Math.min(longestPauseMs, 500 * 2 ** failures);
  return Math.max(usual, Math.min((askedForS ?? 0) * 1_000, 86_400_000));
}
