import { ledgerRecordTypes } from '@lab/actors';
import {
  agentEvents,
  agentRequests,
  attemptStates,
  fromDevice,
  fromTask,
  logRequests,
  optimizerEvents,
  optimizerRequests,
  orchestratorEvents,
  orchestratorRequests,
  taskRunStates,
  toDevice,
  toTask,
  type AnyEvent,
  type AnyRequest,
} from '@lab/contracts';
import type { Change } from '@lab/engine';
import type { Side } from '../surroundings/fault-points.js';

/** Every kind of change; a new one does not compile until it stands here. */
const changes: Readonly<Record<Change['op'], true>> = {
  insertCampaign: true,
  updateCampaign: true,
  insertProtocolRun: true,
  updateProtocolRun: true,
  insertTaskRun: true,
  updateTaskRun: true,
  insertAttempt: true,
  updateAttempt: true,
  insertTrial: true,
  updateTrial: true,
  claim: true,
  pass: true,
  hold: true,
  release: true,
  putAttention: true,
  putEmergencyStop: true,
  putQueuePause: true,
  audit: true,
  archive: true,
  restore: true,
  putResource: true,
  putAgent: true,
  putDefinition: true,
  tell: true,
};

/** Points that no simulation reaches, each with the reason. */
export const exempt: Readonly<Record<string, string>> = {
  'send module.fetch':
    'code is fetched before a task or device is begun, by a cache that is tested by itself',
  'reply module.fetch': 'see there',
  'send file.fetch':
    'a file that a task gets is fetched before the task begins, and what breaks off there never began; the cache is tested by itself',
  'reply file.fetch': 'see there',
  'hear device log': 'a line for people, on which nothing depends',
  'hear task log': 'see there',
  'send log.append': 'see there; it is sent until it is stored, and stored once',
  'reply log.append': 'see there',
  'send simulation.run': 'it is asked for nothing that is kept, and changes nothing',
  'reply simulation.run': 'see there',
  'send simulation.protocol_run': 'see there',
  'reply simulation.protocol_run': 'see there',
  'send submission.dry_run': 'see there',
  'reply submission.dry_run': 'see there',
  'record tally': 'only part of a checkpoint, which is one write: "write" and "datasync" are its points',
  'record call_over': 'see there',
  'record device': 'see there',
};

/**
 * Every moment at which a crash could make a difference, by the sources themselves: the messages of the catalogue, the
 * messages to and from processes, the records of the ledger, the changes and states that are committed. What is added
 * there is added here.
 */
export function pointList(): string[] {
  const requests: AnyRequest[] = [
    ...Object.values(agentRequests),
    ...Object.values(logRequests),
    ...Object.values(optimizerRequests),
    ...Object.values(orchestratorRequests),
  ];
  const events: AnyEvent[] = [
    ...Object.values(agentEvents),
    ...Object.values(optimizerEvents),
    ...Object.values(orchestratorEvents),
  ];
  return [
    ...requests.flatMap(({ name }) => [`send ${name}`, `reply ${name}`]),
    ...events.map(({ name }) => `send ${name}`),
    ...typesOf(toDevice).map((type) => `tell device ${type}`),
    ...typesOf(fromDevice).map((type) => `hear device ${type}`),
    ...typesOf(toTask).map((type) => `tell task ${type}`),
    ...typesOf(fromTask).map((type) => `hear task ${type}`),
    ...ledgerRecordTypes.map((type) => `record ${type}`),
    'write',
    'datasync',
    'upload',
    ...Object.keys(changes).map((op) => `commit ${op}`),
    ...attemptStates.map((state) => `commit attempt ${state}`),
    ...taskRunStates.map((state) => `commit task ${state}`),
  ];
}

export const sides: readonly Side[] = ['before', 'after'];

function typesOf(union: { options: readonly { shape: { type: { value: string } } }[] }): string[] {
  return union.options.map(({ shape }) => shape.type.value);
}
