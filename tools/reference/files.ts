import { join } from 'node:path';
import { interfaceDocument } from '@lab/gateway/interface-document';
import { format, resolveConfig } from 'prettier';
import { cliPage } from './cli.js';
import { clientTypes } from './client-types.js';
import { errorsPage } from './errors.js';
import { messagesPage, permissionsModule } from './messages.js';
import { pythonFiles } from './python/index.js';
import { restPage } from './rest.js';
import { statesPage } from './states.js';
import type { OpenApiDocument } from '../shared/openapi.js';
import { root } from '../shared/paths.js';

/** Every generated file, by its path in the repository, with the text that it must have. */
export async function referenceFiles(): Promise<Record<string, string>> {
  const document = JSON.parse(JSON.stringify(await interfaceDocument())) as OpenApiDocument;
  const texts = {
    'docs/reference/cli.md': cliPage(),
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/messages.md': messagesPage(),
    'docs/reference/rest.md': restPage(document),
    'docs/reference/states.md': statesPage(),
    'libs/api-client/src/generated.ts': await clientTypes(document),
    'libs/contracts/src/messages/permissions.ts': permissionsModule(),
  };
  const files = Object.entries(texts).map(async ([path, text]) => {
    const filepath = join(root, path);
    return [path, await format(text, { ...(await resolveConfig(filepath)), filepath })];
  });
  return {
    ...(Object.fromEntries(await Promise.all(files)) as Record<string, string>),
    ...pythonFiles(document),
  };
}
