import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { dependencyLine } from '@lab/definitions/model';
import type { CodeArchive, CodeManifest, CodeSigner } from '@lab/trust/code-manifest';
import { pack } from 'tar-stream';

/** A device that imports an npm package, and the package in an archive. */

export const dependencies = ['greeter@1.0.0'];
export const text = `${dependencyLine(dependencies)}
import greeting from 'greeter';
export default class Meter {
  async _initialize() {
    console.log('said: ' + greeting);
  }
  async _cleanup() {}
  async _report() {
    return {};
  }
}
`;
export const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');
export const module = {
  ...{ hash: sha256(text), package: 'agent_lab', source: 'devices/meter/device.ts', dependencies },
};

/** An archive with these files. */
export async function packed(files: Record<string, string>): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of archive) pieces.push(piece as Buffer);
  return gzipSync(Buffer.concat(pieces));
}
export const greeter = {
  'node_modules/greeter/package.json': JSON.stringify({
    name: 'greeter',
    version: '1.0.0',
    main: 'lib/a.js',
  }),
  'node_modules/greeter/lib/a.js': `module.exports = require('other');`,
  'node_modules/other/package.json': JSON.stringify({ name: 'other', version: '2.0.0' }),
  'node_modules/other/index.js': `module.exports = 'good morning';`,
};

export const manifest = (by: CodeSigner, archives?: CodeArchive[]): string =>
  by.sign({
    ...{ version: 1, package: 'agent_lab', package_version: null, lock: null },
    modules: [{ source: module.source, sha256: module.hash, dependencies }],
    ...{ archives, made_at: '2026-03-01T10:00:00.000Z' },
  } satisfies CodeManifest);
