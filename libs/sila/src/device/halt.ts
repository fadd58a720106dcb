import type { JsonObject } from '@lab/sdk';
import { isDefined, type RemoteFeature, type SilaClient } from '../client/index.js';
import type { Command } from '../feature/index.js';
import type { Exposed } from './exposed-functions.js';

/**
 * Stops the instrument.
 *
 * @param isActing whether an effect of this device is under way
 * @param execution the UUID of its execution, once the server names it; undefined: its command is not observable
 */
export type Halt = (isActing: boolean, execution: Promise<string> | undefined) => Promise<void>;

/** Runs a command to its end. */
type Run = (remote: RemoteFeature, command: Command, given: JsonObject) => Promise<void>;

/**
 * How an emergency stop stops the instrument: by the command that the lab names, or by the feature CancelController of the server.
 *
 * @param stop name of the function of the lab
 * @returns undefined when the server has no way
 * @throws TypeError when there is no such function, or it has parameters
 */
export function haltOf(
  client: SilaClient,
  functions: ReadonlyMap<string, Exposed>,
  stop: string | undefined,
  run: Run,
): Halt | undefined {
  if (stop !== undefined) {
    const chosen = functions.get(stop);
    if (chosen === undefined || !('parameters' in chosen.part) || chosen.part.parameters.length > 0)
      throw new TypeError(`init_parameters.stop: the server has no command ${stop} without parameters`);
    const { remote, part } = chosen;
    return () => run(remote, part, {});
  }
  const remote = client.find('CancelController');
  const cancel = remote?.feature.commands.get('CancelCommand');
  const [parameter] = cancel?.parameters ?? [];
  if (remote === undefined || cancel === undefined || parameter === undefined) return undefined;
  const cancelAll = remote.feature.commands.get('CancelAll');
  return async (isActing, execution) => {
    if (!isActing) return;
    if (execution !== undefined) {
      // The call itself reports that the server refused the command: then nothing runs.
      const uuid = await execution.catch(() => undefined);
      if (uuid === undefined) return;
      await run(remote, cancel, { [parameter.identifier]: uuid }).catch((error: unknown) => {
        // It has ended meanwhile.
        if (!isDefined(error, 'InvalidCommandExecutionUUID')) throw error;
      });
      return;
    }
    if (cancelAll === undefined)
      throw new Error('a command that is not observable is running, and the server cannot cancel it');
    await run(remote, cancelAll, {});
  };
}
