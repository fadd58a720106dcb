import { messageWithPlace } from '@lab/contracts/vocabulary';

/** The reason of a state for a line of text: its message, and the place in the author's code that threw the error. */
export function reasonText({ reason }: { reason: { message: string; stack?: string } | null }): string {
  return reason === null ? '' : `: ${messageWithPlace(reason)}`;
}
