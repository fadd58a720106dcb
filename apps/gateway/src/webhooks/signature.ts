import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A new secret: 32 random bytes in base64. */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/**
 * The headers of a message, as the Standard Webhooks specification defines them.
 *
 * @param secrets each gives one signature: during a rotation there are two
 * @param seconds since 1970
 */
export function signedHeaders(
  secrets: readonly string[],
  messageId: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
