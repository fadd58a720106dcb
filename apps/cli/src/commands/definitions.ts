import type { Fault, LabChange, ProtocolChange, TaskTypeChange } from '@lab/contracts';
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

interface Flags {
  url?: string;
  drain?: boolean;
}

/** Commands that show and change what a running service has loaded. */
export function addDefinitionCommands(program: Command): void {
  const labs = program.command('labs').description('list, load, unload and reload laboratories');
  withUrl(labs.command('list').description('laboratories, loaded or not')).action((flags: Flags) =>
    run(flags, async (client) =>
      table(
        (await client.labs()).map((lab) => [lab.name, lab.state, lab.sound ? '' : 'has errors', lab.file]),
      ),
    ),
  );
  for (const what of ['load', 'unload', 'reload'] as const) {
    const command = withUrl(labs.command(`${what} <names...>`).description(`${what} laboratories`));
    if (what !== 'load')
      command.option('--drain', 'when work goes on: take nothing new, and wait for its end');
    command.action((names: string[], flags: Flags) =>
      run(flags, async (client) =>
        (await client.changeLabs(what, names, flags.drain ?? false)).flatMap(labLines),
      ),
    );
  }

  const protocols = program.command('protocols').description('list, load, unload and reload protocols');
  withUrl(protocols.command('list').description('protocols, loaded or not')).action((flags: Flags) =>
    run(flags, async (client) => table((await client.definitions('protocol')).map(definitionRow))),
  );
  for (const what of ['load', 'unload', 'reload'] as const) {
    const command = withUrl(protocols.command(`${what} <types...>`).description(`${what} protocols`));
    if (what === 'unload')
      command.option('--drain', 'also while runs go on; they end with the definition they have');
    command.action((types: string[], flags: Flags) =>
      run(flags, async (client) =>
        (await client.changeProtocols(what, types, flags.drain ?? false)).flatMap(protocolLines),
      ),
    );
  }

  const tasks = program.command('tasks').description('list and reload task types');
  withUrl(tasks.command('list').description('task types, loaded or not')).action((flags: Flags) =>
    run(flags, async (client) => table((await client.definitions('task')).map(definitionRow))),
  );
  withUrl(tasks.command('reload <types...>').description('read task types from disk anew')).action(
    (types: string[], flags: Flags) =>
      run(flags, async (client) => (await client.reloadTasks(types)).map(taskLine)),
  );

  withUrl(program.command('packages').description('read the packages anew and list what they define')).action(
    (flags: Flags) =>
      run(flags, async (client) => {
        const packages = await client.refreshPackages();
        const errors = packages.flatMap((each) => each.errors);
        if (errors.length > 0) {
          process.stderr.write(`${diagnosticsText(errors)}\n`);
          process.exitCode = 1;
        }
        return packages.flatMap(({ name, labs: ofLabs, devices, tasks: ofTasks, protocols: ofProtocols }) => [
          name,
          ...Object.entries({ labs: ofLabs, devices, tasks: ofTasks, protocols: ofProtocols })
            .filter(([, names]) => names.length > 0)
            .map(([kind, names]) => `  ${kind}: ${names.join(', ')}`),
        ]);
      }),
  );
}

function withUrl(command: Command): Command {
  return command.option('--url <address>', 'address of the service (default: where svc start serves)');
}

async function run(flags: Flags, act: (client: Client) => Promise<string[]>): Promise<void> {
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
function failureText(error: unknown, flags: Flags): string {
  if (error instanceof ProblemError) {
    const inFiles = (error.problem.errors ?? []).filter((fault) => fault.file !== undefined);
    if (inFiles.length === 0) return error.message;
    return `${error.problem.title}: ${error.problem.detail}\n\n${diagnosticsText(inFiles)}`;
  }
  if (error instanceof TypeError)
    return `nothing answers at ${flags.url ?? defaultUrl()}; start it with "svc start", or name another address with --url`;
  return userError(error);
}

function diagnosticsText(faults: readonly Fault[]): string {
  const diagnostics = faults.map(({ file, line, column, hint, ...fault }) => ({
    ...fault,
    file: file ?? '',
    line: line ?? null,
    column: column ?? null,
    hint: hint ?? null,
  }));
  return formatDiagnostics(diagnostics, { userDir: config.load().userDir });
}

function labLines({
  name,
  state,
  devices,
  unloaded_protocols: unloaded,
  waits_for: waits,
}: LabChange): string[] {
  return [
    `${name}: ${state}`,
    ...devices.map(
      (device) =>
        `  ${device.name} on ${device.computer}: ${device.state}${device.started ? '' : ' (unchanged)'}${device.detail === null ? '' : `: ${device.detail}`}`,
    ),
    ...(unloaded.length === 0 ? [] : [`  unloaded with it: ${unloaded.join(', ')}`]),
    ...(waits.length === 0 ? [] : [`  waits for: ${waits.join(', ')}`]),
  ];
}

function protocolLines({ type, loaded, still_running: running }: ProtocolChange): string[] {
  return [
    `${type}: ${loaded ? 'loaded' : 'unloaded'}`,
    ...(running.length === 0 ? [] : [`  goes on as accepted: ${running.join(', ')}`]),
  ];
}

function taskLine({ type, protocols }: TaskTypeChange): string {
  return `${type}: reloaded${protocols.length === 0 ? '' : `, with ${protocols.join(', ')}`}`;
}

function definitionRow(each: { name: string; loaded: boolean; sound: boolean; file: string }): string[] {
  return [each.name, each.loaded ? 'loaded' : 'unloaded', each.sound ? '' : 'has errors', each.file];
}

function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
