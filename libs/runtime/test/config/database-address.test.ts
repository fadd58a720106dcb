import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { faultOfDatabaseAddress } from '../../src/config/database-address.js';

const file = fileURLToPath(import.meta.url);

describe('the address of a database', () => {
  it.each([
    'postgresql://user:secret@127.0.0.1:5432/lab',
    'postgres://user@localhost/lab',
    'postgresql://user@[::1]:5432/lab',
    'postgresql://user@%2Fvar%2Frun/lab',
    'postgresql:///lab?host=/var/run/postgresql',
    'postgresql://user@db.example.org/lab?sslmode=disable',
    'postgresql://user@10.1.2.3/lab?sslmode=verify-full',
    `postgresql://user@10.1.2.3/lab?sslmode=verify-full&sslrootcert=${file}`,
  ])('may be %s', (text) => {
    expect(faultOfDatabaseAddress(text)).toBeUndefined();
  });

  it.each([
    ['mysql://127.0.0.1/lab', /must look like postgresql:/],
    ['127.0.0.1:5432', /must look like postgresql:/],
    [
      'postgresql://u:secret@db.example.org/lab',
      /names another computer, .*sslmode=verify-full.*sslmode=disable/,
    ],
    ['postgresql://u:secret@10.1.2.3/lab', /names another computer/],
    ['postgresql://u:secret@127.0.0.1/lab?host=db.example.org', /names another computer/],
    ['postgresql://u:secret@127.0.0.1/lab?host=127.0.0.1&host=db.example.org', /names another computer/],
    ['postgresql://u:secret@127.0.0.1.example.org/lab', /names another computer/],
    ['postgresql://u:secret@db.example.org/lab?sslmode=require', /must have sslmode=verify-full/],
    ['postgresql://u:secret@db.example.org/lab?sslmode=no-verify', /must have sslmode=verify-full/],
    [
      'postgresql://u:secret@db.example.org/lab?sslmode=verify-full&sslmode=disable',
      /must have sslmode=verify-full/,
    ],
    ['postgresql://u:secret@db.example.org/lab?sslmode=verify-full&ssl=0', /must not have the parameter ssl/],
    [
      'postgresql://u:secret@db.example.org/lab?sslmode=disable&sslrootcert=x',
      /also give sslmode=verify-full/,
    ],
    [
      'postgresql://u:secret@db.example.org/lab?sslmode=verify-full&sslrootcert=no/file.pem',
      /no file that this process can read/,
    ],
  ])('is refused as %s', (text, reason) => {
    const fault = faultOfDatabaseAddress(text);
    expect(fault).toMatch(reason);
    expect(fault).not.toContain('secret');
  });
});
