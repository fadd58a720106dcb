import type { LabChange, ProtocolChange, TaskTypeChange } from '@lab/api-client';
import type { Command } from 'commander';
import { atService, diagnosticsText, startingMs, table, withUrl, type ServiceFlags } from '../at-service.js';

interface Flags extends ServiceFlags {
  drain?: boolean;
}

/** Commands that show and change what a running service has loaded. */
export function addDefinitionCommands(program: Command): void {
  const labs = program.command('labs').description('list, load, unload and reload laboratories');
  withUrl(labs.command('list').description('laboratories, loaded or not')).action((flags: Flags) =>
    atService(flags, async (client) =>
      table(
        (await client.all('/api/labs')).map((lab) => [
          lab.name,
          lab.state,
          lab.sound ? '' : 'has errors',
          lab.file,
        ]),
      ),
    ),
  );
  for (const what of ['load', 'unload', 'reload'] as const) {
    const command = withUrl(labs.command(`${what} <names...>`).description(`${what} laboratories`));
    if (what !== 'load')
      command.option(
        '--drain',
        'if work is running: accept no new work, and wait until the running work has ended',
      );
    command.action((names: string[], flags: Flags) =>
      atService(flags, async (client) =>
        (
          await client.post(`/api/labs/${what}`, {
            body: { lab_types: names, drain: flags.drain ?? false },
            timeoutMs: startingMs,
          })
        ).flatMap(labLines),
      ),
    );
  }

  const protocols = program.command('protocols').description('list, load, unload and reload protocols');
  withUrl(protocols.command('list').description('protocols, loaded or not')).action((flags: Flags) =>
    atService(flags, async (client) =>
      table((await client.all('/api/definitions', { query: { type: 'protocol' } })).map(definitionRow)),
    ),
  );
  for (const what of ['load', 'unload', 'reload'] as const) {
    const command = withUrl(protocols.command(`${what} <types...>`).description(`${what} protocols`));
    if (what === 'unload')
      command.option(
        '--drain',
        'even while runs are in progress; they keep the definition that they began with',
      );
    command.action((types: string[], flags: Flags) =>
      atService(flags, async (client) =>
        (
          await client.post(`/api/protocols/${what}`, {
            body: { protocol_types: types, drain: flags.drain ?? false },
            timeoutMs: startingMs,
          })
        ).flatMap(protocolLines),
      ),
    );
  }

  const tasks = program.command('tasks').description('list and reload task types');
  withUrl(tasks.command('list').description('task types, loaded or not')).action((flags: Flags) =>
    atService(flags, async (client) =>
      table((await client.all('/api/definitions', { query: { type: 'task' } })).map(definitionRow)),
    ),
  );
  withUrl(tasks.command('reload <types...>').description('read task types again from disk')).action(
    (types: string[], flags: Flags) =>
      atService(flags, async (client) =>
        (await client.post('/api/tasks/reload', { body: { task_types: types }, timeoutMs: startingMs })).map(
          taskLine,
        ),
      ),
  );

  withUrl(
    program.command('packages').description('read all packages again and list their definitions'),
  ).action((flags: Flags) =>
    atService(flags, async (client) => {
      const packages = await client.post('/api/packages/refresh', { timeoutMs: startingMs });
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
