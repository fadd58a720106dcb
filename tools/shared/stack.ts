import { ApiClient } from '@lab/api-client';
import { startServiceStack, type Stack, type StackOptions } from '@lab/testkit';
import { until } from './measure.js';

/** The service for one measurement, started as a user starts it. */

/** States in which work does not go on by itself. */
const overStates = ['completed', 'failed', 'cancelled', 'needs_attention'];

export const isOver = ({ state }: { state: string }): boolean => overStates.includes(state);

/** A client that sends every request once, so that a retry never hides in a figure. */
export const clientOf = (url: string): ApiClient => new ApiClient(url, { retries: 0, timeoutMs: 60_000 });

/** Starts a stack, and stops it after `work` whether or not it fails. */
export async function withStack<T>(
  options: StackOptions,
  work: (stack: Stack, api: ApiClient) => Promise<T>,
): Promise<T> {
  const stack = await startServiceStack({ readyMs: 180_000, ...options });
  try {
    return await work(stack, clientOf(stack.url));
  } finally {
    await stack.dispose();
  }
}

/**
 * Waits until every device can be used.
 *
 * @param count how many devices there are; undefined: at least one
 */
export async function devicesIdle(api: ApiClient, count?: number, limitMs = 60_000): Promise<void> {
  await until(
    // A service that has only just started may not answer in time.
    () =>
      api.all('/api/devices').then(
        (devices) => devices.map(({ state }) => state),
        () => [],
      ),
    (states) =>
      states.every((state) => state === 'idle') &&
      (count === undefined ? states.length > 0 : states.length === count),
    limitMs,
  );
}
