import type { BaseDevice, JsonObject, JsonValue } from '@lab/sdk';

/** A device as its host runs it, without a process. */
export interface Hosted {
  /** The questions to people, in order; null: none is open any more. */
  readonly asked: (string | null)[];
  /** Calls a function. */
  call(name: string, given?: JsonObject, callId?: string): Promise<JsonValue | undefined>;
}

const contextKey = Symbol.for('svc.context');
const silent = (): void => undefined;

/**
 * Gives a device what its host would give it.
 *
 * @param folder its folder of state
 */
export function inContext(device: BaseDevice, folder: string): Hosted {
  const asked: (string | null)[] = [];
  let current = 'call-1';
  (device as unknown as Record<symbol, unknown>)[contextKey] = {
    name: 'device_1',
    lab: 'lab',
    log: { debug: silent, info: silent, warn: silent, error: silent },
    folder: () => folder,
    callId: () => current,
    ask: (question: string | null) => {
      if (asked.at(-1) !== question) asked.push(question);
    },
  };
  return {
    asked,
    async call(name, given = {}, callId = 'call-1') {
      const added = device._svc_functions?.()[name];
      if (added === undefined) throw new Error(`no function ${name}`);
      const defaults = Object.entries(added.parameters ?? {}).flatMap(([key, spec]) =>
        'value' in spec ? [[key, spec.value] as const] : [],
      );
      current = callId;
      return (await added.call({ ...(Object.fromEntries(defaults) as JsonObject), ...given })) as JsonValue;
    },
  };
}

/** Waits until something holds, for at most 30 s. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not in time: ${what}`);
}
