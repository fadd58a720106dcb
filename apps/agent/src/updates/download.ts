import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import type { OfferedPackage } from '@lab/trust/offer';
import { writeFrom } from '../files/index.js';
import { beginRequest, type HttpWay } from '../joining/index.js';

/** Longest silence of the service, in milliseconds. */
const silenceMs = 30_000;

/**
 * Fetches a package into a file, and compares its size and SHA-256 with the offer.
 *
 * @param gateway address of the gateway
 * @throws Error in one sentence
 */
export async function download(
  gateway: string,
  way: HttpWay,
  { name, size, sha256 }: OfferedPackage,
  target: string,
): Promise<void> {
  const wrong = (what: string): Error => new Error(`the package ${name} could not be fetched: ${what}`);
  const hash = createHash('sha256');
  let received = 0;
  const checked = new Transform({
    transform(piece: Buffer, _encoding, done) {
      received += piece.length;
      hash.update(piece);
      if (received > size) done(wrong(`it is longer than the ${size} bytes of the offer`));
      else done(null, piece);
    },
  });
  try {
    const url = new URL(`${gateway}/agents/packages/${encodeURIComponent(name)}`);
    const request = await beginRequest(url, way, { timeout: silenceMs });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${silenceMs / 1_000} s`)));
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    request.end();
    const [response] = await answered;
    if (response.statusCode !== 200) {
      response.destroy();
      throw wrong(`the service answers with status ${response.statusCode}`);
    }
    await writeFrom(response, checked, target, { flags: 'w', mode: 0o600 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw wrong('the disk is full');
    throw reason.startsWith('the package ') ? error : wrong(reason);
  }
  if (received !== size) throw wrong(`it has ${received} bytes, and the offer says ${size}`);
  if (hash.digest('hex') !== sha256) throw wrong('its SHA-256 is another one than that of the offer');
}
