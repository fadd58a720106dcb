import type { JsonObject, JsonValue } from '@lab/sdk';
import { answerFrom, objectWith, type OpenPort, type TwinModel } from '../messages/index.js';
import type { CommandEntry, MqttSettings } from './settings.js';

/** Milliseconds between two looks at values that move by themselves. */
const lookMs = 200;

/**
 * A broker and an instrument that are not there. The states of the instrument are values of a model; a change is a message on the topic
 * of the state. An argument becomes the value of the state that has its name.
 */
export function mqttTwin(settings: MqttSettings): (model: TwinModel) => OpenPort {
  return (model) => (events) => {
    const told = new Map<string, { text: string; at: number }>();
    const tell = (name: string, always = false): void => {
      const entry = settings.state[name];
      const value = model.state[name];
      if (entry === undefined || value === undefined) return;
      const text = JSON.stringify(value);
      const last = told.get(name);
      // A value that stays is said again before it is stale.
      const isOld = last !== undefined && performance.now() - last.at > (entry.stale_after ?? Infinity) * 500;
      if (!always && !isOld && last?.text === text) return;
      told.set(name, { text, at: performance.now() });
      events.heard({ topic: entry.topic, payload: payloadOf(entry, value), retain: false });
    };
    const tellAll = (): void => Object.keys(settings.state).forEach((name) => tell(name));
    const { identity, presence } = settings;
    if (presence !== undefined) model.set(presence.state, presence.equals[0] ?? null);
    const timer = setInterval(tellAll, lookMs);
    timer.unref();
    setImmediate(() => {
      tellAll();
      if (identity === undefined) return;
      const payload = objectWith(identity.value, identity.equals as JsonValue);
      events.heard({ topic: identity.topic, payload, retain: true });
    });
    return Promise.resolve({
      exchange: async (request, { name, given, signal }): Promise<JsonObject> => {
        const entry = settings.functions[name ?? ''];
        if (entry === undefined || !('publish' in entry)) return {};
        const answers = await model.act(entry.twin, given, signal);
        if (entry.until !== undefined) {
          model.set(entry.until.state, entry.until.equals[0] ?? null);
          setImmediate(() => tell(entry.until?.state ?? '', true));
        }
        tellAll();
        if (request['request'] !== true) return {};
        return { payload: answers ?? usual(entry, name ?? '', model.state) };
      },
      close: () => {
        clearInterval(timer);
        return Promise.resolve();
      },
    });
  };
}

const payloadOf = ({ path, factor }: { path: string; factor: number }, value: JsonValue): JsonValue =>
  objectWith(path, typeof value === 'number' ? value / factor : value);

const usual = ({ answer }: CommandEntry, name: string, state: JsonObject): JsonValue =>
  answer === undefined ? null : answerFrom(answer, name, state);
