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
} from '@lab/contracts';
import { Authority, makeAuthorityKey } from '@lab/trust/authority';
import { CodeSigner, type CodeManifest } from '@lab/trust/code-manifest';
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
}

/** What a thief says that was signed about the text with a hash. */
type Signed = (sha256: string) => Promise<{ manifest?: string; lab_manifest?: string }>;

/** How often each attack is made: the thief and the leader both answer for the code, and the faster one is heard. */
const tries = 4;
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
    attempt: () => runs(scene, computer, signed),
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
  ];
}

function manifestOf({ package: owner, source }: KnownModule, sha256: string): CodeManifest {
  return {
    ...{ version: 1, package: owner, package_version: null, lock: null, made_at: new Date().toISOString() },
    modules: [{ source, sha256, dependencies: [] }],
  };
}

/** @returns what ran; undefined: nothing */
async function runs(scene: CodeScene, computer: string, signed: Signed): Promise<string | undefined> {
  const { orchestrator: thief, known } = scene;
  const folder = mkdtempSync(join(tmpdir(), 'theft-'));
  const code = new Map<string, { text: string; said: object }>();
  for (let tried = 0; tried < tries; tried += 1) {
    const text =
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(folder, String(tried)))}, '');\n` +
      'export default class { async _execute() { return [{}, {}, {}]; } }\n';
    const hash = createHash('sha256').update(text).digest('hex');
    code.set(hash, { text, said: await signed(hash) });
  }
  const end = thief.serves(subjectOf(orchestratorRequests.fetchModule, {}), (asked) => {
    const { hash, offset } = asked as { hash: string; offset: number };
    const { text, said } = code.get(hash) ?? {};
    if (text === undefined) return undefined;
    const data = Buffer.from(text).subarray(offset).toString('base64');
    return { data, total: Buffer.byteLength(text), ...said };
  });
  try {
    const { epoch } = (await thief.overhears(subjectOf(orchestratorEvents.leading, {}))) as BodyOf<
      typeof orchestratorEvents.leading
    >;
    // A command names the newest heartbeat.
    const { inc, seq } = (await thief.overhears(subjectOf(agentEvents.heartbeat, { computer }))) as BodyOf<
      typeof agentEvents.heartbeat
    >;
    for (const hash of code.keys()) {
      const id = `theft-${hash.slice(0, 16)}`;
      const start = {
        ...{ attempt_id: id, task_run_id: id, label: id, task_type: 'theft', isolation: 'single_use' },
        module: { hash, package: known.package, source: known.source },
        ...{ devices: {}, parameters: {}, resources: {} },
      };
      const to = { computer, inc: String(inc) };
      const marks = { epoch, inc, ...(seq === undefined ? {} : { fresh: seq }) };
      const fate = await thief.send(agentRequests.startTask, to, start, marks);
      if (fate.kind !== 'answer') throw new Error(`the agent did not take the task: ${JSON.stringify(fate)}`);
    }
    for (const until = Date.now() + runMs; Date.now() < until && readdirSync(folder).length === 0;)
      await wait(50);
    return readdirSync(folder).length > 0 ? 'the code has run' : undefined;
  } finally {
    end();
    rmSync(folder, { recursive: true });
  }
}
