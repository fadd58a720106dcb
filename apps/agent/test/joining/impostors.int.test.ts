import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { makeCertificateAuthority } from '@lab/trust/certificates';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { join } from '../../src/joining/index.js';
import { StandIn } from './stand-in.js';

let folder: string;
const standIns: StandIn[] = [];
beforeEach(() => void (folder = mkdtempSync(pathOf(tmpdir(), 'lab-impostor-'))));
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all(standIns.splice(0).map((each) => each.stop()));
});

const standIn = async (options: Parameters<typeof StandIn.start>[0] = {}): Promise<StandIn> => {
  const started = await StandIn.start(options);
  standIns.push(started);
  return started;
};
const joining = ({ url, token }: { url: string; token: string }, more: object = {}) =>
  join({ url, token, dataDir: folder, version: '1.2.3', pollMs: 20, ...more });

describe('somebody between the computer and the service', () => {
  it('gets nothing by adding an authority of its own to the one of the service', async () => {
    const service = await standIn();
    const own = await makeCertificateAuthority('in between', Date.now());
    const trusted = own.certificate.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE');
    const old = own.certificate.replaceAll('CERTIFICATE', 'X509 CERTIFICATE');
    for (const added of [own.certificate, trusted, old]) {
      const between = await standIn({ authority: own, sends: `${service.authority.certificate}${added}` });
      await expect(joining({ url: between.url, token: service.token })).rejects.toThrow();
      expect(between.paths).toEqual(['/agents/ca']);
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});
