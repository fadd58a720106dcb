import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../apps/cli/bin/svc.mjs', import.meta.url));

export interface Said {
  code: number;
  out: string;
  err: string;
}

/** Runs `svc`, with nothing but the given variables and the `PATH` in its environment. */
export function svc(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Said> {
  const surroundings = { PATH: process.env['PATH'], ...env };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: surroundings }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}
