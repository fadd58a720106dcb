import { userInfo } from 'node:os';
import { unnamedPerson, type Fault } from '@lab/contracts';
import { formatDiagnostics } from '@lab/definitions';
import { defineConfig, settings } from '@lab/runtime';
import type { Command } from 'commander';
import { Client, ProblemError } from '../client.js';
import { userError } from './user-error.js';

const config = defineConfig({
  httpHost: settings.httpHost,
  httpPort: settings.httpPort,
  userDir: settings.userDir,
});

export interface ServiceFlags {
  url?: string;
}

export interface PersonFlags extends ServiceFlags {
  by?: string;
  json?: boolean;
}

/** Lets a command be told where the service is. */
export function withUrl(command: Command): Command {
  return command.option('--url <address>', 'address of the service (default: where svc start serves)');
}

/**
 * Does something at the running service: what `act` gives is printed line by line; a failure is told in words on standard
 * error, with exit code 1.
 */
export async function atService(
  flags: ServiceFlags,
  act: (client: Client) => Promise<string[]>,
): Promise<void> {
  try {
    const lines = await act(new Client(flags.url ?? defaultUrl()));
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${failureText(error, flags)}\n`);
    process.exitCode = 1;
  }
}

function defaultUrl(): string {
  const { httpHost, httpPort } = config.load();
  return `http://${httpHost.includes(':') ? `[${httpHost}]` : httpHost}:${httpPort}`;
}

/** The problem, with the lines of the definition files that are at fault where they can be read here. */
function failureText(error: unknown, flags: ServiceFlags): string {
  if (error instanceof ProblemError) {
    const inFiles = (error.problem.errors ?? []).filter((fault) => fault.file !== undefined);
    if (inFiles.length === 0) return error.message;
    return `${error.problem.title}: ${error.problem.detail}\n\n${diagnosticsText(inFiles)}`;
  }
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `no answer from ${flags.url ?? defaultUrl()} in time; whether it was carried out is not known`;
  if (error instanceof TypeError)
    return `nothing answers at ${flags.url ?? defaultUrl()}; start it with "svc start", or name another address with --url`;
  return userError(error);
}

export function diagnosticsText(faults: readonly Fault[]): string {
  const diagnostics = faults.map(({ file, line, column, hint, ...fault }) => ({
    ...fault,
    file: file ?? '',
    line: line ?? null,
    column: column ?? null,
    hint: hint ?? null,
  }));
  return formatDiagnostics(diagnostics, { userDir: config.load().userDir });
}

/** Rows as lines with aligned columns. */
export function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print the record as JSON');
}

export function withPerson(command: Command): Command {
  return command.option('--by <name>', 'who decides, for the audit (default: the user of this computer)');
}

/** Who is recorded: the name given, else the account of the computer. */
export function person({ by }: PersonFlags): string {
  if (by !== undefined) return by;
  try {
    return userInfo().username;
  } catch {
    // An account without a name, as containers have them.
    return unnamedPerson;
  }
}

export function json(value: unknown): string[] {
  return [JSON.stringify(value, null, 2)];
}

/** `2026-11-20T09:31:00.123Z` as `2026-11-20 09:31:00Z`. */
export function seconds(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
