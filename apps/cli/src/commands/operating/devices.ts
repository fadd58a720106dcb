import type { Command } from 'commander';
import { atService, json, person, withUrl, type PersonFlags } from '../at-service.js';
import { UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';

interface RpcFlags extends PersonFlags {
  reason?: string;
}

/** Commands with which people use instruments directly. */
export function addDeviceCommands(program: Command): void {
  withUrl(program.command('rpc'))
    .description('call a function of a device at once, without the queue, and print its result as JSON')
    .argument('<lab>', 'name of the laboratory')
    .argument('<device>', 'name of the device')
    .argument('<function>', 'a function that the device declares')
    .argument('[parameters]', 'JSON object of parameter names and values')
    .option('--by <name>', 'who calls, for the record (default: the user of this computer)')
    .option('--reason <text>', 'call also while a task has the device, for this reason')
    .action((lab: string, device: string, name: string, parameters: string | undefined, flags: RpcFlags) =>
      atService(flags, async (client) => {
        const body = parametersOf(parameters);
        const returned: unknown = await client.post('/api/rpc/{lab_id}/{device_id}/{function_name}', {
          path: { lab_id: lab, device_id: device, function_name: name },
          query: {
            by: person(flags),
            ...(flags.reason === undefined ? {} : { force: true, reason: flags.reason }),
          },
          body,
          timeoutMs: longestCallMs,
        });
        return json(returned);
      }),
    );
}

/** Milliseconds to wait for the result of a call: as long as Node waits for the head of an answer. */
const longestCallMs = 300_000;

/** @throws UsageError when the text is not a JSON object */
function parametersOf(text = '{}'): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the parameters are not JSON: ${userError(error)}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError('the parameters must be a JSON object, such as {"volume": 2.5}');
  return value as Record<string, unknown>;
}
