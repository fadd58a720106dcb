import type { SupervisionEvent } from '@lab/runtime';

/** An event of a stack, for the terminal. */
export type StackEvent =
  /** A step of a start or a stop. */
  | { type: 'progress'; text: string }
  /** A warning or an error of the stack or of one of its processes. */
  | { type: 'warning'; service: string; text: string }
  | { type: 'service'; event: SupervisionEvent };

/** The event as one line of text. */
export function eventText(event: StackEvent): string | undefined {
  if (event.type === 'progress') return event.text;
  if (event.type === 'warning') return `${event.service}: ${event.text}`;
  const { event: what } = event;
  const again = 'retryInMs' in what ? `; again in ${what.retryInMs / 1_000} s` : '';
  if (what.type === 'exited') return `${what.name} ended unexpectedly (${what.reason})${again}`;
  if (what.type === 'restart_failed')
    return `${what.name} could not be started again: ${what.error.message}${again}`;
  return what.restarts > 0 ? `${what.name} serves again` : undefined;
}
