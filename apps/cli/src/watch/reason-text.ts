/** The reason of a state for a line of text: its message, and the place in the author's code that threw the error. */
export function reasonText({ reason }: { reason: { message: string; stack?: string } | null }): string {
  if (reason === null) return '';
  const place = /^\s+at (?:.* \()?(\S+:\d+:\d+)\)?$/m.exec(reason.stack ?? '')?.[1];
  return `: ${reason.message}${place === undefined ? '' : ` (${place})`}`;
}
