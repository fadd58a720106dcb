import { randomUUID } from 'node:crypto';
import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isServiceError, ServiceError } from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { isDryRun } from '../routes/index.js';
import { eachTimeKey, foundAgainKey } from './asked.js';
import { fingerprintOf, keyOf } from './idempotency-key.js';
import type { KeptAnswer, KeyName } from '@lab/persistence';
import { Keys } from '../ports/index.js';

/**
 * Lease of a key, in seconds. The gateway renews it after every third of that time. If the gateway dies, its requests to the
 * orchestrator have begun by the end of the lease, or never will.
 */
const leaseS = 15;
/** Interval between two removals of old keys, in milliseconds. */
const forgetMs = 600_000;
/** Longest stored answer, in characters. */
const longestAnswer = 1_048_576;
/** Routes whose responses contain a secret. The service shows it only once. */
const onceOnly = /^\/api\/(tokens|webhooks|invitations)(\/|$)/;

/**
 * Executes a request with the header `Idempotency-Key` only once: a repeat gets the same answer at every gateway. A request
 * without effect frees its key. A repeat of a request that broke off is executed if its route can find the record that the
 * first request created. Otherwise the answer says that the outcome is unknown.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor, OnApplicationShutdown {
  readonly #holder = randomUUID();
  readonly #renewal: NodeJS.Timeout;
  #open = 0;
  #forgottenAt = -Infinity;

  constructor(
    private readonly keys: Keys,
    private readonly reflector: Reflector,
  ) {
    // If the lease cannot be renewed, it expires, and a repeat looks for the record.
    this.#renewal = setInterval(
      () => {
        if (this.#open > 0) this.keys.holdOn(this.#holder, leaseS).catch(() => undefined);
      },
      (leaseS * 1_000) / 3,
    ).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#renewal);
  }

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (request.method === 'GET' || request.method === 'HEAD') return next.handle();
    if (this.reflector.get<boolean | undefined>(eachTimeKey, context.getHandler()) === true)
      return next.handle();
    const key = isDryRun(context) ? undefined : keyOf(request);
    if (key === undefined) return next.handle();
    const { principal, method, url } = request;
    const name: KeyName = {
      principal: principal === null ? '' : `${principal.kind}:${principal.name}`,
      route: `${method} ${url.split('?', 1)[0] ?? ''}`,
      key,
    };
    const isFoundAgain =
      this.reflector.get<boolean | undefined>(foundAgainKey, context.getHandler()) === true &&
      !resumes(request.body);
    return from(this.once(name, request, http.getResponse<FastifyReply>(), isFoundAgain, next));
  }

  private async once(
    name: KeyName,
    request: FastifyRequest,
    reply: FastifyReply,
    isFoundAgain: boolean,
    next: CallHandler<unknown>,
  ): Promise<unknown> {
    this.forgetOld();
    const known = await this.keys.take(name, fingerprintOf(request), this.#holder, leaseS);
    switch (known.state) {
      case 'answered':
        return replay(known.answer, reply);
      case 'in_progress':
        throw new ServiceError(
          'idempotency_key_in_progress',
          'A request with this key is under way. Repeat it in a moment to get its answer.',
        );
      case 'other_request':
        throw new ServiceError(
          'idempotency_key_reused',
          'This key was sent with another query or body. Nothing was done. Use a new key for a new request.',
        );
      case 'broken_off':
        if (!isFoundAgain) {
          await this.keys.letGo(name, this.#holder);
          throw new ServiceError(
            'outcome_unknown',
            'The request with this key broke off and may have had its effect. Read the record. To send a new request, use a new key.',
            { effect: 'maybe' },
          );
        }
        request.asked = { submissionId: known.submissionId, again: true };
        break;
      case 'new':
        request.asked = { submissionId: known.submissionId, again: false };
        break;
    }
    return this.carryOut(name, reply, next, known.state === 'broken_off');
  }

  private async carryOut(
    name: KeyName,
    reply: FastifyReply,
    next: CallHandler<unknown>,
    brokeOff: boolean,
  ): Promise<unknown> {
    this.#open += 1;
    try {
      const value = await lastValueFrom(next.handle(), { defaultValue: undefined });
      const location = reply.getHeader('location');
      const text = onceOnly.test(name.route.slice(name.route.indexOf(' ') + 1))
        ? null
        : (JSON.stringify(value) ?? null);
      await this.keys
        .answer(name, this.#holder, {
          status: reply.statusCode,
          location: location === undefined ? null : String(location),
          body: text !== null && text.length <= longestAnswer ? text : null,
        })
        // The request was executed, and the answer says so. A repeat looks for the record.
        .catch(() => undefined);
      return value;
    } catch (error) {
      // If the first request broke off, its effect is known only after a look-up.
      const nothingDone = isServiceError(error) && error.effect === 'none' && !(brokeOff && error.retryable);
      await (
        nothingDone ? this.keys.giveBack(name, this.#holder) : this.keys.letGo(name, this.#holder)
      ).catch(() => undefined);
      throw error;
    } finally {
      this.#open -= 1;
    }
  }

  private forgetOld(): void {
    const now = performance.now();
    if (now - this.#forgottenAt < forgetMs) return;
    this.#forgottenAt = now;
    this.keys.forget().catch(() => undefined);
  }
}

function replay({ status, location, body }: KeptAnswer, reply: FastifyReply): unknown {
  if (body === null && status !== 204)
    throw new ServiceError(
      'answer_not_kept',
      'A request with this key was executed before. Its answer is not stored: it is too large, or contains a secret that is shown only once.',
      { effect: 'done' },
    );
  reply.header('idempotent-replayed', 'true');
  if (location !== null) reply.header('location', location);
  void reply.code(status);
  return body === null ? undefined : (JSON.parse(body) as unknown);
}

/** Resumed work existed before, so the record does not show whether this request was executed. */
function resumes(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'resume' in body && body.resume === true;
}
