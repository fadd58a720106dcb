export { type Asked, AskedAs, EachTime, FoundAgain } from './asked.js';
export { longestKey } from './idempotency-key.js';
export { IdempotencyInterceptor } from './idempotency.interceptor.js';
