import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  agentEvents,
  agentRequests,
  orchestratorEvents,
  orchestratorRequests,
  subjectOf,
  type BodyOf,
  type RequestOf,
} from '@lab/contracts';
import { dependencyLine, ownKind } from '@lab/definitions/model';
import { Authority, makeAuthorityKey } from '@lab/trust/authority';
import { CodeSigner, type CodeArchive, type CodeManifest } from '@lab/trust/code-manifest';
import { tarGz } from '../package/archive.js';
import type { Attack } from './attacks.js';
import type { Thief } from './thief.js';

/** A module of the service, which a thief can know: its hash is no secret. */
export interface KnownModule {
  package: string;
  source: string;
  sha256: string;
}

export interface CodeScene {
  /** Has stolen the credentials of an orchestrator for the broker, and not the key of the authority. */
  orchestrator: Thief;
  /** Has those of an agent, and so may ask for code and for what was signed about it. */
  agent: Thief;
  /** Computer that runs code which its service has signed. */
  victim: string;
  /** Computer that runs only code which the lab has signed, too. */
  guarded: string;
  known: KnownModule;
  /** Key of the authority, for the thief who got into the server. */
  authority: Authority;
  /** Does work while the leading orchestrator stands still, so that the thief alone answers the questions of agents. */
  withoutLeader<T>(work: () => Promise<T>): Promise<T>;
}

/** What a thief says that was signed. */
interface Said {
  manifest?: string;
  lab_manifest?: string;
}

/** What a thief says that was signed about the text with a hash. */
type Signed = (sha256: string) => Promise<Said>;

/** What a thief says that was signed about such a text, which imports an npm package out of an archive of the thief. */
type SignedWithArchive = (sha256: string, archive: CodeArchive) => Said;

/** A task of the thief. */
interface StolenTask {
  text: string;
  said: Said;
  /** npm packages that it imports, and the archive with them. */
  dependencies?: string[];
  archive?: Buffer;
}

/** Makes a task that writes a file when its code runs. */
type MakeTask = (file: string) => Promise<StolenTask>;

/** How long code may take to run, in milliseconds. */
const runMs = 3_000;

/** Finds a module of a package in the data folder of a service. @throws Error when there is none */
export function knownModule(dataDir: string, source: string, owner: string): KnownModule {
  const folder = join(dataDir, 'code', 'bundles');
  for (const name of readdirSync(folder)) {
    const { entries } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      entries: Record<string, { hash: string }>;
    };
    const found = entries[source];
    if (found !== undefined) return { package: owner, source, sha256: found.hash };
  }
  throw new Error(`no package has ${source}`);
}

/** Attacks of a thief who sends tasks to agents and answers their questions for the code. */
export function codeAttacksOf(scene: CodeScene): Attack[] {
  const { victim, guarded, known, authority } = scene;
  const service = CodeSigner.ofService(authority);
  const stranger = CodeSigner.ofService(new Authority(makeAuthorityKey()));
  const attack = (name: string, computer: string, signed: Signed): Attack => ({
    name: `run code on ${computer} ${name}`,
    attempt: () => runs(scene, computer, taskOf(signed)),
  });
  const attackByArchive = (name: string, signed: SignedWithArchive): Attack => ({
    name: `run code on ${victim} from an archive of npm packages ${name}`,
    attempt: () => runs(scene, victim, taskWithArchive(signed)),
  });
  const replayed = async (): Promise<string> => {
    const { sha256: hash, package: owner, source } = known;
    const asked = { hash, offset: 0, named: { package: owner, source } };
    const fate = await scene.agent.send(orchestratorRequests.fetchModule, {}, asked);
    const { manifest } = (fate.kind === 'answer' ? fate.body : {}) as { manifest?: string };
    if (manifest === undefined) throw new Error(`the service has signed nothing: ${JSON.stringify(fate)}`);
    return manifest;
  };
  const own = (by: CodeSigner, sha256: string): string => by.sign(manifestOf(known, sha256));
  return [
    attack('that nobody has signed', victim, () => Promise.resolve({})),
    attack('that the thief has signed', victim, (sha256) =>
      Promise.resolve({ manifest: own(stranger, sha256) }),
    ),
    attack('under the manifest of a package of the service', victim, async () => ({
      manifest: await replayed(),
    })),
    attack('under that manifest with another hash', victim, async (sha256) => {
      const [text = '', signature = ''] = (await replayed()).split('.');
      const forged = Buffer.from(text, 'base64url').toString().replaceAll(known.sha256, sha256);
      return { manifest: `${Buffer.from(forged).toString('base64url')}.${signature}` };
    }),
    attack('with the key of the server, and without that of the lab', guarded, (sha256) =>
      Promise.resolve({ manifest: own(service, sha256) }),
    ),
    attack('with the key of the server in the place of that of the lab', guarded, (sha256) =>
      Promise.resolve({ manifest: own(service, sha256), lab_manifest: own(service, sha256) }),
    ),
    attackByArchive('with other bytes than the service has signed', (sha256, archive) => ({
      manifest: service.sign(manifestOf(known, sha256, { ...archive, sha256: 'a'.repeat(64) })),
    })),
    attackByArchive('that has more bytes than the service has signed', (sha256, archive) => ({
      manifest: service.sign(manifestOf(known, sha256, { ...archive, size: archive.size - 1 })),
    })),
    attackByArchive('that the thief alone has signed', (sha256, archive) => ({
      manifest: service.sign(manifestOf(known, sha256)),
      lab_manifest: stranger.sign(manifestOf(known, sha256, archive)),
    })),
  ];
}

function manifestOf(
  { package: owner, source }: KnownModule,
  sha256: string,
  archive?: CodeArchive,
): CodeManifest {
  return {
    ...{ version: 1, package: owner, package_version: null, lock: null, made_at: new Date().toISOString() },
    modules: [{ source, sha256, dependencies: archive?.dependencies ?? [] }],
    ...(archive === undefined ? {} : { archives: [archive] }),
  };
}

const writing = (file: string): string =>
  `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(file)}, '');\n`;
const task = 'export default class { async _execute() { return [{}, {}, {}]; } }\n';
const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

function taskOf(signed: Signed): MakeTask {
  return async (file) => {
    const text = writing(file) + task;
    return { text, said: await signed(hashOf(text)) };
  };
}

function taskWithArchive(signed: SignedWithArchive): MakeTask {
  return async (file) => {
    // No registry has it, and no attack finds the package that another one has brought.
    const name = `@theft/x${hashOf(file)}`;
    const dependencies = [`${name}@1.0.0`];
    const text = `${dependencyLine(dependencies)}\nimport '${name}';\n${task}`;
    const entry = (path: string, content: string) => ({
      ...{ path: `node_modules/${name}/${path}`, content: Buffer.from(content), isProgram: false },
    });
    const archive = await tarGz(
      [
        entry(
          'package.json',
          JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' }),
        ),
        entry('index.js', writing(file)),
      ],
      1,
    );
    const named = { dependencies, ...ownKind(), sha256: hashOf(archive), size: archive.length };
    return { text, said: signed(hashOf(text), named), dependencies, archive };
  };
}

/** @returns what ran; undefined: nothing */
async function runs(scene: CodeScene, computer: string, make: MakeTask): Promise<string | undefined> {
  const { orchestrator: thief, known } = scene;
  const folder = mkdtempSync(join(tmpdir(), 'theft-'));
  const { epoch } = (await thief.overhears(subjectOf(orchestratorEvents.leading, {}))) as BodyOf<
    typeof orchestratorEvents.leading
  >;
  const { text, said, dependencies = [], archive } = await make(join(folder, 'ran'));
  const hash = hashOf(text);
  const end = thief.serves(subjectOf(orchestratorRequests.fetchModule, {}), (asked) => {
    const { offset, archive: isArchive } = asked as RequestOf<typeof orchestratorRequests.fetchModule>;
    const content = isArchive ? archive : Buffer.from(text);
    return content && { data: content.subarray(offset).toString('base64'), total: content.length, ...said };
  });
  try {
    // A command names the newest heartbeat.
    const { inc, seq } = (await thief.overhears(subjectOf(agentEvents.heartbeat, { computer }))) as BodyOf<
      typeof agentEvents.heartbeat
    >;
    return await scene.withoutLeader(async () => {
      const id = `theft-${hash.slice(0, 16)}`;
      const start = {
        ...{ attempt_id: id, task_run_id: id, label: id, task_type: 'theft', isolation: 'single_use' },
        module: { hash, package: known.package, source: known.source, dependencies },
        ...{ devices: {}, parameters: {}, resources: {} },
      };
      const to = { computer, inc: String(inc) };
      const marks = { epoch, inc, ...(seq === undefined ? {} : { fresh: seq }) };
      const fate = await thief.send(agentRequests.startTask, to, start, marks);
      if (fate.kind !== 'answer') throw new Error(`the agent did not take the task: ${JSON.stringify(fate)}`);
      for (const until = Date.now() + runMs; Date.now() < until && readdirSync(folder).length === 0;)
        await wait(50);
      return readdirSync(folder).length > 0 ? 'the code has run' : undefined;
    });
  } finally {
    end();
    rmSync(folder, { recursive: true });
  }
}
