import type { JsonObject, JsonValue } from '@lab/sdk';
import { answerFrom, objectWith, type OpenPort, type TwinModel } from '../messages/index.js';
import type { HttpAnswer } from './http-port.js';
import type { HttpPlan } from './plan.js';
import type { HttpSettings } from './settings.js';

/** An operation of the twin that goes on after its first answer. */
interface Running {
  /** Undefined: it goes on. */
  result: JsonValue | Error | undefined;
}

/**
 * A server that is not there: it answers the declared requests from the state of a model. An argument becomes the value of the state that has
 * its name, and an answer has the values of the state.
 */
export function httpTwin(
  settings: HttpSettings,
  basePath: string,
  plans: () => Readonly<Record<string, HttpPlan>>,
): (model: TwinModel) => OpenPort {
  return (model) => () => {
    const running = new WeakMap<JsonObject, Running>();
    const result = async (plan: HttpPlan, name: string, given: JsonObject, signal: AbortSignal) =>
      (await model.act(plan.twin, given, signal)) ?? usual(plan, name, model.state);
    return Promise.resolve({
      exchange: async (_request, { name, given, signal }): Promise<HttpAnswer> => {
        const plan = name === null ? undefined : plans()[name];
        if (plan === undefined || name === null) {
          const { value, equals } = settings.identity ?? { value: '', equals: null };
          return { status: 200, body: objectWith(value, equals as JsonValue) };
        }
        const known = running.get(given);
        if (known !== undefined) return stateOf(known, plan);
        const { wait } = plan.operation;
        if (wait === undefined) return { status: 200, body: await result(plan, name, given, signal) };
        const begun: Running = { result: undefined };
        running.set(given, begun);
        result(plan, name, given, signal).then(
          (value) => (begun.result = value),
          (error: unknown) => (begun.result = error as Error),
        );
        const headers = { location: `${basePath}/twin/operation` };
        return { status: 202, headers, body: wait.request === undefined ? null : placesOf(wait.request) };
      },
      close: () => Promise.resolve(),
    });
  };
}

function usual({ operation: { answer }, answers }: HttpPlan, name: string, state: JsonObject): JsonValue {
  if (answer !== undefined) return answerFrom(answer, name, state);
  return Object.fromEntries(answers.map((each) => [each, state[each] ?? null]));
}

function stateOf({ result }: Running, { operation: { wait } }: HttpPlan): HttpAnswer {
  if (result instanceof Error) throw result;
  const isDone = result !== undefined;
  const base = result ?? {};
  if (wait?.done === undefined) return { status: isDone ? 200 : 202, body: base };
  const { path, equals } = wait.done;
  return { status: 200, body: objectWith(path, isDone ? (equals[0] ?? null) : 'running', base) };
}

/** An answer that has a value wherever a template takes one of it. */
function placesOf(template: unknown): JsonValue {
  const places = [...JSON.stringify(template).matchAll(/\{answer\.([\w.]+)\}/g)];
  return places.reduce<JsonValue>((answer, [, path = '']) => objectWith(path, 'twin', answer), {});
}
