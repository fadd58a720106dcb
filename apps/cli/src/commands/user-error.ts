/** The text of an error for a person: its message, with the messages inside an aggregate. */
export function userError(error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(userError)].join('\n  ');
  return error instanceof Error ? error.message : String(error);
}
