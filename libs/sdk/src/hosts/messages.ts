import type {
  FromDevice,
  FromOptimizer,
  FromTask,
  LogLevel,
  ToDevice,
  ToOptimizer,
  ToTask,
} from '@lab/contracts';

export type { FromDevice, FromOptimizer, FromTask, LogLevel, ToDevice, ToTask };

/** What a worker asks. A process of Node asks its worker for nothing, so it gets no answers. */
export type AskedOfOptimizer = Exclude<ToOptimizer, { type: 'call_result' | 'call_failure' }>;

/**
 * Narrow checks of the messages that a host receives. They replace the schemas of contracts, because importing those would
 * take a task process longer than the rest of its start.
 */

/** The keys of a message that must be texts, and those that must be objects. */
interface Shape {
  texts?: readonly string[];
  objects?: readonly string[];
}

const ofDevice: Shape = { texts: ['lab', 'name', 'path'], objects: ['module', 'init_parameters'] };
const callId: Shape = { texts: ['call_id'] };
const ofAllocation: Shape = { texts: ['call_id'], objects: ['allocation'] };
const reason: Shape = { texts: ['reason'] };

const deviceShapes: Record<ToDevice['type'], Shape> = {
  init: ofDevice,
  call: { texts: ['call_id', 'function'], objects: ['arguments'] },
  allocated: ofAllocation,
  deallocated: ofAllocation,
  report: callId,
  reconcile: ofDevice,
  stop: reason,
  ping: {},
  cleanup: {},
};

const taskShapes: Record<ToTask['type'], Shape> = {
  run: {
    texts: ['attempt_id', 'label', 'isolation', 'path', 'spool'],
    objects: ['module', 'devices', 'parameters', 'resources'],
  },
  call_result: callId,
  call_failure: { texts: ['call_id', 'code'], objects: ['error'] },
  abort: reason,
};

const optimizerShapes: Record<AskedOfOptimizer['type'], Shape> = {
  make: { texts: ['call_id', 'protocol', 'path'], objects: ['module', 'overrides', 'runtime_params'] },
  tell: callId,
  propose: callId,
  configure: { texts: ['call_id'], objects: ['runtime_params'] },
  best: callId,
  explain: callId,
};

/** Each checks a message. @throws Error that names its fault */
export const toDeviceMessage = (message: unknown): ToDevice => checked(message, deviceShapes);
export const toOptimizerMessage = (message: unknown): AskedOfOptimizer => checked(message, optimizerShapes);
export const toTaskMessage = (message: unknown): ToTask => checked(message, taskShapes);

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
  const fault = (key: string, what: string): Error =>
    new Error(`In a message "${type}" from the parent, ${key} is not ${what}`);
  for (const key of shape.texts ?? []) if (typeof message[key] !== 'string') throw fault(key, 'a string');
  for (const key of shape.objects ?? []) if (!isObject(message[key])) throw fault(key, 'an object');
  return message as unknown as Message;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
