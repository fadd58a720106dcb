import { z } from 'zod';
import {
  definitionTypes,
  LabSelection,
  ProtocolSelection,
  ProtocolText,
  TaskTypeSelection,
  DefinitionRecord,
  DefinitionSummary,
  LabChange,
  LabRecord,
  PackageRecord,
  ProtocolChange,
  TaskTypeChange,
  Validation,
} from '../rest/definitions.js';
import { zodOf } from '../rest/fields/field.js';
import { dtoSchema, zodSchema } from '../schema.js';
import { defineRequest } from './define.js';

const nothing = zodSchema(z.object({}));
const labChanges = zodSchema(z.object({ labs: z.array(zodOf(LabChange)) }));
const protocolChanges = zodSchema(z.object({ protocols: z.array(zodOf(ProtocolChange)) }));
const packages = zodSchema(z.object({ packages: z.array(zodOf(PackageRecord)) }));

/** Long enough to start devices, each with a deadline of its own. */
const startingMs = 120_000;
const readingMs = 30_000;

const loadErrors = ['not_found', 'invalid', 'wrong_state', 'store_unavailable'] as const;

/** Loads, unloads and reads definitions while the service runs. The leading orchestrator answers. */
export const definitionRequests = {
  loadLabs: defineRequest({
    name: 'lab.load',
    subject: 'svc.v1.orchestrator.lab.load',
    request: dtoSchema(LabSelection),
    reply: labChanges,
    timeoutMs: startingMs,
    errors: [...loadErrors, 'device_unavailable'],
  }),
  unloadLabs: defineRequest({
    name: 'lab.unload',
    subject: 'svc.v1.orchestrator.lab.unload',
    request: dtoSchema(LabSelection),
    reply: labChanges,
    timeoutMs: readingMs,
    errors: loadErrors,
  }),
  reloadLabs: defineRequest({
    name: 'lab.reload',
    subject: 'svc.v1.orchestrator.lab.reload',
    request: dtoSchema(LabSelection),
    reply: labChanges,
    timeoutMs: startingMs,
    errors: [...loadErrors, 'device_unavailable'],
  }),
  listLabs: defineRequest({
    name: 'lab.list',
    subject: 'svc.v1.orchestrator.lab.list',
    request: nothing,
    reply: zodSchema(z.object({ labs: z.array(zodOf(LabRecord)) })),
    timeoutMs: 3_000,
    errors: [],
  }),
  loadProtocols: defineRequest({
    name: 'protocol.load',
    subject: 'svc.v1.orchestrator.protocol.load',
    request: dtoSchema(ProtocolSelection),
    reply: protocolChanges,
    timeoutMs: readingMs,
    errors: loadErrors,
  }),
  unloadProtocols: defineRequest({
    name: 'protocol.unload',
    subject: 'svc.v1.orchestrator.protocol.unload',
    request: dtoSchema(ProtocolSelection),
    reply: protocolChanges,
    timeoutMs: readingMs,
    errors: loadErrors,
  }),
  reloadProtocols: defineRequest({
    name: 'protocol.reload',
    subject: 'svc.v1.orchestrator.protocol.reload',
    request: dtoSchema(ProtocolSelection),
    reply: protocolChanges,
    timeoutMs: readingMs,
    errors: loadErrors,
  }),
  validateProtocol: defineRequest({
    name: 'protocol.validate',
    subject: 'svc.v1.orchestrator.protocol.validate',
    request: dtoSchema(ProtocolText),
    reply: zodSchema(zodOf(Validation)),
    timeoutMs: 10_000,
    errors: [],
  }),
  reloadTasks: defineRequest({
    name: 'task_type.reload',
    subject: 'svc.v1.orchestrator.task_type.reload',
    request: dtoSchema(TaskTypeSelection),
    reply: zodSchema(z.object({ tasks: z.array(zodOf(TaskTypeChange)) })),
    timeoutMs: readingMs,
    errors: loadErrors,
  }),
  listPackages: defineRequest({
    name: 'package.list',
    subject: 'svc.v1.orchestrator.package.list',
    request: nothing,
    reply: packages,
    timeoutMs: 3_000,
    errors: [],
  }),
  /** Reads the packages from disk again. Loaded definitions stay as they are. */
  refreshPackages: defineRequest({
    name: 'package.refresh',
    subject: 'svc.v1.orchestrator.package.refresh',
    request: nothing,
    reply: packages,
    timeoutMs: readingMs,
    errors: [],
  }),
  listDefinitions: defineRequest({
    name: 'definition.list',
    subject: 'svc.v1.orchestrator.definition.list',
    request: zodSchema(z.object({ type: z.enum(definitionTypes).optional() })),
    reply: zodSchema(z.object({ definitions: z.array(zodOf(DefinitionSummary)) })),
    timeoutMs: 3_000,
    errors: [],
  }),
  getDefinition: defineRequest({
    name: 'definition.get',
    subject: 'svc.v1.orchestrator.definition.get',
    request: zodSchema(z.object({ type: z.enum(definitionTypes), name: z.string() })),
    reply: zodSchema(zodOf(DefinitionRecord)),
    timeoutMs: 3_000,
    errors: ['not_found'],
  }),
};
