import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServedKeys } from '../src/server/index.js';

/** A certificate for loopback that a server has issued for itself, by OpenSSL, as the guide page about SiLA says. */
export function selfSigned(): ServedKeys {
  const folder = mkdtempSync(join(tmpdir(), 'sila-keys-'));
  try {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const words =
      'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=SiLA2 -addext subjectAltName=IP:127.0.0.1';
    execFileSync('openssl', [...words.split(' '), '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
