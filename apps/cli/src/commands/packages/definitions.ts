import type { ApiClient, LabChange, ProtocolChange, TaskTypeChange } from '@lab/api-client';
import type { Command } from 'commander';
import { atService, diagnosticsText, startingMs, table, withUrl, type ServiceFlags } from '../at-service.js';

interface Flags extends ServiceFlags {
  drain?: boolean;
}

/** Commands that show and change the definitions that a running service has loaded. */
export function addDefinitionCommands(program: Command): void {
  const drainLabs = 'if work is running: accept no new work, and wait until the running work has ended';
  const drainProtocols = 'even while runs are in progress; they keep the definition that they began with';
  const verbs = ['load', 'unload', 'reload'] as const;

  const labs = program.command('labs').description('list, load, unload and reload laboratories');
  printing(withUrl(labs.command('list').description('laboratories, loaded or not')), async (client) =>
    table(
      (await client.all('/api/labs')).map(({ name, state, sound, file }) => [
        name,
        state,
        sound ? '' : 'has errors',
        file,
      ]),
    ),
  );
  for (const verb of verbs) {
    const command = withUrl(labs.command(`${verb} <names...>`).description(`${verb} laboratories`));
    if (verb !== 'load') command.option('--drain', drainLabs);
    printing(command, async (client, { drain = false }, names) => {
      const body = { lab_types: names, drain };
      return (await client.post(`/api/labs/${verb}`, { body, timeoutMs: startingMs })).flatMap(labLines);
    });
  }

  const protocols = program.command('protocols').description('list, load, unload and reload protocols');
  printing(withUrl(protocols.command('list').description('protocols, loaded or not')), (client) =>
    definitionTable(client, 'protocol'),
  );
  for (const verb of verbs) {
    const command = withUrl(protocols.command(`${verb} <types...>`).description(`${verb} protocols`));
    if (verb === 'unload') command.option('--drain', drainProtocols);
    printing(command, async (client, { drain = false }, types) => {
      const body = { protocol_types: types, drain };
      const changes = await client.post(`/api/protocols/${verb}`, { body, timeoutMs: startingMs });
      return changes.flatMap(protocolLines);
    });
  }

  const tasks = program.command('tasks').description('list and reload task types');
  printing(withUrl(tasks.command('list').description('task types, loaded or not')), (client) =>
    definitionTable(client, 'task'),
  );
  printing(
    withUrl(tasks.command('reload <types...>').description('read task types again from disk')),
    async (client, _flags, types) => {
      const body = { task_types: types };
      return (await client.post('/api/tasks/reload', { body, timeoutMs: startingMs })).map(taskLine);
    },
  );

  printing(
    withUrl(program.command('packages').description('read all packages again and list their definitions')),
    async (client) => {
      const packages = await client.post('/api/packages/refresh', { timeoutMs: startingMs });
      const warnings = packages.flatMap((each) => each.warnings);
      if (warnings.length > 0) process.stderr.write(`${diagnosticsText(warnings, 'warning')}\n`);
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
    },
  );
}

/** Sets the action of a command: it prints the lines that `lines` returns. `lines` receives the names as one list. */
function printing(
  command: Command,
  lines: (client: ApiClient, flags: Flags, names: string[]) => Promise<string[]>,
): void {
  command.action((...given: unknown[]) => {
    const flags = given.at(-2) as Flags;
    return atService(flags, (client) => lines(client, flags, given.length > 2 ? (given[0] as string[]) : []));
  });
}

async function definitionTable(client: ApiClient, type: 'protocol' | 'task'): Promise<string[]> {
  const definitions = await client.all('/api/definitions', { query: { type } });
  return table(
    definitions.map(({ name, loaded, sound, file }) => [
      name,
      loaded ? 'loaded' : 'unloaded',
      sound ? '' : 'has errors',
      file,
    ]),
  );
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
