import { definitionRequests } from '@lab/contracts';
import { validateProtocolText } from '@lab/definitions';
import type { HandlersOf } from '@lab/messaging';
import {
  definitionRecord,
  definitionSummaries,
  faultOf,
  labRecords,
  packageRecords,
  type Deployments,
  type VersionDeletion,
  type LabLoading,
  type PackageIndex,
  type ProtocolLoading,
} from '../definitions/index.js';
import type { LoadedDefinitions } from '../loaded/index.js';

export interface DefinitionParts {
  labs: LabLoading;
  protocols: ProtocolLoading;
  deployments: Deployments;
  versions: VersionDeletion;
  definitions: LoadedDefinitions;
  index: PackageIndex;
}

/** Which definitions are installed and loaded, and how they are loaded and unloaded. */
export function definitionHandlers(parts: DefinitionParts): HandlersOf<typeof definitionRequests> {
  const { labs, protocols, deployments, versions, definitions, index } = parts;
  return {
    loadLabs: async ({ lab_types: types }) => ({ labs: await labs.load(types) }),
    unloadLabs: async ({ lab_types: types, drain }) => ({ labs: await labs.unload(types, drain ?? false) }),
    reloadLabs: async ({ lab_types: types, drain }) => ({ labs: await labs.reload(types, drain ?? false) }),
    listLabs: () => ({ labs: labRecords(index.catalog, definitions.current) }),

    loadProtocols: async ({ protocol_types: types }) => ({ protocols: await protocols.load(types) }),
    unloadProtocols: async ({ protocol_types: types, drain }) => ({
      protocols: await protocols.unload(types, drain ?? false),
    }),
    reloadProtocols: async ({ protocol_types: types }) => ({ protocols: await protocols.reload(types) }),
    reloadTasks: async ({ task_types: types }) => ({ tasks: await protocols.reloadTasks(types) }),
    validateProtocol: ({ protocol_yaml: yaml, file_name: fileName }) => {
      const options = fileName === undefined ? {} : { fileName };
      const errors = validateProtocolText(index.catalog, yaml, options).map(faultOf);
      return { valid: errors.length === 0, errors };
    },

    listPackages: () => ({ packages: packageRecords(index.catalog) }),
    refreshPackages: async () => ({ packages: packageRecords(await index.refresh()) }),
    checkPackage: (asked) => deployments.check(asked),
    activatePackage: ({ by, ...asked }) => deployments.activate(asked, by),
    tryPackage: (asked) => deployments.tryOut(asked),
    deletePackage: ({ by, ...asked }) => versions.remove(asked, by),
    tryUpload: (asked) => deployments.tryUpload(asked),
    listDefinitions: ({ type }) => ({
      definitions: definitionSummaries(index.catalog, definitions.current, type),
    }),
    getDefinition: ({ type, name }) => definitionRecord(index.catalog, definitions.current, type, name),
  };
}
