import type { JsonValue } from '@lab/contracts';
import {
  CORE_SCHEMA,
  constructFromEvents,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  YAMLException,
  type Event,
} from 'js-yaml';
import type { Path } from './diagnostic.js';
import { explainSyntax } from './yaml-syntax.js';

/** Limits far above any definition file of a real laboratory. */
export const yamlLimits = { depth: 32, aliases: 50, keys: 10_000, nodes: 50_000 } as const;

export interface YamlFault {
  path: Path;
  code: string;
  message: string;
  hint?: string;
  /** Offset in the text; null when it is unknown. */
  offset: number | null;
}

/** A node of the document with its place, beside the plain value. */
interface PlacedNode {
  start: number;
  /** Nodes below and including this one, with aliases expanded. */
  size: number;
  entries?: Map<string, { keyStart: number; node: PlacedNode }>;
  items?: PlacedNode[];
}

export interface YamlDocument {
  value: JsonValue;
  /**
   * Offset of the value at the path, or of its key.
   *
   * @returns the offset of the nearest enclosing node when the path does not exist
   */
  locate(path: Path, what: 'key' | 'value'): number;
}

export type ParsedYaml = { ok: true; document: YamlDocument } | { ok: false; faults: YamlFault[] };

/**
 * Parses one YAML document (core schema) within {@link yamlLimits}. Faults are duplicate keys, names of
 * Object.prototype as keys, numbers that JSON cannot carry, anchors that contain themselves, and more than one
 * document. Never throws. Time and memory stay proportional to the length of the text.
 */
export function parseYaml(text: string): ParsedYaml {
  try {
    const events = parseEvents(text, { maxDepth: yamlLimits.depth });
    const placing = new Placing(text, events);
    const root = placing.document();
    if (root === undefined || placing.faults.length > 0) return { ok: false, faults: placing.faults };
    const [value] = constructFromEvents(events, {
      source: text,
      schema: CORE_SCHEMA,
      maxAliases: yamlLimits.aliases,
    }) as [JsonValue];
    const faults = valueFaults(value, root, []);
    if (faults.length > 0) return { ok: false, faults };
    return { ok: true, document: { value, locate: (path, what) => locate(root, path, what) } };
  } catch (error) {
    return { ok: false, faults: [faultOf(error, text)] };
  }
}

class Placing {
  readonly faults: YamlFault[] = [];
  private next = 0;
  private keys = 0;
  private readonly anchors = new Map<string, PlacedNode | 'open'>();

  constructor(
    private readonly text: string,
    private readonly events: readonly Event[],
  ) {}

  /** The root node; undefined when there is none, or when the document exceeds the limits. */
  document(): PlacedNode | undefined {
    const documents = this.events.filter((event) => event.type === EVENT_ID.DOCUMENT);
    if (documents.length > 1) {
      this.refuse('many_documents', 'the file holds more than one YAML document', 'remove the lines `---`');
      return undefined;
    }
    this.next = 1;
    const root = this.events[1];
    if (documents.length === 0 || root === undefined || root.type === EVENT_ID.POP) {
      this.refuse('empty_file', 'the file holds nothing');
      return undefined;
    }
    const node = this.node([], 0);
    if (node.size > yamlLimits.nodes) {
      this.refuse('too_large', `the document has more than ${yamlLimits.nodes} values, aliases expanded`);
    }
    if (this.keys > yamlLimits.keys) {
      this.refuse(
        'too_many_keys',
        `the document has ${this.keys} keys, but at most ${yamlLimits.keys} are allowed`,
      );
    }
    return node;
  }

  private node(path: Path, fallback: number): PlacedNode {
    const event = this.events[this.next++];
    if (event === undefined) return { start: fallback, size: 1 };
    switch (event.type) {
      case EVENT_ID.SCALAR: {
        const node = { start: event.valueStart >= 0 ? this.opening(event) : fallback, size: 1 };
        this.anchor(event, node);
        return node;
      }
      case EVENT_ID.ALIAS:
        return this.alias(this.text.slice(event.anchorStart, event.anchorEnd), event.anchorStart - 1, path);
      case EVENT_ID.MAPPING: {
        this.anchor(event, 'open');
        const node = this.mapping(path, event.start >= 0 ? event.start : fallback);
        this.anchor(event, node);
        return node;
      }
      case EVENT_ID.SEQUENCE: {
        this.anchor(event, 'open');
        const node: PlacedNode = { start: event.start >= 0 ? event.start : fallback, size: 1, items: [] };
        while (this.events[this.next] !== undefined && this.events[this.next]?.type !== EVENT_ID.POP) {
          const item = this.node([...path, node.items!.length], node.start);
          node.items!.push(item);
          node.size += item.size;
        }
        this.next += 1;
        this.anchor(event, node);
        return node;
      }
      default:
        return { start: fallback, size: 1 };
    }
  }

  private mapping(path: Path, start: number): PlacedNode {
    const entries: NonNullable<PlacedNode['entries']> = new Map();
    const node: PlacedNode = { start, size: 1, entries };
    for (
      let event = this.events[this.next];
      event && event.type !== EVENT_ID.POP;
      event = this.events[this.next]
    ) {
      const keyNode = this.node(path, start);
      const key = event.type === EVENT_ID.SCALAR ? getScalarValue(this.text, event) : '';
      const keyPath = [...path, key];
      this.keys += 1;
      if (event.type === EVENT_ID.SCALAR) this.checkKey(key, keyNode, keyPath, entries);
      const value = this.node(keyPath, keyNode.start);
      node.size += 1 + value.size;
      if (!entries.has(key)) entries.set(key, { keyStart: keyNode.start, node: value });
    }
    this.next += 1;
    return node;
  }

  private checkKey(
    key: string,
    { start: at }: PlacedNode,
    path: Path,
    entries: ReadonlyMap<string, { keyStart: number }>,
  ): void {
    if (entries.has(key))
      this.fault(path, 'duplicate_key', `the key "${key}" stands twice here`, at, 'keep one of the two');
    if (key in Object.prototype)
      this.fault(path, 'reserved_key', `"${key}" cannot be used as a key`, at, 'choose another name');
  }

  private alias(name: string, offset: number, path: Path): PlacedNode {
    const target = this.anchors.get(name);
    if (target === 'open') this.fault(path, 'alias_cycle', `the anchor "${name}" contains itself`, offset);
    if (typeof target !== 'object') return { start: offset, size: 1 };
    return { ...target, start: offset };
  }

  private anchor(event: { anchorStart: number; anchorEnd: number }, node: PlacedNode | 'open'): void {
    if (event.anchorStart >= 0) this.anchors.set(this.text.slice(event.anchorStart, event.anchorEnd), node);
  }

  /** A quoted scalar begins at its quote. */
  private opening(event: { valueStart: number }): number {
    const before = this.text[event.valueStart - 1];
    return before === '"' || before === "'" ? event.valueStart - 1 : event.valueStart;
  }

  /** Records a fault of the whole document. */
  private refuse(code: string, message: string, hint?: string): void {
    this.fault([], code, message, null, hint);
  }

  private fault(path: Path, code: string, message: string, offset: number | null, hint?: string): void {
    this.faults.push({ path, code, message, offset, ...(hint === undefined ? {} : { hint }) });
  }
}

function locate(root: PlacedNode, path: Path, what: 'key' | 'value'): number {
  let node = root;
  let start = root.start;
  for (const [index, part] of path.entries()) {
    if (typeof part === 'number') {
      const item = node.items?.[part];
      if (!item) return start;
      node = item;
      start = item.start;
      continue;
    }
    const entry = node.entries?.get(part);
    if (!entry) return start;
    node = entry.node;
    start = entry.keyStart;
    if (index === path.length - 1) return what === 'key' ? entry.keyStart : entry.node.start;
  }
  return start;
}

function valueFaults(value: JsonValue, root: PlacedNode, path: Path): YamlFault[] {
  const fault = (code: string, message: string): YamlFault[] => [
    { path, code, message, offset: locate(root, path, 'value') },
  ];
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return fault('number_range', 'infinity and "not a number" cannot be used');
    if (Number.isSafeInteger(value) || !Number.isInteger(value) || Math.abs(value) >= 1e21) return [];
    return fault('number_range', 'the integer is beyond what is kept exactly (2^53)');
  }
  if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0')))
    return fault('bad_text', 'the text holds U+0000 or half of a surrogate pair, which cannot be stored');
  if (Array.isArray(value)) return value.flatMap((item, index) => valueFaults(item, root, [...path, index]));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => valueFaults(item, root, [...path, key]));
  }
  return [];
}

function faultOf(error: unknown, text: string): YamlFault {
  if (!(error instanceof YAMLException)) {
    const message = error instanceof Error ? error.message : 'the document cannot be read';
    return { path: [], code: 'yaml_syntax', message, offset: null };
  }
  const offset = error.mark?.position ?? null;
  if (!error.reason.includes('maxDepth')) {
    const explained =
      offset === null ? { message: error.reason, offset } : explainSyntax(error.reason, text, offset);
    return { path: [], code: 'yaml_syntax', ...explained };
  }
  const message = `the document is nested deeper than ${yamlLimits.depth} levels`;
  return { path: [], code: 'too_deep', message, offset };
}
