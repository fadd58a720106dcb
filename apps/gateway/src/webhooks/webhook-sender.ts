import { ServiceError } from '@lab/contracts';
import { OutboundRefusedError, type Outbound, type OutboundPolicy, type Sealing } from '@lab/runtime';
import { askedForS } from './backoff.js';
import type { DeliveryRow, WebhookRow } from '@lab/persistence';
import { signedHeaders } from './signature.js';

/** Longest time of an attempt, in milliseconds. */
const attemptMs = 10_000;
/** Longest stored part of an answer, and longest reason, in characters. */
const longestAnswer = 1_024;

/** How the configuration can allow an address. */
const hints: Record<keyof OutboundPolicy, string> = {
  allow: 'Name the machine or its network under webhooks.allow in config.yml.',
  http: 'Use https://, or set webhooks.http to true in config.yml; others can then read the events on their way.',
  ports: 'Use one of these ports, or name the port under webhooks.ports in config.yml.',
};

/** Result of one attempt. */
export interface Attempt extends Pick<DeliveryRow, 'status' | 'duration_ms' | 'error' | 'answer'> {
  accepted: boolean;
  /** True: the receiver wants no further messages. */
  gone: boolean;
  /** Delay that the receiver asks for, in seconds. */
  askedForS: number | undefined;
}

/** Signs messages and sends them. */
export class WebhookSender {
  /** @param sealing opens the secrets of webhooks; undefined: this gateway has no key, so there are no webhooks */
  constructor(
    private readonly outbound: Outbound,
    private readonly sealing: Sealing | undefined,
    private readonly onRefused: (webhook: WebhookRow) => void = () => undefined,
  ) {}

  /** @throws ServiceError `invalid` when the gateway has no key to seal it with */
  seal(secret: string): string {
    if (this.sealing !== undefined) return this.sealing.seal(secret);
    throw new ServiceError('invalid', 'The secret of a webhook cannot be kept safe here.', {
      faults: [
        {
          path: '',
          code: 'no_secrets_key',
          message: 'the gateway has no key to seal the secret with',
          hint: 'set SVC_SECRETS_KEY for the gateway',
        },
      ],
    });
  }

  /** @throws ServiceError `invalid` when the address must not be reached */
  check(url: string): void {
    try {
      this.outbound.check(url);
    } catch (error) {
      if (!(error instanceof OutboundRefusedError)) throw error;
      throw new ServiceError('invalid', `The address of the webhook ${error.message}.`, {
        faults: [
          {
            path: 'url',
            code: 'address',
            message: error.message,
            ...(error.setting === undefined ? {} : { hint: hints[error.setting] }),
          },
        ],
      });
    }
  }

  /** Makes one attempt. @param signal aborts it; then it is unknown whether the receiver got the message */
  async send(webhook: WebhookRow, messageId: string, body: string, signal: AbortSignal): Promise<Attempt> {
    const begin = performance.now();
    const ended = (attempt: Pick<Attempt, 'status' | 'error' | 'answer'> & Partial<Attempt>): Attempt => ({
      accepted: false,
      gone: false,
      askedForS: undefined,
      ...attempt,
      duration_ms: Math.round(performance.now() - begin),
    });
    try {
      const now = Date.now();
      const { status, headers, text } = await this.outbound.post(webhook.url, {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'lab-webhooks/1',
          ...signedHeaders(this.#secretsOf(webhook, now), messageId, Math.floor(now / 1_000), body),
        },
        body,
        timeoutMs: attemptMs,
        signal,
      });
      const accepted = status >= 200 && status < 300;
      return ended({
        accepted,
        gone: status === 410,
        status,
        error: accepted ? null : `the receiver answered ${status}`,
        answer: storable(text),
        askedForS: accepted ? undefined : askedForS(headers['retry-after'], now),
      });
    } catch (error) {
      if (error instanceof OutboundRefusedError) this.onRefused(webhook);
      return ended({ status: null, error: storable(reasonOf(error)), answer: null });
    }
  }

  #secretsOf({ secret, previous_secret: previous, previous_secret_until: until }: WebhookRow, now: number) {
    const isInUse = previous !== null && until !== null && Date.parse(until) > now;
    return (isInUse ? [secret, previous] : [secret]).map((each) => {
      if (this.sealing === undefined) throw new Error('the gateway has no key to open the secret with');
      return this.sealing.open(each).reveal();
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof OutboundRefusedError) return `the address ${error.message}`;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer came within ${attemptMs / 1_000} s`;
  return error instanceof Error ? error.message : String(error);
}

/** Shortens a text and removes what the database cannot store. */
function storable(text: string): string {
  return text.slice(0, longestAnswer).replaceAll('\u0000', '').toWellFormed();
}
