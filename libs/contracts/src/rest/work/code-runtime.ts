import { runtimes } from '../../vocabulary.js';
import { choice, object, orNull, text, type TypeOf } from '../fields/field.js';

/** What executed code, as its process said. */
export const codeRuntime = object(
  {
    name: choice(runtimes, 'What executes the code.'),
    version: orNull(
      text('Version of Node or Python, as the process of the code said; null: it did not say.', '3.11.2'),
    ),
    environment: orNull(text('SHA-256 of the lock of the libraries from PyPI; null: the code has none.')),
  },
  'What really executed the code; null: not known.',
);
export type CodeRuntime = TypeOf<typeof codeRuntime>;
