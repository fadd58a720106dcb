import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { envelopeVersion } from '@lab/contracts';
import { inTools, root } from '../shared/paths.js';
import type { Entry } from './archive.js';
import { billOf, billPath, nodeRuntime } from './bill.js';
import { librariesIn, manifestOf, termsOf } from './licences.js';
import type { NodeRuntime } from './runtime.js';

/** The folder of the agent in the package has the form of `apps/agent`, because the bundle finds its files from there. */
const agent = join(root, 'apps', 'agent');
const bundle = 'dist/bundle';

/** A library that is no part of the bundle, because every chunk of it imports the library first. */
const besideBundle = { name: 'reflect-metadata', files: ['package.json', 'Reflect.js', 'LICENSE'] };

/** Version of the agent. */
export const ownVersion = manifestOf(agent).version;

/** The agent with its licences: what all packages have in common. */
function agentFiles(version: string): Entry[] {
  return [
    file('LICENSE', readFileSync(join(root, 'LICENSE'))),
    file('THIRD-PARTY.txt', thirdParties()),
    file('app/package.json', `${JSON.stringify({ name: 'svc-agent', version, type: 'module' }, null, 2)}\n`),
    ...filesBelow(join(agent, bundle)).map((path) =>
      file(`app/${bundle}/${path}`, readFileSync(join(agent, bundle, path))),
    ),
    ...besideBundle.files.map((name) => {
      const path = `node_modules/${besideBundle.name}/${name}`;
      return file(`app/${path}`, readFileSync(join(root, path)));
    }),
  ];
}

/** The files of a package for one platform, in alphabetical order, without a folder around them. */
export function packageFiles(platform: string, node: NodeRuntime, version: string): Entry[] {
  const isWindows = platform.startsWith('win-');
  const launcher = isWindows ? 'svc-agent.cmd' : 'svc-agent';
  const runtime = isWindows ? 'runtime/node.exe' : 'runtime/node';
  const files: Entry[] = [
    { ...file(launcher, readFileSync(inTools(`package/launchers/${launcher}`))), isProgram: true },
    { ...file(runtime, node.program), isProgram: true },
    file('runtime/LICENSE', node.licence),
    file(billPath, billOf({ name: 'svc-agent', version }, libraries(), [nodeRuntime(node.version)])),
    ...agentFiles(version),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const manifest = {
    version,
    platform,
    protocol: envelopeVersion,
    node: node.version,
    files: Object.fromEntries(files.map(({ path, content }) => [path, sha256(content)])),
  };
  return [...files, file('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`)];
}

function file(path: string, content: Buffer | string): Entry {
  return { path, content: Buffer.from(content), isProgram: false };
}

/** Files below a folder, relative to it. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesBelow(join(folder, entry.name)).map((path) => `${entry.name}/${path}`)
      : [entry.name],
  );
}

/** The licences of the libraries whose code is in the package. */
const thirdParties = (): string =>
  termsOf(
    'The folder app contains code of the following libraries. The folder runtime contains Node.js.',
    libraries(),
  );

/** Their folders. */
const libraries = (): string[] => [...librariesIn(join(agent, bundle)), `node_modules/${besideBundle.name}`];

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
