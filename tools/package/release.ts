// Keeps the agent and the orchestrator of this release in tools/releases, for tests of two releases beside each other:
// npm run release:keep. It replaces the release before. The archives have no code for one kind of computer.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heavy } from '../image/contents.js';
import { layOut } from '../image/layout.js';
import { readFlags, text } from '../shared/flags.js';
import { inTools } from '../shared/paths.js';
import { tarBr } from './archive.js';
import { ownVersion } from './contents.js';
import { entriesBelow } from './folder.js';

const { out = inTools('releases') } = readFlags({ out: text });
const services = ['agent', 'orchestrator'];

const scratch = mkdtempSync(join(tmpdir(), 'svc-release-'));
try {
  const archives = await Promise.all(
    services.map(async (service) => {
      const folder = join(scratch, service);
      layOut(service, folder, heavy);
      return { name: `svc-${service}-${ownVersion}.tar.br`, content: await tarBr(entriesBelow(folder)) };
    }),
  );
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out)) if (/^svc-.*\.tar\.\w+$/.test(name)) rmSync(join(out, name));
  const made = archives.map(({ name, content }) => {
    writeFileSync(join(out, name), content);
    return { name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  });
  console.log(JSON.stringify({ version: ownVersion, archives: made }));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
