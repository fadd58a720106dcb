import { z } from 'zod';
import { recordSettings, replaySettings } from '../recordings/index.js';
import { readSettings } from '../settings/index.js';

/** A text that a lab may leave empty. */
export const optionalText = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/** The init parameters that say where another system is. They are parts of the schema of a device. */
export const linkShape = {
  /** Where its HTTP API is. */
  address: z
    .string()
    .refine(isAddress, 'it must be http://HOST:PORT or https://HOST:PORT, without a user, a password or a ?'),
  /** PEM file of the authority that issued its certificate. */
  ca_file: optionalText,
  /** SHA-256 of its certificate, in place of an authority. */
  fingerprint: optionalText
    .transform((text) => (text === undefined ? undefined : plain(text)))
    .refine(
      (text) => text === undefined || /^[0-9A-F]{64}$/.test(text),
      'it must be the SHA-256 fingerprint of a certificate: 64 hexadecimal digits',
    ),
  /** File with a token that a proxy before it wants as `Authorization: Bearer`. */
  token_file: optionalText,
  /** Seconds within which a request must be answered. */
  answer_within: z.number().positive().max(600).default(10),
  /** Whether a twin takes the place of the other system. */
  simulate: z.boolean().default(false),
  /** Record the exchanges from the start. */
  record: recordSettings,
  /** A recording in place of the other system. */
  replay: replaySettings,
};

/** The settings of a link. */
export type LinkSettings = z.output<z.ZodObject<typeof linkShape>>;

/** A fingerprint as capital hexadecimal digits without separators. */
export const plain = (fingerprint: string): string => fingerprint.replaceAll(':', '').toUpperCase();

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username + password + search + hash === '';
}

/**
 * Checks the init parameters of a device that has a link.
 *
 * @throws TypeError that names every fault with its path
 */
export function readLinked<Schema extends z.ZodType<LinkSettings>>(
  schema: Schema,
  parameters: unknown,
): z.output<Schema> {
  const settings = readSettings(schema, parameters);
  const fault = certificateFault(settings);
  if (fault !== undefined) throw new TypeError(`init_parameters.${fault}`);
  return settings;
}

/** A certificate for an address that has none, or two ways to trust one. */
function certificateFault(settings: LinkSettings): string | undefined {
  const { address, ca_file: authority, fingerprint } = settings;
  if (authority === undefined && fingerprint === undefined) return undefined;
  if (!address.startsWith('https:'))
    return 'address: only https has a certificate, and ca_file or fingerprint is set';
  return authority !== undefined && fingerprint !== undefined
    ? 'fingerprint: it takes the place of an authority, so leave ca_file out'
    : undefined;
}
