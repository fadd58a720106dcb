import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { heavy } from '../image/contents.js';
import { inTools, root } from '../shared/paths.js';
import type { AttemptRow } from './evidence.js';

/** A release whose processes run beside those of this one. */
export interface Release {
  version: string;
  /** Its programs. */
  agent: string;
  orchestrator: string;
}

/**
 * Unpacks the previous release. Processes of one service may be one release apart.
 *
 * @param folder where it is unpacked
 * @throws Error when `tools/releases` does not have the archives of exactly one release
 */
export function previousRelease(folder: string): Release {
  const releases = inTools('releases');
  const archives = readdirSync(releases).flatMap((name) => {
    const [, service = '', version = ''] = /^svc-(agent|orchestrator)-(.+)\.tar\.br$/.exec(name) ?? [];
    return service === '' ? [] : [{ name, service, version }];
  });
  const [version = '', ...others] = new Set(archives.map((archive) => archive.version));
  if (archives.length !== 2 || others.length > 0)
    throw new Error(
      `${releases} must have two archives, the agent and the orchestrator of the previous release: npm run release:keep`,
    );
  for (const { name, service } of archives) {
    const place = join(folder, service);
    mkdirSync(place, { recursive: true });
    const input = brotliDecompressSync(readFileSync(join(releases, name)));
    execFileSync('tar', ['-x', '-C', place], { input });
  }
  const programs = join(folder, 'orchestrator', 'opt', 'svc', 'node_modules');
  // The archives have no code for one kind of computer. esbuild finds its program in the folder @esbuild.
  for (const name of [...heavy, '@esbuild'])
    symlinkSync(join(root, 'node_modules', name), join(programs, name));
  const main = (service: string): string =>
    join(folder, service, 'opt', 'svc', 'apps', service, 'dist', 'bundle', 'main.js');
  return { version, agent: main('agent'), orchestrator: main('orchestrator') };
}

/** What the orchestrators of a release did as leaders. */
export interface Led {
  terms: number;
  /** Attempts of tasks that they sent to agents. */
  attempts: number;
}

/**
 * Counts the terms of each release, and the work of these terms.
 *
 * @param logs of each orchestrator, with its release
 */
export function ledByRelease(
  logs: readonly { version: string; text: string }[],
  attempts: readonly Pick<AttemptRow, 'epoch'>[],
): Record<string, Led> {
  const led: Record<string, Led> = {};
  for (const { version, text } of logs) {
    const epochs = new Set(
      [...text.matchAll(/^\{.*"msg":"leading".*\}$/gm)].map(([line]) => {
        const { epoch } = JSON.parse(line) as { epoch: number };
        return epoch;
      }),
    );
    const { terms, attempts: sent } = (led[version] ??= { terms: 0, attempts: 0 });
    led[version] = {
      terms: terms + epochs.size,
      attempts: sent + attempts.filter(({ epoch }) => epochs.has(Number(epoch))).length,
    };
  }
  return led;
}
