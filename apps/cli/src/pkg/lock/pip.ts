import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askPython, hasRecentPip, Python, runProgram, toolReason, type ProgramEnd } from '@lab/hosting';
import { processEnvironment } from '@lab/runtime';
import { pipOptions, targetText, type LockTarget } from './targets.js';

/** Longest run of pip, in milliseconds. */
const pipMs = 1_800_000;
/** Longest other question, in milliseconds. uv may fetch a Python for it. */
const askMs = 300_000;

/** Prints the requirements of wheels, by the names of their files. */
const requirementsOfWheels = `
import email.parser, json, sys, zipfile
found = {}
for path in sys.argv[1:]:
    with zipfile.ZipFile(path) as wheel:
        name = next(each for each in wheel.namelist() if each.endswith(".dist-info/METADATA") and each.count("/") == 1)
        metadata = email.parser.Parser().parsestr(wheel.read(name).decode("utf-8"))
    found[path] = metadata.get_all("Requires-Dist") or []
print(json.dumps(found))
`;

/** A Python with pip on this computer. It takes wheels from where pip is configured to take them. */
export class Pip {
  private constructor(
    private readonly command: readonly [string, ...string[]],
    /** Version of its Python, such as `3.11`. */
    readonly python: string,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws Error in one sentence when this computer has neither Python with pip nor uv */
  static async find(signal: AbortSignal): Promise<Pip> {
    const python = new Python();
    const found = await python.find();
    const kind = 'program' in found ? await askPython(python.program) : undefined;
    if (kind !== undefined && hasRecentPip(kind))
      return new Pip([python.program, '-I'], minorOf(kind.version), signal);
    const uv = ['uv', 'run', '--no-project', '--with', 'pip', 'python', '-I'] as const;
    const pip = new Pip(uv, '', signal);
    const end = await pip.#run(['-c', 'import platform; print(platform.python_version())'], askMs);
    if (end.ok) return new Pip(uv, minorOf(lastLine(end.output)), signal);
    const own = kind?.pip ?? null;
    const pipText = own === null ? 'no pip' : `pip ${own}`;
    const without = 'program' in found ? `${python.program} has ${pipText}` : found.why;
    throw new Error(
      `svc pkg lock needs Python 3.9 or later with pip 22.3 or later, or uv (${without}, and ${end.reason ?? toolReason(end)}): install one of them, for example with "apt install python3-pip"`,
    );
  }

  /**
   * Downloads the wheels of requirements and of all that they need.
   *
   * @param constraints requirements that hold for libraries that are needed anyway
   * @param into an empty folder
   * @returns the names of the files
   * @throws Error in one sentence when a library has no wheel for the target, or the requirements cannot be met
   */
  async download(
    target: LockTarget,
    {
      requirements,
      constraints = [],
      options = [],
    }: { requirements: string[]; constraints?: string[]; options?: string[] },
    into: string,
  ): Promise<string[]> {
    const lists = mkdtempSync(join(tmpdir(), 'svc-lock-'));
    try {
      const list = (name: string, lines: readonly string[]): string => {
        writeFileSync(join(lists, name), lines.map((line) => `${line}\n`).join(''));
        return join(lists, name);
      };
      const given = [
        '-r',
        list('requirements.txt', requirements),
        '-c',
        list('constraints.txt', constraints),
      ];
      const quiet = ['--quiet', '--no-input', '--disable-pip-version-check'];
      const end = await this.#run(
        ['-m', 'pip', 'download', ...pipOptions(target), ...options, ...quiet, '--dest', into, ...given],
        pipMs,
      );
      if (!end.ok) throw new Error(`pip failed for ${targetText(target)}: ${toolReason(end)}`);
      return readdirSync(into);
    } finally {
      rmSync(lists, { recursive: true, force: true });
    }
  }

  /** What wheels require, by their paths. @throws Error in one sentence when one of them is no wheel */
  async requirementsOf(paths: readonly string[]): Promise<Map<string, string[]>> {
    const [program, ...first] = this.command;
    const child = spawn(program, [...first, '-c', requirementsOfWheels, ...paths], {
      ...{ env: processEnvironment(), windowsHide: true, signal: this.signal },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error('the metadata of a wheel cannot be read');
    return new Map(Object.entries(JSON.parse(printed) as Record<string, string[]>));
  }

  #run(args: readonly string[], timeoutMs: number): Promise<ProgramEnd> {
    const [program, ...first] = this.command;
    const launch = { program, args: [...first, ...args], env: processEnvironment() };
    return runProgram(launch, { name: program, cwd: tmpdir(), timeoutMs, signal: this.signal });
  }
}

const minorOf = (version: string): string => version.split('.').slice(0, 2).join('.');
const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
