/** The environment of this process, for handing on to children; settings are read with `defineConfig`. */
export function processEnvironment(): Record<string, string | undefined> {
  return { ...process.env };
}

/** Sets variables for what is loaded into this process from here on. */
export function overrideEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}
