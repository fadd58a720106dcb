import { join } from 'node:path';
import { ServiceError } from '@lab/contracts';
import { formatDiagnostics, loadPackages, type Catalog } from '@lab/definitions';
import type { Config } from './config.js';

/** The packages as they were read at start, reduced to the labs and protocols that the configuration names. */
export class LoadedPackages {
  private constructor(readonly catalog: Catalog) {}

  /**
   * Reads the packages. What is broken is left out and reported; the rest is usable.
   *
   * @param report told of every mistake in the packages, ready to print
   * @throws Error in one sentence when the configuration names a lab or protocol that is unknown or broken
   */
  static async read(config: Config, report: (text: string) => void): Promise<LoadedPackages> {
    const all = await loadPackages({ userDir: config.userDir, cacheDir: join(config.dataDir, 'code') });
    if (all.diagnostics.length > 0) report(formatDiagnostics(all.diagnostics));
    try {
      return new LoadedPackages(all.select(chosen(config)));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const faults = error.faults.map(
        (fault) => `${fault.path}: ${fault.message}${fault.hint ? ` (${fault.hint})` : ''}`,
      );
      throw new Error(
        `the packages in ${config.userDir} cannot be loaded as configured: ${faults.join('; ')}`,
        {
          cause: error,
        },
      );
    }
  }

  /** The text of a code module, as bytes. @throws ServiceError `not_found` */
  async readModule(hash: string): Promise<Buffer> {
    return Buffer.from(await this.catalog.module(hash));
  }
}

function chosen(config: Config): { labs?: readonly string[]; protocols?: readonly string[] } {
  return {
    ...(config.labs === undefined ? {} : { labs: config.labs }),
    ...(config.protocols === undefined ? {} : { protocols: config.protocols }),
  };
}
