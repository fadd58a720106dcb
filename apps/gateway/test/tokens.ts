import type { Grant } from '@lab/contracts';
import { issueToken } from '@lab/persistence';
import { BearerAuthentication } from '../src/access/authentication.js';
import { ProvenPersons } from '../src/access/proven-persons.js';
import { TokenAuthentication } from '../src/access/token-authentication.js';
import { memoryLog, type Harness } from './twins.js';
import type { MemoryTokens } from './memory-access.js';

/** Authentication by the tokens of a harness, as in a gateway with authentication on. */
export const byTokens = (tokens: MemoryTokens): BearerAuthentication =>
  new BearerAuthentication(
    new TokenAuthentication(tokens, new ProvenPersons(tokens), 0, memoryLog()),
    undefined,
  );

/** Headers of a caller with these roles. */
export async function headersOf(
  { tokens }: Pick<Harness, 'tokens'>,
  name: string,
  grants: Grant[],
): Promise<{ authorization: string }> {
  const { token, row } = issueToken({ name, grants }, 'test', Date.now());
  await tokens.add(row);
  return { authorization: `Bearer ${token}` };
}
