import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** How a version of the agent is started. */
export interface Program {
  command: string;
  args: readonly string[];
  /** Beside the environment of the keeper. */
  env: Readonly<Record<string, string>>;
}

/**
 * The program of an unpacked package.
 *
 * @returns undefined: the folder has none
 */
export function programIn(folder: string, platform: NodeJS.Platform = process.platform): Program | undefined {
  if (platform !== 'win32') {
    const command = join(folder, 'svc-agent');
    return existsSync(command) ? { command, args: [], env: {} } : undefined;
  }
  // Without the launcher, which is a batch file: its interpreter would not pass the pipes of the keeper on.
  const command = join(folder, 'runtime', 'node.exe');
  if (!existsSync(command)) return undefined;
  return {
    command,
    args: ['--max-semi-space-size=2', join(folder, 'app', 'dist', 'bundle', 'svc-agent.js')],
    env: { SVC_AGENT_LAUNCHER: join(folder, 'svc-agent.cmd') },
  };
}
