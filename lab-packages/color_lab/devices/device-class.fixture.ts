import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * The class of a device type, for tests. Standard decorators need lowering, as the service does it when it loads a package.
 *
 * @param type name of the folder of the device type
 */
export async function deviceClass<Device>(type: string): Promise<new () => Device> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`${type}/device.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@lab/source'],
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const module = (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as {
    default: new () => Device;
  };
  return module.default;
}
