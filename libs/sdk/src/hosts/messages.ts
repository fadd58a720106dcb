import type {
  FromDevice,
  FromOptimizer,
  FromTask,
  LogLevel,
  ToDevice,
  ToOptimizer,
  ToTask,
} from '@lab/contracts';

export type { FromDevice, FromOptimizer, FromTask, LogLevel, ToDevice, ToOptimizer, ToTask };

/**
 * Narrow checks of the messages that a host receives. They replace the schemas of contracts, because importing those would
 * take a task process longer than the rest of its start.
 */

type Shape = Record<string, 'string' | 'object' | 'value'>;

const failure: Shape = { call_id: 'string', code: 'string', error: 'object' };

const deviceShapes: Record<ToDevice['type'], Shape> = {
  init: { lab: 'string', name: 'string', module: 'object', path: 'string', init_parameters: 'object' },
  call: { call_id: 'string', function: 'string', arguments: 'object' },
  report: { call_id: 'string' },
  reconcile: {
    lab: 'string',
    name: 'string',
    module: 'object',
    path: 'string',
    init_parameters: 'object',
    in_doubt: 'value',
  },
  stop: { reason: 'string' },
  ping: {},
  cleanup: {},
};

const taskShapes: Record<ToTask['type'], Shape> = {
  run: {
    attempt_id: 'string',
    label: 'string',
    module: 'object',
    path: 'string',
    devices: 'object',
    parameters: 'object',
    resources: 'object',
    spool: 'string',
  },
  call_result: { call_id: 'string', value: 'value' },
  call_failure: failure,
  abort: { reason: 'string' },
};

/** Checks a message. @throws Error that names its fault */
export function toDeviceMessage(message: unknown): ToDevice {
  return checked<ToDevice>(message, deviceShapes);
}

const call: Shape = { call_id: 'string' };

const optimizerShapes: Record<ToOptimizer['type'], Shape> = {
  make: {
    ...call,
    protocol: 'string',
    module: 'object',
    path: 'string',
    overrides: 'object',
    runtime_params: 'object',
  },
  tell: { ...call, trials: 'value' },
  propose: { ...call, runs: 'value', insights: 'value' },
  configure: { ...call, runtime_params: 'object' },
  best: call,
  explain: call,
};

/** Checks a message. @throws Error that names its fault */
export function toOptimizerMessage(message: unknown): ToOptimizer {
  return checked<ToOptimizer>(message, optimizerShapes);
}

/** Checks a message. @throws Error that names its fault */
export function toTaskMessage(message: unknown): ToTask {
  return checked<ToTask>(message, taskShapes);
}

function checked<Message extends { type: string }>(message: unknown, shapes: Record<string, Shape>): Message {
  if (!isObject(message) || typeof message['type'] !== 'string') {
    throw new Error('A message from the parent is not an object with a type');
  }
  const type = message['type'];
  const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (shape === undefined) {
    throw new Error(
      `A message from the parent has the type ${type}; known are ${Object.keys(shapes).join(', ')}`,
    );
  }
  for (const [key, kind] of Object.entries(shape)) {
    const value = message[key];
    const right = kind === 'value' || (kind === 'object' ? isObject(value) : typeof value === kind);
    if (!right)
      throw new Error(
        `In a message "${type}" from the parent, ${key} is not ${kind === 'object' ? 'an' : 'a'} ${kind}`,
      );
  }
  return message as unknown as Message;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
