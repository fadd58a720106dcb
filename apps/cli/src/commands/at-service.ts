import { userInfo } from 'node:os';
import { ApiClient, ProblemError, UnreachableError, type Problem } from '@lab/api-client';
import type { Fault } from '@lab/contracts';
import { unnamedPerson } from '@lab/contracts/vocabulary';
import { formatDiagnostics } from '@lab/definitions/documents';
import { ConfigError, defineConfig, servedAt, settings } from '@lab/runtime';
import type { Command, CommandOptions } from 'commander';
import { authorityPath } from '../stack/own-authority.js';
import { readIfThere } from '../stack/private-files.js';
import { fetchFor } from './trusting-fetch.js';
import { exitCodes, RefusedError, UsageError } from './exit-codes.js';
import { userError } from './user-error.js';

const config = defineConfig({
  httpHost: settings.httpHost,
  httpPort: settings.httpPort,
  https: settings.https,
  tlsCa: settings.tlsCa,
  dataDir: settings.dataDir,
  serviceUrl: settings.serviceUrl,
  accessToken: settings.accessToken,
  userDir: settings.userDir,
});

/** Milliseconds to wait for an answer when the service first starts devices or creates an optimizer. */
export const startingMs = 130_000;

export interface ServiceFlags {
  url?: string;
  json?: boolean;
}

export interface PersonFlags extends ServiceFlags {
  by?: string;
}

/** Adds the option with the address of the service. */
export function withUrl(command: Command): Command {
  return command.option(
    '--url <address>',
    'address of the service (SVC_URL, default: where svc start serves)',
  );
}

/** A command that sends a request to the service, with the options for its address and for an answer in JSON. */
export function serviceCommand(
  parent: Command,
  name: string,
  description: string,
  options?: CommandOptions,
): Command {
  return withUrl(parent.command(name, options))
    .option('--json', 'print what the service answers as JSON')
    .description(description);
}

/** As {@link serviceCommand}, for a decision of a person, with the option for the person's name. */
export function personCommand(
  parent: Command,
  name: string,
  description: string,
  options?: CommandOptions,
): Command {
  return serviceCommand(parent, name, description, options).option(
    '--by <name>',
    'who decides, for the audit (default: the user of this computer)',
  );
}

/**
 * Sets the action of a command: it sends a request to the service and prints the answer.
 *
 * @param ask receives the flags and the arguments of the command
 * @param lines the answer as text; with `--json` the command prints the answer as JSON
 */
export function asks<Flags extends ServiceFlags, Arguments extends unknown[], Answer>(
  command: Command,
  ask: (client: ApiClient, flags: Flags, ...args: Arguments) => Promise<Answer>,
  lines: (answer: Answer, flags: Flags) => string[] | Promise<string[]>,
): void {
  command.action((...given: unknown[]) => {
    // After the arguments, commander passes the flags and the command.
    const flags = given.at(-2) as Flags;
    return atService(flags, async (client) => {
      const answer = await ask(client, flags, ...(given.slice(0, -2) as Arguments));
      return flags.json === true ? json(answer) : lines(answer, flags);
    });
  });
}

/**
 * Runs a request to the service and prints the lines that `act` returns. It prints a failure on standard error and sets the
 * exit code of its kind.
 */
export async function atService(
  flags: ServiceFlags,
  act: (client: ApiClient) => Promise<string[]>,
): Promise<void> {
  try {
    const { accessToken } = config.load();
    const url = serviceAddress(flags);
    const fetch = await fetchFor(url, ownAuthority());
    const lines = await act(new ApiClient(url, { token: accessToken?.reveal(), fetch }));
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${failureText(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

/** The certificates of the authorities that certify the service, beside those that Node knows; undefined: none. */
export function ownAuthority(): string | undefined {
  const { tlsCa, dataDir } = config.load();
  return tlsCa?.reveal() ?? readIfThere(authorityPath(dataDir));
}

/** The address of the service that a command asks. */
export function serviceAddress({ url }: ServiceFlags): string {
  const { httpHost, httpPort, https, serviceUrl } = config.load();
  return url ?? serviceUrl ?? servedAt(httpHost, httpPort, https);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ProblemError || error instanceof RefusedError) return exitCodes.refused;
  if (error instanceof UnreachableError) return exitCodes.unreachable;
  if (error instanceof UsageError || error instanceof ConfigError) return exitCodes.usage;
  return exitCodes.failed;
}

function failureText(error: unknown): string {
  if (error instanceof ProblemError) return problemText(error.problem);
  if (error instanceof UnreachableError && error.reason === 'refused')
    return `${error.message}; start it with "svc start", or name another address with --url`;
  if (error instanceof UnreachableError && error.reason === 'untrusted')
    return `${error.message}; nothing was sent. Name the certificate of its authority in SVC_TLS_CA_FILE`;
  if (error instanceof UnreachableError && error.reason !== 'foreign')
    return `${error.message}; whether it was carried out is not known`;
  return userError(error);
}

/** The problem, with the faulty lines of the definition files if this computer can read the files. */
function problemText(problem: Problem): string {
  const inFiles = (problem.errors ?? []).filter((fault) => fault.file !== undefined);
  return inFiles.length === 0
    ? new ProblemError(problem).message
    : `${problem.title}: ${problem.detail}\n\n${diagnosticsText(inFiles)}`;
}

export function diagnosticsText(faults: readonly Fault[], severity: 'error' | 'warning' = 'error'): string {
  const diagnostics = faults.map(({ file, line, column, hint, ...fault }) => ({
    ...fault,
    file: file ?? '',
    line: line ?? null,
    column: column ?? null,
    hint: hint ?? null,
  }));
  return formatDiagnostics(diagnostics, { userDir: config.load().userDir, severity });
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

/**
 * A table of records with a header.
 *
 * @param empty the line that is printed when there are no records
 * @param columns gives the cell of a record, by the header of the column
 */
export function tableOf<Row>(
  empty: string,
  columns: Readonly<Record<string, (row: Row) => string>>,
): (rows: readonly Row[]) => string[] {
  const cells = Object.values(columns);
  return (rows) =>
    rows.length === 0
      ? [empty]
      : table([Object.keys(columns), ...rows.map((row) => cells.map((cell) => cell(row)))]);
}

/** Names and values as indented lines, without the values that are null. */
export function facts(values: Readonly<Record<string, string | null>>): string[] {
  return table(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[`  ${name}`, value]])),
  );
}

/** The person who is recorded: the given name, otherwise the account on this computer. */
export function person({ by }: PersonFlags): string {
  if (by !== undefined) return by;
  try {
    return userInfo().username;
  } catch {
    // In containers an account can have no name.
    return unnamedPerson;
  }
}

export function json(value: unknown): string[] {
  return [JSON.stringify(value, null, 2)];
}

/** `2026-11-20T09:31:00.123Z` as `2026-11-20 09:31:00Z`; null as `-`. */
export function seconds(iso: string | null): string {
  return iso === null ? '-' : iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
