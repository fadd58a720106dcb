import type { AgentLog } from '@lab/actors';
import type { LogLevel } from '@lab/contracts';
import type { Log as ServiceLog } from '@lab/runtime';
import type { LogRelay } from './log-relay.js';

type Fields = Record<string, unknown>;

/**
 * The log of the agent. Lines with a `source`, which are the output of tasks and devices, also go to the relay. Lines below
 * the level of the log go to neither.
 */
export function relaying(log: ServiceLog, relay: LogRelay, bindings: Fields = {}): AgentLog {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: Fields): void => {
      log[level](message, fields);
      if (!log.enabled(level)) return;
      const { source, lab, device, attempt } = { ...bindings, ...fields };
      if (source === 'task') relay.add({ level, source, attempt_id: String(attempt), message });
      if (source === 'device')
        relay.add({ level, source, lab: String(lab), device: nameOf(lab, device), message });
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => relaying(log.child(fields), relay, { ...bindings, ...fields }),
  };
}

/** Returns the name of a device from the `<lab>.<name>` of a line. */
function nameOf(lab: unknown, device: unknown): string {
  return String(device).slice(String(lab).length + 1);
}
