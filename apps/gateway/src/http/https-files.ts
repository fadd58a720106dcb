import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:https';
import type { Log } from '@lab/ports';

/** Paths of PEM files: the certificate with its chain, and the private key. */
export interface HttpsFiles {
  certificate: string;
  key: string;
}

/** Interval at which changed files are noticed, in milliseconds. */
const lookEveryMs = 5_000;

/** @throws Error in one sentence when a file cannot be read */
export function readHttpsFiles({ certificate, key }: HttpsFiles): { cert: Buffer; key: Buffer } {
  return { cert: contentOf(certificate, 'certificate'), key: contentOf(key, 'private key') };
}

/**
 * Uses a new certificate for new connections as soon as the files have changed. While they do not fit together, the server
 * keeps the certificate that it has.
 *
 * @param onRenewed called with the new certificate in PEM
 * @returns a function that ends it
 */
export function renewFrom(
  files: HttpsFiles,
  server: Server,
  log: Log,
  onRenewed: (certificate: Buffer) => void,
): () => void {
  let known = timesOf(files);
  let complained: string | undefined;
  const timer = setInterval(() => {
    const times = timesOf(files);
    if (times === known) return;
    try {
      const secret = readHttpsFiles(files);
      server.setSecureContext(secret);
      onRenewed(secret.cert);
      known = times;
      complained = undefined;
      log.info('the certificate of HTTPS was renewed', { file: files.certificate });
    } catch (error) {
      // The key may be written a moment after the certificate. One line is enough for a fault that stays.
      if (complained !== times) log.warn('the new certificate of HTTPS cannot be used', { error });
      complained = times;
    }
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

function contentOf(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(`The ${what} of HTTPS, ${path}, cannot be read (${code}).`, { cause: error });
  }
}

const timesOf = ({ certificate, key }: HttpsFiles): string =>
  [certificate, key].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join();
