import { Command, CommanderError } from 'commander';
import { vi } from 'vitest';
import { addCommands, type AgentProgram } from '../../src/commands/index.js';

/** What a person sees of a command. */
export interface Outcome {
  /** What the command printed. */
  text: string;
  /** The sentence with which it failed. */
  failure: string | undefined;
  exitCode: typeof process.exitCode;
  /** How often it began to serve as an agent. */
  served: number;
}

/** Runs a command of `svc-agent` in this process. @param surroundings beside those of a program without a launcher */
export async function runCommand(args: string[], surroundings: Partial<AgentProgram> = {}): Promise<Outcome> {
  let served = 0;
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'log').mockImplementation((line: unknown) => void lines.push(String(line)));
  const program = new Command('svc-agent').exitOverride();
  addCommands(program, {
    ...{ version: '1.2.3', launcher: undefined, platform: process.platform, end: () => undefined },
    serve: () => Promise.resolve(void (served += 1)),
    ...surroundings,
  });
  for (const command of program.commands)
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  let failure: string | undefined;
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    failure = error instanceof CommanderError ? `usage: ${error.message}` : error.message;
  } finally {
    spy.mockRestore();
  }
  const { exitCode } = process;
  process.exitCode = undefined;
  return { text: lines.join('\n'), failure, exitCode, served };
}
