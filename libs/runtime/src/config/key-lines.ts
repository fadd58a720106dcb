import { EVENT_ID, getScalarValue, parseEvents } from 'js-yaml';

/**
 * Line, from 1, of the key at a path of a YAML text, or of the nearest enclosing mapping; undefined when there is
 * none.
 */
export type LineOfKey = (path: readonly PropertyKey[]) => number | undefined;

/** Finds the lines of all keys of a YAML text. A text that is not YAML has none. */
export function keyLines(text: string): LineOfKey {
  const offsets = new Map<string, number>();
  const events = parsedEvents(text);
  let next = 0;
  /** Walks one node whose events begin at `next`. */
  const node = (path: readonly string[]): void => {
    const event = events[next++];
    if (event?.type === EVENT_ID.MAPPING) {
      while (events[next] !== undefined && events[next]?.type !== EVENT_ID.POP) {
        const key = events[next];
        node([]);
        const inner = [...path, key?.type === EVENT_ID.SCALAR ? getScalarValue(text, key) : ''];
        if (key?.type === EVENT_ID.SCALAR) offsets.set(JSON.stringify(inner), key.valueStart);
        node(inner);
      }
      next += 1;
    } else if (event?.type === EVENT_ID.SEQUENCE) {
      for (let index = 0; events[next] !== undefined && events[next]?.type !== EVENT_ID.POP; index += 1)
        node([...path, String(index)]);
      next += 1;
    } else if (event?.type === EVENT_ID.DOCUMENT) {
      node(path);
    }
  };
  node([]);
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsets.get(JSON.stringify(path.slice(0, length).map(String)));
      if (offset !== undefined) return text.slice(0, offset).split('\n').length;
    }
    return undefined;
  };
}

function parsedEvents(text: string): ReturnType<typeof parseEvents> {
  try {
    return parseEvents(text, {});
  } catch {
    return [];
  }
}
