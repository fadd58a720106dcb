import * as yaml from 'js-yaml';

/** The only document of a text. Files of compose and Kubernetes may merge mappings with `<<`. */
export const parseYaml = (text: string): unknown => yaml.load(text, { schema: yaml.YAML11_SCHEMA });

/** The documents of a text. */
export const parseAll = (text: string): unknown[] =>
  yaml.loadAll(text, { schema: yaml.YAML11_SCHEMA }) as unknown[];
