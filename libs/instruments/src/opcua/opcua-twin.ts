import { NotBegun, type JsonObject, type JsonValue } from '@lab/sdk';
import type { OpenPort, TwinModel } from '../messages/index.js';
import type { Described, Found, OpcuaRequest, Sample } from './messages.js';
import type { ValueDescription } from './node-types.js';
import type { OpcuaSettings } from './settings.js';

/** Milliseconds between two looks at values that move by themselves. */
const lookMs = 200;

/** The built-in types of the types of `task.yml`. */
const builtIn: Record<string, string> = {
  ...{ int: 'Int64', float: 'Double', str: 'String', bool: 'Boolean', dict: 'ExtensionObject' },
};

/**
 * A server that is not there, with the nodes that `init_parameters` name. The value of a node is the value of the model with the last name
 * of its path. Types follow from declared parameters, and from the values of the model.
 */
export function opcuaTwin(settings: OpcuaSettings): (model: TwinModel) => OpenPort {
  return (model) => (events) => {
    const watched = new Map<string, string>();
    const timer = setInterval(() => {
      for (const [node, told] of watched) {
        const text = JSON.stringify(model.state[nameOf(node)] ?? null);
        if (text === told) continue;
        watched.set(node, text);
        events.heard(sampleOf(node, model));
      }
    }, lookMs);
    timer.unref();
    const answer = async (
      request: OpcuaRequest,
      name: string | null,
      given: JsonObject,
      signal: AbortSignal,
    ): Promise<object> => {
      const entry = settings.functions[name ?? ''];
      switch (request.ask) {
        case 'find':
          return found(request.node);
        case 'describe':
          return describe(request.node, settings, model.state);
        case 'read':
          if (request.node === settings.identity?.read) {
            return { ...sampleOf(request.node, model), value: settings.identity.equals };
          }
          return sampleOf(request.node, model);
        case 'write':
          await model.act(
            entry?.twin ?? { sets: { [nameOf(request.node)]: request.value }, takes: 0 },
            given,
            signal,
          );
          return { status: 'Good' };
        case 'call': {
          const outputs = await model.act(entry?.twin, given, signal);
          return { status: 'Good', outputs: outputs === undefined ? [] : [outputs] };
        }
        case 'watch':
          watched.set(request.node, '');
          return {};
      }
    };
    return Promise.resolve({
      exchange: async (request, { name, given, signal }) => {
        if (signal.aborted) throw new NotBegun(String(signal.reason));
        return (await answer(request as unknown as OpcuaRequest, name, given, signal)) as JsonObject;
      },
      close: () => {
        clearInterval(timer);
        return Promise.resolve();
      },
    });
  };
}

const found = (node: string): Found => ({ node, parent: node.replace(/[/.][^/.]+$/, '') || null });

/** The last name of a path or of a node id. */
const nameOf = (node: string): string => node.split(/[/.=:]/).at(-1) ?? node;

function sampleOf(node: string, model: TwinModel): Sample {
  return { node, value: model.state[nameOf(node)] ?? null, status: 'Good', time: null };
}

function describe(node: string, settings: OpcuaSettings, state: JsonObject): Described {
  const entry = Object.values(settings.functions).find(
    (each) => ('write' in each && each.write === node) || ('method' in each && each.method === node),
  );
  const declared = entry !== undefined && 'parameters' in entry ? (entry.parameters ?? {}) : {};
  const inputs = Object.entries(declared).map(([name, { type, unit }]) =>
    value(name, builtIn[typeof type === 'string' ? type : ''] ?? 'String', unit),
  );
  if (entry !== undefined && 'method' in entry) {
    const outputs = entry.twin?.answers === undefined ? [] : [value('result', 'Variant', undefined)];
    return { class: 'Method', inputs, outputs };
  }
  const name = nameOf(node);
  return {
    class: 'Variable',
    value: { ...(inputs[0] ?? value(name, typeOf(state[name]), undefined)), name },
  };
}

function value(name: string, type: string, unit: unknown): ValueDescription {
  return {
    ...{ name, type, data_type: type, isArray: false, desc: '', choices: {} },
    unit: typeof unit === 'string' ? unit : 'n/a',
  };
}

function typeOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return 'String';
  if (typeof value === 'boolean') return 'Boolean';
  return typeof value === 'object' && value !== null ? 'ExtensionObject' : 'Double';
}
