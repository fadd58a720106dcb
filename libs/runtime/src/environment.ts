/** The environment of this process, to pass on to children. Read settings with `defineConfig`. */
export function processEnvironment(): Record<string, string | undefined> {
  return { ...process.env };
}

/** Sets variables for code that is loaded into this process later. */
export function overrideEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}
