/**
 * Makes a clone ready to run: dependencies, the broker, the build. Prints one line for each thing it does, nothing when
 * there is nothing to do; ends with 1 and one sentence when it cannot go on. With `--no-check` the build leaves out the
 * check of types.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node 20.19 or newer is needed (24 recommended); this is ${process.versions.node}.`);
  process.exit(1);
}

const { installDependencies, linkDatabaseLibraries } = await import('./bootstrap/dependencies.mjs');
const { provideNatsServer } = await import('./bootstrap/nats-server.mjs');
const { build } = await import('./bootstrap/build.mjs');

try {
  await installDependencies();
  await linkDatabaseLibraries();
  await Promise.all([provideNatsServer(), build({ check: !process.argv.includes('--no-check') })]);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
