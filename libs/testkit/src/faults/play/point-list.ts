import { ledgerRecordTypes } from '@lab/actors';
import {
  agentEvents,
  agentRequests,
  attemptStates,
  effectRequests,
  fromDevice,
  fromTask,
  logRequests,
  optimizerEvents,
  optimizerRequests,
  orchestratorEvents,
  orchestratorRequests,
  peerRequests,
  stopReport,
  taskRunStates,
  toDevice,
  toTask,
  type AnyEvent,
  type AnyRequest,
} from '@lab/contracts';
import type { Change } from '@lab/engine';
import type { Side } from '../surroundings/fault-points.js';

/** Every kind of change. A kind that is missing here is a compile error. */
const changes: Readonly<Record<Change['op'], true>> = {
  insertCampaign: true,
  updateCampaign: true,
  insertProtocolRun: true,
  updateProtocolRun: true,
  insertTaskRun: true,
  updateTaskRun: true,
  notePlans: true,
  insertAttempt: true,
  updateAttempt: true,
  insertTrial: true,
  updateTrial: true,
  claim: true,
  pass: true,
  hold: true,
  release: true,
  putAttention: true,
  claimAttention: true,
  putEmergencyStop: true,
  putQueuePause: true,
  putDrain: true,
  putOutage: true,
  putReservation: true,
  putRollout: true,
  audit: true,
  putDeletion: true,
  putLegalHold: true,
  archive: true,
  restore: true,
  putResource: true,
  putAgent: true,
  putDefinition: true,
  tell: true,
};

/** Points that no scenario reaches, each with the reason. */
export const exempt: Readonly<Record<string, string>> = {
  'send module.fetch':
    'an agent fetches code before it starts a task or device; the cache has tests of its own',
  'reply module.fetch': 'as above',
  'send file.fetch': 'an agent fetches input files before it starts the task; the cache has tests of its own',
  'reply file.fetch': 'as above',
  'hear task expect_file': 'no instrument of a scenario writes files; waiting for one has tests of its own',
  'hear device asks': 'a question to people decides nothing',
  'hear device log': 'no decision depends on a log line',
  'hear task log': 'as above',
  'send log.append': 'as above; the agent repeats it until it is stored, and it is stored once',
  'reply log.append': 'as above',
  'send simulation.run': 'the request changes nothing',
  'reply simulation.run': 'as above',
  'send simulation.protocol_run': 'as above',
  'reply simulation.protocol_run': 'as above',
  'send submission.dry_run': 'as above',
  'reply submission.dry_run': 'as above',
  'send rollout.start':
    'no agent of a scenario has a package; tests of the engine change the leader at each step of a rollout',
  'reply rollout.start': 'as above',
  'send rollout.resume': 'as above',
  'reply rollout.resume': 'as above',
  'send rollout.cancel': 'as above',
  'reply rollout.cancel': 'as above',
  'send rollout.list': 'as above',
  'reply rollout.list': 'as above',
  'send agent.update': 'as above',
  'reply agent.update': 'as above',
  'commit putRollout': 'as above',
  'record tally': 'part of a checkpoint, which is one write: its points are "write" and "datasync"',
  'record call_over': 'as above',
  'record call_unstored': 'as above',
  'record device': 'as above',
};

/**
 * Every moment at which a crash could make a difference. The list follows from the declarations: messages of the
 * catalogue, messages to and from child processes, records of the ledger, committed changes and states.
 */
export function pointList(): string[] {
  const requests: AnyRequest[] = [
    ...Object.values(agentRequests),
    ...Object.values(peerRequests),
    ...Object.values(effectRequests),
    ...Object.values(logRequests),
    ...Object.values(optimizerRequests),
    ...Object.values(orchestratorRequests),
  ];
  const events: AnyEvent[] = [
    ...Object.values(agentEvents),
    stopReport,
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
