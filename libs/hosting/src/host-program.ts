/** How a program that speaks the protocol of hosts is started. */
export interface HostProgram {
  program: string;
  args: readonly string[];
  /** What its environment has beside that of author code. */
  env?: Readonly<Record<string, string>>;
}

/**
 * A host in JavaScript, executed by the Node of this process.
 *
 * @param path absolute
 * @param options of Node
 * @param given what the host gets in `process.argv`
 */
export function nodeHost(
  path: string,
  { options = [], given = [] }: { options?: readonly string[]; given?: readonly string[] } = {},
): HostProgram {
  return { program: process.execPath, args: [...options, path, ...given] };
}

/**
 * A host in Python. It neither reads the variables `PYTHON...` nor the modules of the home of its user (`-I`), and its text is
 * UTF-8 on every system.
 *
 * @param interpreter absolute path
 * @param path absolute
 * @param given what the host gets in `sys.argv`
 */
export function pythonHost(interpreter: string, path: string, given: readonly string[] = []): HostProgram {
  return { program: interpreter, args: ['-I', '-X', 'utf8', path, ...given] };
}
