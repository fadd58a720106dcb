import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/shared/paths.js';
import { parseYaml } from './yaml.js';

/** What the files of deploy/compose say. */

export const folder = join(root, 'deploy', 'compose');

export interface Service {
  image: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  user?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  networks?: string[];
  stop_grace_period?: string;
  depends_on?: unknown;
}

export interface Compose {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, object>;
}

const parsed = (file: string): Compose => parseYaml(readFileSync(join(folder, file), 'utf8')) as Compose;
export const processes = parsed('compose.yaml');
export const servers = parsed('compose.servers.yaml');
/** Without the one that only adds to a service of the other file. */
export const services = Object.entries({ ...servers.services, ...processes.services });
