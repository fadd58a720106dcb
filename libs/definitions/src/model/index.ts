export type {
  DependencyLag,
  DeviceDefinition,
  DeviceSlot,
  FileReference,
  InputFileSpec,
  LabDefinition,
  LabDevice,
  LabResource,
  ParameterBinding,
  ParameterSpec,
  ParameterSpecs,
  ProtocolDefinition,
  ProtocolSnapshot,
  ProtocolTask,
  ResourceSlot,
  TaskDefinition,
  TaskSnapshot,
} from './types.js';
export { checkParameters, checkValue, type CheckedParameters } from './parameters.js';
export { checkRunParameters, dynamicParameters, type DynamicParameter } from './run-parameters.js';
export {
  dependenciesOf,
  dependencyLine,
  isExactVersion,
  isPackageName,
  ownKind,
  splitDependency,
  type ComputerKind,
} from './dependencies.js';
export { dynamicMarker, readBinding, splitReference } from './bindings.js';
export { declaredBounds, optimizerFaults, type MadeOptimizer } from './optimizer-faults.js';
export { hintFor, suggest } from './suggest.js';
export { fault, isObject } from './parameters.js';
