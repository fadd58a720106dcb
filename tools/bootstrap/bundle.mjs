import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './command.mjs';

const services = ['agent', 'gateway', 'optimizer', 'orchestrator'];

/** Programs of a service beside `main.js`, in the same bundle. */
const otherPrograms = { agent: ['svc-agent.js'] };

const distOf = (service) => join(root, 'apps', service, 'dist');

/** Whether `svc` and every service that it starts run from their bundles. The command line must be compiled. */
export async function areBundlesCurrent() {
  const { quickest } = await import(pathToFileURL(join(distOf('cli'), 'stack', 'quickest.js')).href);
  return ['cli', ...services].every(
    (program) =>
      quickest(join(distOf(program), 'main.js'), root) === join(distOf(program), 'bundle', 'main.js'),
  );
}

/**
 * Puts the compiled program of each service and the command line, with the libraries they import, into a few files below
 * `apps/<name>/dist/bundle`. Node opens up to 2,900 files for a service otherwise, which takes half of its start. The
 * programs that the agent starts for devices and tasks go into the folder `hosts` of its bundle. Those in Python go there as they
 * are, and into that of the optimizer worker.
 *
 * @throws Error with the errors of esbuild
 */
export async function bundlePrograms() {
  const esbuild = await import('esbuild');
  await Promise.all(
    services.map((service) =>
      bundle(esbuild, {
        entryPoints: ['main.js', ...(otherPrograms[service] ?? [])].map((name) =>
          join(distOf(service), name),
        ),
        outdir: join(distOf(service), 'bundle'),
        keepNames: true,
        banner: { js: `import 'reflect-metadata';${preamble}` },
      }),
    ),
  );
  await bundle(esbuild, {
    entryPoints: [join(distOf('cli'), 'main.js')],
    outdir: join(distOf('cli'), 'bundle'),
    banner: { js: preamble },
    // TypeScript is as large as all the rest, and only `svc pkg` reads it. A bundle has no names of a CommonJS library that is
    // imported at run time, as undici is.
    external: ['typescript', 'undici'],
    plugins: [requireTypescript],
  });
  const compiled = join(root, 'libs', 'sdk', 'dist', 'hosts');
  await bundle(esbuild, {
    entryPoints: [join(compiled, 'device-host.js'), join(compiled, 'task-host.js')],
    outdir: join(distOf('agent'), 'bundle', 'hosts'),
  });
  for (const service of ['agent', 'optimizer'])
    await cp(join(root, 'libs', 'python-host', 'src'), join(distOf(service), 'bundle', 'hosts', 'python'), {
      recursive: true,
      filter: (path) => basename(path) !== '__pycache__',
    });
}

/** What each file begins with. It gives decorators their metadata, and libraries in CommonJS their `require`. */
const preamble = `
import { createRequire as __createRequire } from 'node:module';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __nameClass = (target, value) => Object.defineProperty(target, 'name', { value, configurable: true });
const __place = (path) => new URL(path, import.meta.url).href;
`;

async function bundle({ build, transform }, { outdir, external = [], plugins = [], ...program }) {
  const { outputFiles, metafile } = await build({
    ...program,
    write: false,
    metafile: true,
    absWorkingDir: root,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // As in Node: every module that is imported is evaluated, whatever its package promises about side effects.
    ignoreAnnotations: true,
    legalComments: 'none',
    logLevel: 'silent',
    // Decorators of all chunks need it, and esbuild does not keep the order of modules in different chunks.
    external: ['reflect-metadata', ...external],
    plugins: [leaveOutMissing, onlyEnglish, rewrite(outdir, transform), ...plugins],
  });
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir);
  await Promise.all(outputFiles.map(({ path, text }) => writeFile(path, nameOnlyClasses(text))));
  await writeFile(join(outdir, contentsFile), JSON.stringify(packagesIn(metafile)));
}

/** In the folder of a bundle: the folders of the npm packages whose code is in it, relative to the root. */
export const contentsFile = 'npm-packages.json';

function packagesIn({ inputs }) {
  const folders = Object.keys(inputs).map(
    (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1],
  );
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

/**
 * The names of classes are part of the OpenAPI document, so `keepNames` must restore those that esbuild changes. It also
 * names every function anew each time one is made, which would slow every request.
 */
function nameOnlyClasses(text) {
  return text
    .replace(/var __name = \(target, value\) => __defProp\(.*\);/, 'var __name = (target) => target;')
    .replaceAll(/static \{\s*__name\(this, ("[^"]*")\);\s*\}/g, 'static { __nameClass(this, $1); }');
}

/** A library may import what need not be installed, and catches the error. */
const leaveOutMissing = {
  name: 'leave-out-missing',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === leaveOutMissing || !importer.includes('node_modules')) return undefined;
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: leaveOutMissing });
      return found.errors.length === 0 ? found : { path, external: true };
    });
  },
};

/** `require` loads TypeScript in a quarter of the time of `import`, which reads its 9 MB once more to find the names it exports. */
const requireTypescript = {
  name: 'require-typescript',
  setup({ onResolve, onLoad }) {
    const namespace = 'required';
    onResolve({ filter: /^typescript$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace } : undefined,
    );
    onLoad({ filter: /^typescript$/, namespace }, () => ({
      contents: "export default require('typescript');",
    }));
  },
};

/** Zod gathers its messages in 50 languages, as much text as the rest of it. Its default is English, and no program takes another. */
const onlyEnglish = {
  name: 'only-english',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
  },
};

/**
 * A module finds files and packages from its own place, not from that of the bundle. Comments beyond ASCII go, because V8
 * keeps a source with one such letter in two bytes per letter.
 */
const rewrite = (outdir, transform) => ({
  name: 'rewrite',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const isAscii = /^\p{ASCII}*$/u.test(source);
      const text = isAscii ? source : (await transform(source, { minifyWhitespace: true })).code;
      const place = (target) => `__place(${JSON.stringify(relative(outdir, target))})`;
      const declares = /\b(const|let|var) __(file|dir)name\b/.test(text);
      const placed = text.replaceAll('import.meta.url', place(path));
      const contents = declares
        ? placed
        : placed
            .replaceAll(/\b__filename\b/g, `__pathOf(${place(path)})`)
            .replaceAll(/\b__dirname\b/g, `__pathOf(${place(dirname(path))})`);
      return { contents, resolveDir: dirname(path) };
    });
  },
});
