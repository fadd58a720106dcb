import { readFile } from 'node:fs/promises';
// The host gives the process of a device the environment of its agent without the settings of the service.
import { env } from 'node:process';
import { z } from 'zod';

/** Where a secret is on the computer of the device. It never stands in YAML itself. */
export const secretSource = z.union(
  [z.strictObject({ file: z.string().min(1) }), z.strictObject({ env: z.string().regex(/^(?!SVC_)\w+$/) })],
  {
    error:
      'a secret is { file: PATH } or { env: NAME } on the computer of the device, where NAME does not begin with SVC_; it never stands in YAML',
  },
);

export type SecretSource = z.output<typeof secretSource>;

/**
 * Reads a secret.
 *
 * @param what its name for messages
 * @throws Error that names the place, never the value
 */
export async function readSecret(source: SecretSource, what: string): Promise<string> {
  if ('env' in source) {
    const value = env[source.env];
    if (value === undefined || value === '') {
      throw new Error(
        `${what}: the agent of this computer has no environment variable ${source.env}: set it and start the agent again`,
      );
    }
    return value;
  }
  const text = (await readGiven(source.file, what)).toString();
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new Error(`${what}: the file ${source.file} is empty`);
  return value;
}

/**
 * Reads a file that an init parameter names.
 *
 * @param what the init parameter, for messages
 * @throws Error that names the parameter and the path
 */
export async function readGiven(path: string, what: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new Error(
      `${what}: cannot read the file ${path} (${code}): make it, readable by the user of the agent`,
      { cause: error },
    );
  }
}
