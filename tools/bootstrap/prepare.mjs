/**
 * Makes a clone ready: dependencies, the broker, the build. Prints one line for each thing it does, nothing when there is
 * nothing to do; ends the process with 1, and a sentence for each problem, when it cannot go on.
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

  const provideProgram = async () => {
    await installDependencies({ dev });
    await linkDatabaseLibraries();
    await build();
  };
  // The broker comes over the network while npm works. If one fails, the other is not left half done.
  const results = await Promise.allSettled([provideNatsServer(), provideProgram()]);
  const problems = results.flatMap(({ status, reason }) => (status === 'rejected' ? [reason] : []));
  for (const problem of problems) console.error(problem instanceof Error ? problem.message : String(problem));
  if (problems.length > 0) process.exit(1);
}
