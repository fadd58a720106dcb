import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatDiagnostics } from '@lab/definitions/documents';
import { defineConfig, settings } from '@lab/runtime';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import type { CheckReport } from '../../pkg/check.js';
import { deviceKinds } from '../../pkg/kinds/index.js';
import type { PartKind, PartOptions, Scaffolded } from '../../pkg/scaffold.js';
import { placeOf, configuredUserDir, relativeTo, type Place } from '../../pkg/place.js';
import { userError } from '../user-error.js';
import { addDeployCommands } from './deploy.js';

interface AddFlags extends PartOptions {
  dir?: string;
}

/** `svc pkg`: commands for authors of packages. The compiler is loaded only when one of them runs. */
export function addPkgCommands(program: Command): void {
  const pkg = program.command('pkg').description('check and extend lab packages');
  pkg
    .command('check')
    .description('report every error in packages; the exit code is 1 when there is one')
    .argument('[path...]', 'folders of packages, or packages (SVC_USER_DIR, default lab-packages)')
    .option('--json', 'print the list as JSON')
    .action((paths: string[], flags: { json?: boolean }) =>
      reported(() => check(paths, flags.json ?? false)),
    );
  addSigningCommands(pkg);
  addVendorCommand(pkg);
  addLockCommand(pkg);
  addDeployCommands(pkg);
  pkg
    .command('types')
    .description('write svc-types.d.ts: the handles, parameters and resources of each task type')
    .argument('[path]', 'a folder of packages, or a package (SVC_USER_DIR, default lab-packages)')
    .action((path?: string) => reported(() => types(path)));
  pkg
    .command('create')
    .description('create a package: a folder with package.json and tsconfig.json, or with pyproject.toml')
    .argument('<name>', 'letters, digits and underscores')
    .option('--python', 'the code of the package is written in Python')
    .option('--dir <folder>', 'folder of packages (SVC_USER_DIR, default lab-packages)')
    .action((name: string, flags: { dir?: string; python?: boolean }) =>
      reported(async () => {
        const { createPackage } = await import('../../pkg/scaffold.js');
        tell(await createPackage(userDirOf(flags.dir), name, flags.python));
      }),
    );
  pkg
    .command('add')
    .description('add a definition with its code to a package')
    .addArgument(
      new Argument('<kind>', 'what to add').choices(['lab', 'device', 'task', 'protocol', 'optimizer']),
    )
    .argument('<package>', 'name of the package')
    .argument('<name>', 'letters, digits and underscores; unique in its kind; of an optimizer: its protocol')
    .option('--device <type>', 'device type that a new task uses (default: the first one of the package)')
    .option('--no-device', 'a new task uses no device')
    .option(
      '--python',
      'a new device, task or optimizer is in Python (default: if the package has only pyproject.toml)',
    )
    .addOption(
      new Option(
        '--framework <framework>',
        'a new device is driven by a framework in Python: its functions are those of the driver',
      ).choices(['ophyd', 'pylabrobot', 'pymeasure', 'qcodes', 'visa']),
    )
    .addOption(
      new Option('--kind <kind>', 'a new device is an instrument of this kind, configured in YAML').choices(
        deviceKinds.map((each) => each.name),
      ),
    )
    .option(
      '--set <name=value>',
      'with --kind: an init parameter of the new device in lab.yml; may be repeated',
      parameterOf,
    )
    .option('--dir <folder>', 'folder of packages (SVC_USER_DIR, default lab-packages)')
    .action((kind: PartKind, packageName: string, name: string, { dir, ...options }: AddFlags) =>
      reported(async () => {
        const { addPart } = await import('../../pkg/scaffold.js');
        tell(await addPart(userDirOf(dir), kind, packageName, name, options));
      }),
    );
}

/** Adds one `--set` to those before. @throws InvalidArgumentError */
function parameterOf(given: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([a-z_]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('write name=value, as in address=192.168.7.20:50052');
  return { ...before, [name]: value };
}

/** The command for npm packages of computers without a registry. */
function addVendorCommand(pkg: Command): void {
  pkg
    .command('vendor')
    .description(
      'pack the npm packages of svc.external for computers like this one that have no npm registry',
    )
    .argument('<package>', 'a package, by its folder or name')
    .action((path: string) =>
      reported(async () => {
        const { vendorPackage } = await import('../../pkg/vendor.js');
        const stopping = new AbortController();
        const stop = (): void => stopping.abort();
        process.once('SIGINT', stop);
        try {
          for (const { dependencies, file, size } of await vendorPackage(placeOf(path), stopping.signal))
            process.stdout.write(
              `packed ${dependencies.join(', ')}: wrote ${file}, ${(size / 1024 ** 2).toFixed(1)} MiB\n`,
            );
        } finally {
          process.off('SIGINT', stop);
        }
      }),
    );
}

/** The command for libraries of code in Python. */
function addLockCommand(pkg: Command): void {
  const several = (value: string, before: string[]): string[] => [...before, value];
  pkg
    .command('lock')
    .description('lock the libraries of pyproject.toml: write pylock.toml, and put their wheels into wheels')
    .argument('<package>', 'a package, by its folder or name')
    .option('--platform <platform>', 'such as linux-x64 or win32-x64; may be repeated', several, [])
    .option('--python <version>', 'such as 3.11; may be repeated', several, [])
    .option('--upgrade', 'take the newest versions, also of libraries that are locked')
    .option('--wheels', 'fetch the wheels of the lock, and change no version')
    .action((path: string, flags: LockFlags) =>
      reported(async () => {
        const { lockPackage } = await import('../../pkg/lock/lock-package.js');
        const stopping = new AbortController();
        const stop = (): void => stopping.abort();
        process.once('SIGINT', stop);
        try {
          const place = placeOf(path);
          const { platform: platforms, python: pythons, ...wishes } = flags;
          const locked = await lockPackage(place, { platforms, pythons, ...wishes }, stopping.signal);
          const folder = relativeTo(process.cwd(), place.packageDir ?? place.userDir);
          const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
          if (locked === null) {
            process.stdout.write(`there are no dependencies: removed ${at('pylock.toml')} and its wheels\n`);
            return;
          }
          const { libraries, targets, wheels, bytes } = locked;
          const size = `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
          process.stdout.write(
            `locked ${libraries} ${libraries === 1 ? 'library' : 'libraries'} for ${targets.join(', ')}: ` +
              `wrote ${at('pylock.toml')}, and ${count(wheels, 'wheel')} (${size}) in ${at('wheels')}\n`,
          );
        } finally {
          process.off('SIGINT', stop);
        }
      }),
    );
}

interface LockFlags {
  platform: string[];
  python: string[];
  upgrade?: boolean;
  wheels?: boolean;
}

/** Commands for the code key of a lab. */
function addSigningCommands(pkg: Command): void {
  const key = pkg.command('key').description('the code key of a lab, kept off the computer of the service');
  const told = (publicKey: string): void =>
    void process.stdout.write(`public key ${publicKey}\nfor SVC_CODE_KEY, and svc agent invite --code-key\n`);
  key
    .command('new')
    .description('make a code key: write its private part to a file that only you can read')
    .argument('<file>', 'a new file')
    .action((file: string) =>
      reported(async () => {
        const { makeCodeKey } = await import('../../pkg/signing.js');
        told(makeCodeKey(file));
      }),
    );
  key
    .command('show')
    .description('print the public part of a code key')
    .argument('<file>', 'the file of svc pkg key new')
    .action((file: string) =>
      reported(async () => {
        const { readCodeKey } = await import('../../pkg/signing.js');
        told(readCodeKey(file).publicKey);
      }),
    );
  pkg
    .command('sign')
    .description('sign the code of a package as it is now: write code-manifest.json')
    .argument('<package>', 'a package, by its folder or name')
    .requiredOption('--key <file>', 'the file of svc pkg key new')
    .action((path: string, flags: { key: string }) =>
      reported(async () => {
        const { readCodeKey, signPackage } = await import('../../pkg/signing.js');
        const signed = await signPackage(placeOf(path), readCodeKey(flags.key), Date.now());
        const modules = count(signed.modules, 'module');
        process.stdout.write(
          `signed ${modules} of ${signed.package}: wrote ${relativeTo(process.cwd(), signed.file)}\n`,
        );
      }),
    );
}

async function check(paths: string[], json: boolean): Promise<void> {
  const { checkPackages } = await import('../../pkg/check.js');
  const reports: CheckReport[] = [];
  const { codeKey } = defineConfig({ codeKey: settings.codeKey }).load();
  for (const place of placesOf(paths)) reports.push(await checkPackages(place, codeKey));
  const total = (key: 'packages' | 'definitions' | 'sources'): number =>
    reports.reduce((sum, report) => sum + report[key], 0);
  if (reports.some(({ errors }) => errors.length > 0)) process.exitCode = 1;
  if (json) {
    const list = reports.flatMap(({ errors, warnings }) => [
      ...errors.map((each) => ({ severity: 'error', ...each })),
      ...warnings.map((each) => ({ severity: 'warning', ...each })),
    ]);
    process.stdout.write(`${JSON.stringify(list, null, 2)}\n`);
    return;
  }
  for (const { userDir, errors, warnings } of reports) {
    if (warnings.length > 0)
      process.stdout.write(`${formatDiagnostics(warnings, { userDir, severity: 'warning' })}\n\n`);
    if (errors.length > 0) process.stdout.write(`${formatDiagnostics(errors, { userDir })}\n`);
  }
  if (process.exitCode !== 1) {
    const counts = [
      count(total('packages'), 'package'),
      count(total('definitions'), 'definition'),
      count(total('sources'), 'source file'),
    ];
    process.stdout.write(`no errors in ${counts.join(', ')}\n`);
  }
}

async function types(path: string | undefined): Promise<void> {
  const { packageFolders, readCatalog } = await import('../../pkg/check.js');
  const { linkProduct } = await import('../../pkg/editor-links.js');
  const { packageTypes, typesFile } = await import('../../pkg/package-types.js');
  const [place] = placesOf(path === undefined ? [] : [path]);
  if (place === undefined) return;
  const { userDir, packageDir } = place;
  const catalog = await readCatalog(userDir);
  for (const [name, folder] of packageFolders(catalog)) {
    const root = join(userDir, folder);
    if (packageDir !== null && root !== packageDir) continue;
    const file = join(root, typesFile);
    writeFileSync(file, packageTypes(catalog, name, folder));
    process.stdout.write(`wrote ${relativeTo(process.cwd(), file)}\n`);
    const linked = linkProduct(root);
    if (linked.length > 0) {
      process.stdout.write(
        `linked ${linked.join(', ')} in ${relativeTo(process.cwd(), root)}/node_modules\n`,
      );
    }
  }
}

function userDirOf(dir: string | undefined): string {
  return dir === undefined ? configuredUserDir() : resolve(dir);
}

function tell({ written, changed, note }: Scaffolded): void {
  for (const file of written) process.stdout.write(`wrote ${relativeTo(process.cwd(), file)}\n`);
  for (const { file, what } of changed) {
    process.stdout.write(`added ${what} to ${relativeTo(process.cwd(), file)}\n`);
  }
  if (note !== undefined) process.stdout.write(`${note}\n`);
}

function placesOf(paths: string[]): Place[] {
  return paths.length === 0 ? [{ userDir: configuredUserDir(), packageDir: null }] : paths.map(placeOf);
}

async function reported(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = 1;
  }
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
