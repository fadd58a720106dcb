/**
 * The lock that the text of a module in Python names, so that the hash of the text covers it.
 *
 * @returns undefined: it names none, or no host can read the text
 */
export function environmentOf(text: string): string | undefined {
  try {
    const { environment } = JSON.parse(text) as { environment?: unknown };
    return typeof environment === 'string' ? environment : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
