import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { svcProgram } from '../src/program.js';

/** What a person sees of a command. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface Typed {
  /** Folder in which the command is typed. Default: that of the tests. */
  folder?: string;
  /** Environment variables beside those of the tests. */
  env?: Readonly<Record<string, string>>;
  /** Standard input. */
  input?: string;
  /** Hears the output of the command while the command runs. */
  onOutput?: (text: string) => void;
}

/** The command ended the process. */
class Ended extends Error {}

/** The same without the white space around the texts. */
export const trimmed = ({ code, out, err }: Ran): Ran => ({ code, out: out.trim(), err: err.trim() });

/**
 * Types `svc` with these arguments, runs it in this process and tells what it printed, and with which exit code the
 * process would end. One command at a time, because a command has the output, the folder and the environment of the
 * process.
 */
export async function svcHere(args: readonly string[], typed: Typed = {}): Promise<Ran> {
  const { folder, env = {}, input, onOutput } = typed;
  const before = { exitCode: process.exitCode, folder: process.cwd() };
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keepingIn(out, onOutput)),
    vi.spyOn(process.stderr, 'write').mockImplementation(keepingIn(err)),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      process.exitCode = code ?? process.exitCode;
      throw new Ended();
    }),
    ...(input === undefined
      ? []
      : [
          vi
            .spyOn(process, 'stdin', 'get')
            .mockReturnValue(Readable.from([Buffer.from(input)]) as unknown as typeof process.stdin),
        ]),
  ];
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  process.exitCode = 0;
  try {
    if (folder !== undefined) process.chdir(folder);
    await svcProgram()
      .parseAsync(['node', 'svc', ...args])
      .catch((error: unknown) => {
        if (!(error instanceof Ended)) throw error;
      });
    return { code: Number(process.exitCode), out: textOf(out), err: textOf(err) };
  } finally {
    process.exitCode = before.exitCode;
    process.chdir(before.folder);
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Takes the place of `write` of an output stream. */
function keepingIn(written: Buffer[], heard?: (text: string) => void): typeof process.stdout.write {
  return (chunk, ...more) => {
    const bytes = Buffer.from(chunk as string);
    written.push(bytes);
    heard?.(bytes.toString());
    const done = more.at(-1) as unknown;
    if (typeof done === 'function') queueMicrotask(() => (done as () => void)());
    return true;
  };
}

const textOf = (written: Buffer[]): string => Buffer.concat(written).toString();
