/** A device or a resource that carries a label. */
export type Labelled = { kind: 'device'; lab: string; name: string } | { kind: 'resource'; name: string };

/** The page that the label of a thing opens. */
export const benchPath = (thing: Labelled): string =>
  thing.kind === 'device'
    ? `/bench/devices/${encodeURIComponent(thing.lab)}/${encodeURIComponent(thing.name)}`
    : `/bench/resources/${encodeURIComponent(thing.name)}`;

/** The server that labels lead to. */
export interface LabelServer {
  /** Without a slash at its end. */
  address: string;
  /** True: only the computer of the service itself reaches it. A phone that scans a label does not. */
  isLocal: boolean;
}

/**
 * @param given address that the service says it is reached at; undefined: it says none
 * @param own address at which this page was opened
 */
export function labelServerOf(given: string | undefined, own: string): LabelServer {
  const address = given === undefined || isLocal(given) ? own : given;
  return { address: address.replace(/\/+$/, ''), isLocal: isLocal(address) };
}

const isLocal = (address: string): boolean =>
  /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|\[::\])(:\d+)?(\/|$)/i.test(address);

/** Light modules around a QR code, which readers need (ISO/IEC 18004). */
const quiet = 4;

/** A QR code as a drawing: one unit is one module. */
export interface CodeDrawing {
  /** Length of a side, the quiet zone included. */
  size: number;
  /** The dark modules, as the path of an SVG element. */
  path: string;
}

/**
 * @param count modules of a side
 * @param isDark whether a module is dark
 */
export function drawCode(count: number, isDark: (row: number, column: number) => boolean): CodeDrawing {
  const parts: string[] = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      let end = column;
      while (end < count && isDark(row, end)) end += 1;
      if (end > column) parts.push(`M${column + quiet} ${row + quiet}h${end - column}v1H${column + quiet}z`);
      column = end;
    }
  }
  return { size: count + 2 * quiet, path: parts.join('') };
}
