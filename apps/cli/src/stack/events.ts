import type { SupervisionEvent } from '@lab/runtime';

/** What happens in a stack, for whoever shows it. */
export type StackEvent =
  /** A step worth a line while starting or stopping. */
  | { type: 'progress'; text: string }
  /** A warning or an error, of the stack itself or of one of its processes. */
  | { type: 'warning'; service: string; text: string }
  | { type: 'service'; event: SupervisionEvent };

/** One line for a person. */
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
