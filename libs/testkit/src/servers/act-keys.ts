import { makeAuthorityKey } from '@lab/trust/authority';

/** New keys for acts of people, as the variables of a gateway and an orchestrator that a test starts itself. */
export function actKeys(): { SVC_ACT_KEY: string; SVC_ACT_PUBLIC_KEY: string } {
  const key = makeAuthorityKey();
  return { SVC_ACT_KEY: JSON.stringify(key), SVC_ACT_PUBLIC_KEY: key.x };
}
