import type { JsonObject, JsonValue } from '@lab/sdk';
import { ExchangeError } from '../errors/index.js';
import type { Ask, FunctionPlan } from '../messages/index.js';
import { isBad, type Described, type Found, type OpcuaRequest, type Sample } from './messages.js';
import { declarationOf, fromServer, toServer, type ValueDescription } from './node-types.js';
import type { MethodEntry, OpcuaFunction, WriteEntry } from './settings.js';

/** Sends a request, and knows the form of its answer. */
export async function request<Answer>(ask: Ask, what: OpcuaRequest): Promise<Answer> {
  return (await ask(what as unknown as JsonObject)) as unknown as Answer;
}

/**
 * Reads from the server what a function works on, and makes the function.
 *
 * @param where the entry for messages
 * @throws TypeError when the node is of another kind
 */
export async function planOf(where: string, entry: OpcuaFunction, ask: Ask): Promise<FunctionPlan> {
  if ('read' in entry) {
    const { node, value } = await variable(where, entry.read, ask);
    return {
      ...common(entry, 'query', unitText(entry.unit ?? value.unit)),
      parameters: {},
      carryOut: async (_, askNow) => readValue(node, value, askNow),
    };
  }
  if ('write' in entry) {
    const { node, value } = await variable(where, entry.write, ask);
    return writePlan(where, entry, node, value);
  }
  return methodPlan(where, entry, ask);
}

/** @throws Error when the value means nothing */
export async function readValue(node: string, description: ValueDescription, ask: Ask): Promise<JsonValue> {
  const { value, status } = await request<Sample>(ask, { ask: 'read', node });
  if (isBad(status)) {
    throw new ExchangeError(`${description.name} (${node}) is not known: the server says ${status}`);
  }
  return fromServer(description, value);
}

/** Finds a variable and its type. */
export async function variable(
  where: string,
  path: string,
  ask: Ask,
): Promise<{ node: string; value: ValueDescription }> {
  const { node } = await request<Found>(ask, { ask: 'find', node: path });
  const described = await request<Described>(ask, { ask: 'describe', node });
  if (!('value' in described)) {
    throw new TypeError(`${where}: ${path} is a node of class ${described.class}, and a variable is needed`);
  }
  return { node, value: described.value };
}

function writePlan(
  where: string,
  entry: WriteEntry,
  node: string,
  description: ValueDescription,
): FunctionPlan {
  const unit = entry.unit ?? description.unit;
  const parameters = entry.parameters ?? { value: declarationOf({ ...description, unit }) };
  const [name, ...more] = Object.keys(parameters);
  if (name === undefined || more.length > 0) {
    throw new TypeError(`${where}.parameters: writing takes one parameter, not ${more.length + 1}`);
  }
  return {
    ...common(entry, 'idempotent', ''),
    parameters: parameters as FunctionPlan['parameters'],
    carryOut: async (given, ask) => {
      const value = toServer(description, given[name] ?? null);
      const { data_type, isArray, type } = description;
      const answer = await request<{ status: string }>(ask, {
        ...{ ask: 'write', node, value },
        type: { data_type, isArray, type },
      });
      refuse(answer.status, `writing ${entry.write}`);
      return undefined;
    },
  };
}

async function methodPlan(where: string, entry: MethodEntry, ask: Ask): Promise<FunctionPlan> {
  const found = await request<Found>(ask, { ask: 'find', node: entry.method });
  const described = await request<Described>(ask, { ask: 'describe', node: found.node });
  if (!('inputs' in described)) {
    throw new TypeError(
      `${where}: ${entry.method} is a node of class ${described.class}, and a method is needed`,
    );
  }
  const object =
    entry.object === undefined
      ? found.parent
      : (await request<Found>(ask, { ask: 'find', node: entry.object })).node;
  if (object === null) throw new TypeError(`${where}: no object has ${entry.method}: write object`);
  const { inputs, outputs } = described;
  const own = Object.fromEntries(inputs.map((input) => [input.name, declarationOf(input)]));
  const parameters = { ...own, ...entry.parameters };
  const strange = Object.keys(entry.parameters ?? {}).filter((name) => !(name in own));
  if (strange.length > 0) {
    throw new TypeError(
      `${where}.parameters: ${entry.method} has no input argument ${strange.join(', ')}; it has ${Object.keys(own).join(', ') || 'none'}`,
    );
  }
  const units = outputs.length === 1 ? unitText(entry.unit ?? outputs[0]?.unit ?? 'n/a') : '';
  return {
    ...common(entry, 'effect', units),
    parameters: parameters as FunctionPlan['parameters'],
    carryOut: async (given, askNow) => {
      const values = inputs.map((input) => ({
        value: toServer(input, given[input.name] ?? null),
        type: { data_type: input.data_type, isArray: input.isArray, type: input.type },
      }));
      const answer = await request<{ status: string; outputs: JsonValue[]; faults?: string[] }>(askNow, {
        ...{ ask: 'call', object, method: found.node, arguments: values },
      });
      const faults = (answer.faults ?? []).map((fault, index) => `${inputs[index]?.name ?? index}: ${fault}`);
      refuse(answer.status, `${entry.method}${faults.length === 0 ? '' : ` (${faults.join(', ')})`}`);
      return resultOf(outputs, answer.outputs);
    },
  };
}

/** No output: nothing. One: its value. Several: an object by the names of the output arguments. */
function resultOf(outputs: readonly ValueDescription[], values: readonly JsonValue[]): JsonValue | undefined {
  const named = outputs.map(
    (output, index) => [output.name, fromServer(output, values[index] ?? null)] as const,
  );
  return named.length <= 1 ? named[0]?.[1] : Object.fromEntries(named);
}

function refuse(status: string, what: string): void {
  if (!isBad(status)) return;
  const hint =
    status === 'BadUserAccessDenied' || status === 'BadNotWritable'
      ? ': may the user in init_parameters.user do this?'
      : '';
  throw new ExchangeError(`${what}: the server says ${status}${hint}`);
}

function common(
  { kind, desc = '', timeout }: OpcuaFunction,
  usual: FunctionPlan['kind'],
  units: string,
): Pick<FunctionPlan, 'kind' | 'desc' | 'timeout'> {
  return {
    kind: kind ?? usual,
    desc: `${desc} ${units}`.trim(),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

const unitText = (unit: string): string => (unit === 'n/a' ? '' : `Returns ${unit}.`);
