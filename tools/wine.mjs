/**
 * Gets Wine, which the test of the package for Windows needs: the packages of Debian for 64 bits, unpacked into .cache/wine
 * without root and without installing anything, and a Windows in .cache/wine/prefix. It takes 1.4 GB. Ends with 1 and says why
 * when that cannot be.
 */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { run, tail, tell } from './bootstrap/command.mjs';
import { cache, unpackDebian } from './bootstrap/debian.mjs';

const target = join(cache, 'wine');
const library = join('usr', 'lib', 'x86_64-linux-gnu');
/** The library of Debian's package for Windows programs that Wine needs and does not find outside of `/usr`. */
const zlib = join('usr', 'x86_64-w64-mingw32', 'lib', 'zlib1.dll');

if (!existsSync(target)) {
  tell('fetching Wine for the tests (Debian packages, unpacked into .cache), about a minute');
  const problem =
    process.platform === 'linux' && process.arch === 'x64'
      ? await unpackDebian({ timeoutMs: 400_000, timeoutS: 10, fetch, use })
      : 'it runs only on Linux with a processor of the x64 kind';
  if (problem !== undefined) {
    console.error(`no Wine to test with: ${problem}`);
    process.exit(1);
  }
}

async function fetch(apt) {
  const update = await apt(['update']);
  if (!update.ok) return `apt-get update failed (${tail(update.output, 1)})`;
  const plan = await apt(['install', '--simulate', '--no-install-recommends', 'wine64']);
  if (!plan.ok) return `wine64 is not available (${tail(plan.output, 1)})`;
  const lacking = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  // Where Wine is installed, its own packages do not lack.
  const wanted = new Set(['wine64', 'libwine', 'libz-mingw-w64', ...lacking]);
  const download = await apt(['download', ...wanted]);
  return download.ok ? undefined : `its packages cannot be fetched (${tail(download.output, 1)})`;
}

async function use(unpacked) {
  const at = (...parts) => join(unpacked, ...parts);
  // The script looks for the server only in places of the system.
  rmSync(at('usr', 'lib', 'wine', 'wineserver'));
  symlinkSync('wineserver64', at('usr', 'lib', 'wine', 'wineserver'));
  // The tests run programs of 64 bits.
  rmSync(at(library, 'wine', 'i386-windows'), { recursive: true, force: true });
  const dll = at(library, 'wine', 'x86_64-windows', 'zlib1.dll');
  rmSync(dll, { force: true });
  copyFileSync(at(zlib), dll);
  const prefix = at('prefix');
  const system = join(prefix, 'drive_c', 'windows', 'system32');
  mkdirSync(system, { recursive: true });
  copyFileSync(at(zlib), join(system, 'zlib1.dll'));
  const env = {
    ...process.env,
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    // The parts for .NET and web pages would be fetched.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    DISPLAY: '',
    LD_LIBRARY_PATH: [at(library), at(library, 'pulseaudio')].join(':'),
  };
  const wine = (...args) => run(at('usr', 'lib', 'wine', 'wine64'), args, { env, timeoutMs: 120_000 });
  const boot = await wine('wineboot', '--init');
  if (!boot.ok) return `it makes no Windows here (${tail(boot.output, 2)})`;
  // Node refuses the Windows that is usual for Wine.
  const version = await wine('reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f');
  if (!version.ok) return `its Windows cannot be set to version 10 (${tail(version.output, 2)})`;
  await run(at('usr', 'lib', 'wine', 'wineserver64'), ['-k', '-w'], { env, timeoutMs: 30_000 });
  renameSync(unpacked, target);
  return undefined;
}
