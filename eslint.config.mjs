import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { allowedImports, pureProjects, quarantine } from './tools/boundaries.mjs';

const folderOf = (project) =>
  ['gateway', 'orchestrator', 'agent', 'optimizer', 'cli'].includes(project)
    ? `apps/${project}`
    : `libs/${project}`;

const ambient = [
  { object: 'Date', property: 'now', message: 'Take the Clock port.' },
  { object: 'Math', property: 'random', message: 'Take the Random port.' },
  { object: 'performance', property: 'now', message: 'Take the Clock port.' },
  { object: 'process', property: 'env', message: 'Read configuration through @lab/runtime.' },
];

const pureGlobals = ['setTimeout', 'setInterval', 'setImmediate', 'process', 'Buffer', 'fetch'].map(
  (name) => ({
    name,
    message: 'Pure library: take a port instead.',
  }),
);

const quarantined = (project) =>
  Object.entries(quarantine)
    .filter(([, owners]) => !owners.includes(project))
    .map(([name, owners]) => ({
      regex: name.endsWith('/') ? `^${name}` : `^${name}($|/)`,
      message: `Only ${owners.join(', ')} may import ${name}.`,
    }));

const nodeBuiltins = {
  regex: '^node:',
  message: 'Pure library: files, processes and sockets come through ports.',
};

const perProject = Object.keys(allowedImports).map((project) => {
  const pure = pureProjects.includes(project);
  return {
    files: [`${folderOf(project)}/src/**/*.ts`],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [...quarantined(project), ...(pure ? [nodeBuiltins] : [])] },
      ],
      ...(pure
        ? {
            'no-restricted-globals': ['error', ...pureGlobals],
            'no-restricted-properties': ['error', ...ambient],
          }
        : project === 'runtime' || project === 'sdk'
          ? {}
          : { 'no-restricted-properties': ['error', ambient[3]] }),
    },
  };
});

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '.svc*/**', '.cache/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          depConstraints: [
            ...Object.entries(allowedImports).map(([project, may]) => ({
              sourceTag: `project:${project}`,
              onlyDependOnLibsWithTags: may.map((name) => `project:${name}`),
            })),
            { sourceTag: 'kind:lab-package', onlyDependOnLibsWithTags: ['project:sdk'] },
          ],
        },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-explicit-any': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'max-lines': ['error', { max: 600 }],
    },
  },
  {
    // Nest resolves constructor parameters from emitted metadata, which a type-only import would erase.
    files: ['apps/gateway/**/*.ts', 'apps/orchestrator/**/*.ts', 'libs/contracts/src/rest/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: ['**/*.test.ts', '**/test/**/*.ts', 'e2e/**/*.ts', 'tools/**/*.ts', 'libs/testkit/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  ...perProject,
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
);
