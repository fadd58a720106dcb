import type { AgentLog } from '@lab/actors';
import type { LogLevel } from '@lab/contracts';
import type { Log as ServiceLog } from '@lab/runtime';
import type { LogRelay } from './log-relay.js';

type Fields = Record<string, unknown>;

/**
 * The log of the agent, of which the lines with a `source` go to the relay too: those are the words of tasks and devices.
 * What is below the level of the log is in neither.
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

/** Lines name a device by its laboratory and itself: `<lab>.<name>`. */
function nameOf(lab: unknown, device: unknown): string {
  return String(device).slice(String(lab).length + 1);
}
