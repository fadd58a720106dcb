/**
 * Makes a clone ready: dependencies, the broker, the build. Prints one line for each thing it does, nothing when there is
 * nothing to do; ends the process with 1 and one sentence when it cannot go on.
 *
 * @param {{dev: boolean}} options whether to install what only tests, tools and the check of packages need
 */
export async function prepare({ dev }) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Node 20.19 or newer is needed (24 recommended); this is ${process.versions.node}.`);
    process.exit(1);
  }

  // A Node that is too old may not understand these files.
  const { installDependencies, linkDatabaseLibraries } = await import('./dependencies.mjs');
  const { provideNatsServer } = await import('./nats-server.mjs');
  const { build } = await import('./build.mjs');

  try {
    await installDependencies({ dev });
    await linkDatabaseLibraries();
    await Promise.all([provideNatsServer(), build()]);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}
