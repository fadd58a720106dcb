import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The logs of the simulated instruments: what happened physically, whatever anybody believes. */

function lines(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The motions of one instrument, oldest first, and the means to note the end of one that nobody watched. */
export function readMotions(folder, name) {
  const path = join(folder, `${name}.log`);
  const motions = [];
  const open = new Map();
  for (const entry of lines(path)) {
    if (entry.phase === 'begin') {
      const motion = { ...entry, device: name, end: undefined, endedBy: undefined };
      motions.push(motion);
      open.set(entry.call_id, motion);
    } else {
      const motion = open.get(entry.call_id);
      if (motion === undefined) continue;
      motion.end = entry.at;
      motion.endedBy = entry.by;
      open.delete(entry.call_id);
    }
  }
  return {
    motions,
    open: [...open.values()],
    end: (call_id, by) =>
      appendFileSync(path, `${JSON.stringify({ phase: 'end', call_id, at: Date.now(), by })}\n`),
  };
}

/** What the tasks wrote down just before they returned, by attempt. */
export function readReturns(folder) {
  return new Map(lines(join(folder, 'tasks.log')).map((entry) => [entry.attempt, entry]));
}
