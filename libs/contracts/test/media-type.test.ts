import { expect, it } from 'vitest';
import { mediaTypeOf } from '../src/media-type.js';

it.each([
  ['spectrum.csv', 'text/csv'],
  ['IMAGE.PNG', 'image/png'],
  ['scan.tar.gz', 'application/gzip'],
  ['raw', 'application/octet-stream'],
  ['raw.', 'application/octet-stream'],
  ['png', 'application/octet-stream'],
  ['x.constructor', 'application/octet-stream'],
  ['x.__proto__', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('%j has the media type %s', (name, type) => expect(mediaTypeOf(name)).toBe(type));
