import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { allowedImports, labPackageImports, pureProjects, quarantine, rooms } from './tools/boundaries.mjs';

const folderOf = (project) =>
  ['gateway', 'orchestrator', 'agent', 'optimizer', 'cli', 'web'].includes(project)
    ? `apps/${project}`
    : `libs/${project}`;

/** Free to import across projects. */
const testFiles = ['{libs,apps}/*/test/**/*.ts', 'e2e/**/*.ts', 'tools/**/*.ts', '*.config.ts'];

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

/** Rooms of a project, see `rooms` in tools/boundaries.mjs. @param {string} project @param {string} room */
const roomPatterns = (project, room) => {
  const others = Object.keys(rooms[project]).filter((other) => other !== room);
  const may = rooms[project][room];
  const patterns = [
    {
      regex: `^(\\.\\./)+(index|main|${project})\\.js$`,
      message: 'A room does not import what composes it.',
    },
  ];
  for (const other of others) {
    patterns.push(
      may.includes(other)
        ? {
            regex: `^(\\.\\./)+${other}/(?!index\\.js$)`,
            message: `Enter the room ${other} by its door, ${other}/index.js.`,
          }
        : {
            regex: `^(\\.\\./)+${other}/`,
            message: `The room ${room} may not import ${other} (tools/boundaries.mjs).`,
          },
    );
  }
  return patterns;
};

const basePatterns = (project) => [
  ...quarantined(project),
  ...(pureProjects.includes(project) ? [nodeBuiltins] : []),
];

const perRoom = Object.entries(rooms).flatMap(([project, ofProject]) =>
  Object.keys(ofProject).map((room) => ({
    files: [`${folderOf(project)}/src/${room}/**/*.{ts,tsx}`],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [...basePatterns(project), ...roomPatterns(project, room)] },
      ],
    },
  })),
);

const perProject = Object.keys(allowedImports).map((project) => {
  const pure = pureProjects.includes(project);
  return {
    files: [`${folderOf(project)}/src/**/*.{ts,tsx}`],
    rules: {
      'no-restricted-imports': ['error', { patterns: basePatterns(project) }],
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
  // AssemblyScript looks like TypeScript, but has types of its own; the types of the client are made, not written.
  {
    ignores: [
      ...['**/dist/**', '**/node_modules/**', '.nx/**', '.svc*/**', '.cache/**', '**/assembly/**'],
      'libs/api-client/src/generated.ts',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    // No types: oxlint, which reads them with the native compiler, checks the two rules about promises that need them.
    languageOptions: { parserOptions: { experimentalDecorators: true, emitDecoratorMetadata: true } },
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
            {
              sourceTag: 'kind:lab-package',
              onlyDependOnLibsWithTags: labPackageImports.map((name) => `project:${name}`),
            },
          ],
        },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-explicit-any': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'max-lines': ['error', { max: 500 }],
    },
  },
  {
    // Nest resolves constructor parameters from emitted metadata, which a type-only import would erase.
    files: ['apps/gateway/**/*.ts', 'apps/orchestrator/**/*.ts', 'libs/contracts/src/rest/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: testFiles,
    rules: { '@nx/enforce-module-boundaries': 'off', 'max-lines': ['error', { max: 600 }] },
  },
  {
    // Test-only, or an author's code outside a project of its own.
    files: ['libs/testkit/**/*.ts', 'libs/sdk/fixtures/**/*.ts', 'tools/**/packages/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  ...perProject,
  ...perRoom,
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['process', 'console', 'URL', 'fetch', 'Buffer', 'performance', 'TextEncoder', 'AbortSignal'],
          ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
);
