import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inTools } from '../shared/paths.js';

/** An agent that runs beside those of this release. */
export interface Release {
  version: string;
  /** Its program. */
  main: string;
}

/**
 * Unpacks the agent of the previous release. Agents and service may be one release apart.
 *
 * @param folder where it is unpacked
 * @throws Error when `tools/releases` does not have the archive of exactly one release
 */
export function previousAgent(folder: string): Release {
  const releases = inTools('releases');
  const [found, ...others] = readdirSync(releases).flatMap((name) => {
    const match = /^svc-agent-(.+)\.tar\.gz$/.exec(name);
    return match === null ? [] : [match];
  });
  const [archive = '', version = ''] = found ?? [];
  if (found === undefined || others.length > 0)
    throw new Error(`${releases} must have one archive, the agent of the previous release`);
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', join(releases, archive), '-C', folder]);
  return { version, main: join(folder, 'app', 'dist', 'bundle', 'main.js') };
}
