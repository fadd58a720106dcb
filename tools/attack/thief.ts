import { setTimeout as wait } from 'node:timers/promises';
import {
  encodeToken,
  envelopeVersion,
  replyEnvelope,
  subjectOf,
  type AnyEvent,
  type AnyRequest,
  type ProcessRole,
} from '@lab/contracts';
import { connect, credsAuthenticator, errors, type NatsConnection } from '@nats-io/transport-node';

/** What became of a message of the thief. */
export type Fate =
  | { kind: 'refused by the broker' }
  | { kind: 'silence' }
  | { kind: 'error'; code: string }
  | { kind: 'answer'; body: unknown };

/** Marks of an envelope that a thief may forge. */
export interface Marks {
  epoch?: number;
  inc?: number;
  fence?: Record<string, number>;
  fresh?: number;
  /** Default: a new one. */
  id?: string;
  act?: string;
}

type Tokens = Readonly<Record<string, string>>;

/** How long an answer may take, in milliseconds. */
const patienceMs = 1_500;

/** A connection with stolen credentials, without any of the checks of the bus. */
export class Thief {
  readonly #refused = new Set<string>();
  #sent = 0;

  private constructor(
    private readonly connection: NatsConnection,
    private readonly role: ProcessRole,
    private readonly name: string,
  ) {
    void this.#listen();
  }

  /** @param name in the credentials */
  static async with(url: string, credentials: string, role: ProcessRole, name: string): Promise<Thief> {
    const authenticator = credsAuthenticator(new TextEncoder().encode(credentials));
    return new Thief(await connect({ servers: url, authenticator, reconnect: false }), role, name);
  }

  /** Sends any body under any subject of a message. */
  async send(
    definition: AnyRequest | AnyEvent,
    tokens: Tokens,
    body: unknown,
    marks: Marks = {},
  ): Promise<Fate> {
    const subject = subjectOf(definition as { subject: string }, tokens);
    this.#refused.delete(subject);
    this.#sent += 1;
    const id = `theft-${this.#sent}`;
    const message = { v: envelopeVersion, id, kind: definition.name, src: 'orchestrator/1', ...marks, body };
    const data = JSON.stringify(message);
    // The name of the answerer in its inbox must be right, or the answer itself is refused.
    const inbox = `_INBOX.${this.role}.${encodeToken(this.name)}.${this.#sent}`;
    const answer = new Promise<Fate>((resolve) => {
      const subscription = this.connection.subscribe(`${inbox}.>`, {
        max: 1,
        callback: (_, reply) => resolve(fateOf(reply.data, reply.headers?.code)),
      });
      void wait(patienceMs).then(() => {
        if (!subscription.isClosed()) subscription.unsubscribe();
      });
    });
    const answerers = Object.entries(definition.to as Record<string, Tokens>);
    const [role = 'orchestrator', fixed = {}] = answerers[0] ?? [];
    const own = Object.keys(fixed).find((token) => fixed[token] === '{itself}');
    const answerer = own === undefined ? '_' : encodeToken(tokens[own] ?? '');
    this.connection.publish(subject, data, { reply: `${inbox}.${role}.${answerer}.1` });
    await this.connection.flush();
    await wait(1);
    if (this.#refused.has(subject)) return { kind: 'refused by the broker' };
    return definition.kind === 'event'
      ? { kind: 'silence' }
      : Promise.race([answer, wait(patienceMs, { kind: 'silence' } as const)]);
  }

  /** The body of the next message on a subject. @throws Error when none comes within 5 s */
  async overhears(subject: string): Promise<unknown> {
    const subscription = this.connection.subscribe(subject, { max: 1, timeout: 5_000 });
    for await (const { data } of subscription)
      return (JSON.parse(new TextDecoder().decode(data)) as { body: unknown }).body;
    throw new Error(`nothing was heard on ${subject}`);
  }

  /**
   * Answers requests on a subject, besides whoever else does.
   *
   * @param answer gives the body of the answer to a body; undefined: none
   * @returns a function that ends it
   */
  serves(subject: string, answer: (body: unknown) => unknown): () => void {
    const subscription = this.connection.subscribe(subject, {
      callback: (_, message) => {
        const { body } = JSON.parse(new TextDecoder().decode(message.data)) as { body: unknown };
        const given = answer(body);
        if (given !== undefined) message.respond(JSON.stringify({ ok: true, body: given }));
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Publishes bytes. @returns whether the broker carried them */
  async publishes(subject: string): Promise<boolean> {
    this.#refused.delete(subject);
    this.connection.publish(subject, '{"ok":true,"body":{}}');
    await this.connection.flush();
    await wait(1);
    return !this.#refused.has(subject);
  }

  /** @returns whether the broker lets the thief hear the subject */
  async hears(subject: string): Promise<boolean> {
    this.#refused.delete(subject);
    const subscription = this.connection.subscribe(subject, { callback: () => undefined });
    await this.connection.flush();
    await wait(1);
    if (this.#refused.has(subject)) return false;
    subscription.unsubscribe();
    return true;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #listen(): Promise<void> {
    for await (const status of this.connection.status())
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
        this.#refused.add(status.error.subject);
  }
}

function fateOf(data: Uint8Array, status: number | undefined): Fate {
  if (status === 503) return { kind: 'error', code: 'nobody serves it' };
  const { success, data: reply } = replyEnvelope.safeParse(JSON.parse(new TextDecoder().decode(data)));
  if (!success) return { kind: 'error', code: 'unreadable' };
  return reply.ok ? { kind: 'answer', body: reply.body } : { kind: 'error', code: reply.error.code };
}
