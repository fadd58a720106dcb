import { readFile, realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import type { JsonValue, ParameterDeclaration } from '@lab/sdk';
import { z } from 'zod';

/** A file to send to another system. */
export interface GivenFile {
  name: string;
  bytes: Uint8Array;
}

/** How a call gives a file. */
export const fileDeclaration = {
  type: 'dict',
  desc: 'A file: {name, text}, {name, base64}, or {path} below the folder in init_parameters.files',
} as const satisfies ParameterDeclaration;

const given = z.union([
  z.strictObject({ name: z.string().min(1), text: z.string() }),
  z.strictObject({ name: z.string().min(1), base64: z.base64() }),
  z.strictObject({ path: z.string().min(1) }),
]);

/**
 * Reads the file that a call gives.
 *
 * @param argument how messages name it
 * @param folder the only folder from which a path may be; undefined: no paths
 * @throws TypeError for another form, or a path that leads out of the folder; an error of the disk
 */
export async function fileOf(
  argument: string,
  value: JsonValue | undefined,
  folder: string | undefined,
): Promise<GivenFile> {
  const read = given.safeParse(value);
  if (!read.success)
    throw new TypeError(`${argument} must be a file: {name, text}, {name, base64} or {path}`);
  const file = read.data;
  if ('text' in file) return { name: basename(file.name), bytes: Buffer.from(file.text) };
  if ('base64' in file) return { name: basename(file.name), bytes: Buffer.from(file.base64, 'base64') };
  if (folder === undefined) {
    throw new TypeError(`${argument}.path: name the folder of such files in init_parameters.files first`);
  }
  const [root, path] = await Promise.all([realpath(folder), realpath(resolve(folder, file.path))]);
  const inside = relative(root, path);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new TypeError(
      `${argument}.path: ${file.path} is not below ${folder}, the folder in init_parameters.files`,
    );
  }
  return { name: basename(path), bytes: await readFile(path) };
}
