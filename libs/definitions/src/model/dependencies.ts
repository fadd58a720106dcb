/**
 * The npm packages that a code module does not contain: listed as `svc.external` in the `package.json` of the package,
 * and installed by the agent that runs the module. Each is written `name@version`.
 */

const packageName = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/i;
const exactVersion = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9a-z.-]+)?$/i;
/** Longest name of an npm package. No version is longer either. */
const mostCharacters = 214;

/** True for a valid name of an npm package. */
export function isPackageName(text: string): boolean {
  return text.length <= mostCharacters && packageName.test(text);
}

/** True for one exact version: `12.0.0`, `1.4.0-beta.2`. */
export function isExactVersion(text: string): boolean {
  return text.length <= mostCharacters && exactVersion.test(text);
}

/** The kind of a computer, as far as native parts of npm packages depend on it. */
export interface ComputerKind {
  /** Operating system and processor, such as `linux-x64`; with `-musl` on a Linux without glibc. */
  platform: string;
  /** Version of the binary interface of Node, such as `115`. */
  abi: string;
}

/** The kind of this computer and of the Node that runs. */
export function ownKind(): ComputerKind {
  const { platform, arch, versions } = process;
  return { platform: `${platform}-${arch}${isMusl() ? '-musl' : ''}`, abi: versions.modules };
}

/** Whether this Linux has musl in place of glibc, as Alpine has. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  // Since Node 20.13. The types do not know it yet.
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  // Otherwise the report asks for the names of all connected addresses, and this process stands still until DNS has answered.
  report.excludeNetwork = true;
  try {
    const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } };
    return header?.glibcVersionRuntime === undefined;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

const mark = '// svc:dependencies ';

/** The first line of a module with dependencies, so that its hash covers them. @param sorted `name@version` */
export function dependencyLine(sorted: readonly string[]): string {
  return `${mark}${JSON.stringify(sorted)}`;
}

/**
 * The dependencies in the first line of a module, sorted; empty when it has no such line.
 *
 * @throws Error when the first line declares dependencies in a wrong form
 */
export function dependenciesOf(text: string): string[] {
  if (!text.startsWith(mark)) return [];
  const end = text.indexOf('\n');
  const listed = parsed(text.slice(mark.length, end === -1 ? undefined : end));
  const isList = Array.isArray(listed) && listed.length > 0 && listed.every(isDependency);
  if (!isList) throw new Error('its first line does not name npm packages with exact versions');
  return listed;
}

/** The name and the version of `name@version`. */
export function splitDependency(dependency: string): { name: string; version: string } {
  const at = dependency.lastIndexOf('@');
  return { name: dependency.slice(0, at), version: dependency.slice(at + 1) };
}

function isDependency(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const { name, version } = splitDependency(value);
  return isPackageName(name) && isExactVersion(version);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
