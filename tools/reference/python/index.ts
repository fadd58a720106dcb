import { join } from 'node:path';
import type { OpenApiDocument } from '../../shared/openapi.js';
import { root } from '../../shared/paths.js';
import { modelsModule } from './models.js';
import { refusalsModule } from './refusals.js';
import { blockingTwins } from './twin.js';

const folder = 'libs/python-client/src/svc_client';

/** The generated modules of the client for Python, by their path in the repository. */
export function pythonFiles(document: OpenApiDocument): Record<string, string> {
  const twins = Object.entries(blockingTwins(join(root, folder, 'aio')));
  return {
    [`${folder}/models.py`]: modelsModule(document),
    [`${folder}/refusals.py`]: refusalsModule(),
    ...Object.fromEntries(twins.map(([name, text]) => [`${folder}/blocking/${name}`, text])),
  };
}
