import { ModuleStore } from '../src/code/module-store.js';
import { compareDiagnostics } from '../src/documents/diagnostic.js';
import { SourceDocument } from '../src/documents/source-document.js';
import { Assembly } from '../src/packages/assembly.js';
import type { Catalog } from '../src/packages/catalog.js';
import type { DefinitionKind } from '../src/packages/discover.js';
import { soundPackage, type Files } from './package-fixture.js';

const kinds: Record<string, DefinitionKind> = {
  laboratories: 'lab',
  devices: 'device',
  tasks: 'task',
  experiments: 'protocol',
};

/** The sound package with `changes`, assembled without a file system. Devices and tasks have their code. */
export function assemble(changes: Files): Catalog {
  const files = Object.entries<string | null>({ ...soundPackage, ...changes }).flatMap(([file, text]) => {
    if (text === null || !file.endsWith('.yml')) return [];
    const [packageName = '', subfolder = '', folder = ''] = file.split('/');
    const source = SourceDocument.parse(file, text);
    const hasCode = subfolder === 'devices' || subfolder === 'tasks';
    return {
      definition: { kind: kinds[subfolder]!, path: file, file, folder, code: null },
      packageName,
      source,
      text: source,
      module: hasCode ? { hash: 'h', package: packageName, source: file } : null,
      codeIsBroken: false,
    };
  });
  const order = (found: Catalog['diagnostics'][number][]) => found.sort(compareDiagnostics);
  return new Assembly(files).catalog(['demo'], order, new ModuleStore('unused'));
}
