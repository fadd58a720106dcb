// Writes what is made of the product itself, docs/reference and the types of the client: npm run docs:reference
import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { interfaceDocument } from '@lab/gateway/interface-document';
import { format, resolveConfig } from 'prettier';
import { cliPage } from './reference/cli.ts';
import { clientTypes } from './reference/client-types.ts';
import { errorsPage } from './reference/errors.ts';
import { restPage } from './reference/rest.ts';
import { statesPage } from './reference/states.ts';

const root = new URL('../', import.meta.url);

/** Every file that is made, by its path in the repository, with the text that it must have. */
export async function referenceFiles() {
  const document = JSON.parse(JSON.stringify(await interfaceDocument()));
  const texts = {
    'docs/reference/cli.md': cliPage(),
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/rest.md': restPage(document),
    'docs/reference/states.md': statesPage(),
    'libs/api-client/src/generated.ts': await clientTypes(document),
  };
  const files = await Promise.all(
    Object.entries(texts).map(async ([path, text]) => {
      const filepath = fileURLToPath(new URL(path, root));
      return [path, await format(text, { ...(await resolveConfig(filepath)), filepath })];
    }),
  );
  return Object.fromEntries(files);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(await referenceFiles())) writeFileSync(new URL(path, root), text);
}
