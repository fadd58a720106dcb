/**
 * Makes a clone ready to run the service. With `--dev` also to test and change it, and to check packages.
 */
import { prepare } from './bootstrap/prepare.mjs';

await prepare({ dev: process.argv.includes('--dev') });
