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
import {
  DeletedPackageVersion,
  PackageActivation,
  PackageActivationRecord,
  PackageVersionRecord,
} from '../rest/packages.js';
import { zodOf } from '../rest/fields/field.js';
import { labRights } from './lab-rights.js';
import { orchestratorQuery as query, orchestratorRequest as request } from './define.js';

const nothing = z.object({});
const labChanges = z.object({ labs: z.array(zodOf(LabChange)) });
const protocolChanges = z.object({ protocols: z.array(zodOf(ProtocolChange)) });
const packages = z.object({ packages: z.array(zodOf(PackageRecord)) });

/** Long enough to start devices, each with a deadline of its own. */
const startingMs = 120_000;
const readingMs = 30_000;
/** Long enough to bundle the code of a large package. */
const checkingMs = 60_000;

const activation = z.object({
  name: z.string(),
  activation: zodOf(PackageActivation),
  /** Laboratories for which the caller has the role deployer. */
  deploy: labRights.shape.see,
});

const loadErrors = ['not_found', 'invalid', 'wrong_state', 'store_unavailable'] as const;

/** Loads, unloads and reads definitions while the service runs. The leading orchestrator answers. */
export const definitionRequests = {
  loadLabs: request(
    'lab.load',
    zodOf(LabSelection),
    labChanges,
    [...loadErrors, 'device_unavailable'],
    startingMs,
  ),
  unloadLabs: request('lab.unload', zodOf(LabSelection), labChanges, loadErrors, readingMs),
  reloadLabs: request(
    'lab.reload',
    zodOf(LabSelection),
    labChanges,
    [...loadErrors, 'device_unavailable'],
    startingMs,
  ),
  listLabs: query('lab.list', nothing, z.object({ labs: z.array(zodOf(LabRecord)) }), [], 3_000),
  loadProtocols: request('protocol.load', zodOf(ProtocolSelection), protocolChanges, loadErrors, readingMs),
  unloadProtocols: request(
    'protocol.unload',
    zodOf(ProtocolSelection),
    protocolChanges,
    loadErrors,
    readingMs,
  ),
  reloadProtocols: request(
    'protocol.reload',
    zodOf(ProtocolSelection),
    protocolChanges,
    loadErrors,
    readingMs,
  ),
  validateProtocol: query('protocol.validate', zodOf(ProtocolText), zodOf(Validation)),
  reloadTasks: request(
    'task_type.reload',
    zodOf(TaskTypeSelection),
    z.object({ tasks: z.array(zodOf(TaskTypeChange)) }),
    loadErrors,
    readingMs,
  ),
  listPackages: query('package.list', nothing, packages, [], 3_000),
  /** Reads the packages from disk again. Loaded definitions stay as they are. */
  refreshPackages: request('package.refresh', nothing, packages, [], readingMs),
  /** Checks a version that was uploaded, and makes it known. */
  checkPackage: request(
    'package.check',
    z.object({ name: z.string(), sha256: z.string(), deploy: labRights.shape.see }),
    zodOf(PackageVersionRecord),
    [...loadErrors, 'forbidden'],
    checkingMs,
  ),
  activatePackage: request(
    'package.activate',
    activation.extend({ by: z.string() }),
    zodOf(PackageActivationRecord),
    [...loadErrors, 'forbidden', 'device_unavailable'],
    startingMs,
  ),
  /** What {@link activatePackage} would do. */
  tryPackage: query(
    'package.try',
    activation,
    zodOf(PackageActivationRecord),
    ['not_found', 'invalid', 'wrong_state', 'forbidden', 'store_unavailable'],
    checkingMs,
  ),
  /** Deletes a version that nobody needs. */
  deletePackage: request(
    'package.delete',
    z.object({ name: z.string(), sha256: z.string(), deploy: labRights.shape.see, by: z.string() }),
    zodOf(DeletedPackageVersion),
    ['not_found', 'wrong_state', 'forbidden', 'store_unavailable'],
    readingMs,
  ),
  /** What the activation of a version would do that is stored for this dry run alone. */
  tryUpload: query(
    'package.try_upload',
    z.object({
      name: z.string(),
      sha256: z.string(),
      /** Laboratories for which the caller has the role dry_runner. */
      labs: labRights.shape.see,
    }),
    zodOf(PackageActivationRecord),
    ['not_found', 'invalid', 'forbidden', 'store_unavailable'],
    checkingMs,
  ),
  listDefinitions: query(
    'definition.list',
    z.object({ type: z.enum(definitionTypes).optional() }),
    z.object({ definitions: z.array(zodOf(DefinitionSummary)) }),
    [],
    3_000,
  ),
  getDefinition: query(
    'definition.get',
    z.object({ type: z.enum(definitionTypes), name: z.string() }),
    zodOf(DefinitionRecord),
    ['not_found'],
    3_000,
  ),
};
