import { UsageError } from './exit-codes.js';
import { userError } from './user-error.js';

/**
 * The JSON object that a person typed.
 *
 * @param what names the text, for the error
 * @param example a right text, for the error
 * @throws UsageError when the text is not a JSON object
 */
export function jsonObjectOf(given: string, what: string, example: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch (error) {
    throw new UsageError(`${what} are not JSON: ${userError(error)}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${what} must be a JSON object, such as ${example}`);
  return value as Record<string, unknown>;
}
