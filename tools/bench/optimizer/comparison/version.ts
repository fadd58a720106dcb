import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTools, root } from '../../../shared/paths.js';
import type { peerNames } from '../../peers/optimizers/process.js';

/** Versions of the code of methods. Campaigns of another version are played again. */

/** What decides the proposals of a peer. */
interface Parts {
  /** Its file of the driver. */
  driver: string;
  /** Its wrapper in `svc_lab.optimizers`. */
  wrapper?: string;
  /** Locked packages. */
  packages: readonly string[];
}

const models = ['botorch', 'gpytorch', 'linear-operator', 'torch', 'scipy'];
const partsOf: Record<(typeof peerNames)[number], Parts> = {
  botorch: { driver: 'botorch_method.py', packages: models },
  ax: { driver: 'ax_method.py', wrapper: 'ax_platform.py', packages: ['ax-platform', ...models] },
  bofire: { driver: 'bofire_method.py', wrapper: 'bofire_strategy.py', packages: ['bofire', ...models] },
  optuna: { driver: 'optuna_method.py', wrapper: 'optuna_study.py', packages: ['optuna'] },
  optuna_gp: {
    driver: 'optuna_method.py',
    wrapper: 'optuna_study.py',
    packages: ['optuna', 'torch', 'scipy'],
  },
  skopt: {
    driver: 'skopt_method.py',
    wrapper: 'scikit_optimize.py',
    packages: ['scikit-optimize', 'scikit-learn', 'scipy'],
  },
};

const digestOf = (paths: readonly string[], length: number): string => {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, length);
};

/**
 * The version of a peer: the locked versions of its packages, and a digest of the code between them and the comparison.
 *
 * @param lock the text of `requirements.txt`
 */
export function versionOfPeer(peer: keyof typeof partsOf, lock: string): string {
  const { driver, wrapper, packages } = partsOf[peer];
  const locked = packages.map((name) => {
    const [, version] = new RegExp(`^${name}==([^ \\n]+)`, 'm').exec(lock) ?? [];
    if (version === undefined) throw new Error(`the lock of the optimizers has no version of ${name}`);
    return `${name} ${version}`;
  });
  const own = (name: string): string => inTools(`bench/peers/optimizers/${name}`);
  const host = (name: string): string => join(root, 'libs', 'python-host', 'src', 'svc_lab', name);
  const wrapped = (wrapper?: string): string[] =>
    wrapper === undefined
      ? []
      : [
          own('wrapped.py'),
          ...['domain.py', 'optimizers/domain_optimizer.py', 'optimizers/free_inputs.py'].map(host),
          host(`optimizers/${wrapper}`),
        ];
  return `${locked.join(', ')}, ${digestOf([own(driver), ...wrapped(wrapper)], 8)}`;
}

function versionOfOurs(): string {
  const folder = join(root, 'libs', 'optimization', 'dist');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return digestOf(
    files.filter((name) => /\.(js|wasm)$/.test(name)).map((name) => join(folder, name)),
    12,
  );
}

/** @param label takes the place of the digest of the compiled code of ours */
export function versionOf(method: string, label?: string): string {
  if (method === 'random') return '1';
  if (method === 'ours') return label ?? versionOfOurs();
  const lock = readFileSync(inTools('bench/peers/optimizers/requirements.txt'), 'utf8');
  return versionOfPeer(method as keyof typeof partsOf, lock);
}
