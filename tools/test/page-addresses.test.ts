import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../shared/paths.js';

const sources = join(root, 'apps', 'web', 'src');

it('the service serves the page at the address of each of its routes, so that a link can be opened', () => {
  const routes = readFileSync(join(sources, 'routes.tsx'), 'utf8');
  const paths = [...routes.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path);
  const addresses = JSON.parse(readFileSync(join(sources, 'addresses.json'), 'utf8')) as string[];
  expect(paths.length).toBeGreaterThan(5);
  expect([...addresses].sort()).toEqual([...paths].sort());
});
