import { hostname } from 'node:os';
import { ServiceError } from '@lab/contracts';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { isoTime } from '../../src/connection/open-database.js';
import { databaseError, nameDatabase } from '../../src/connection/database-errors.js';

function refusal(code: string, severity = 'ERROR'): pg.DatabaseError {
  const error = new pg.DatabaseError('duplicate key (name)=(secret sample)', 10, 'error');
  return Object.assign(error, { code, severity });
}

describe('times of the database', () => {
  test.each([
    ['2026-11-21 02:55:33.12+00', '2026-11-21T02:55:33.120Z'],
    ['2026-11-21 02:55:33+00', '2026-11-21T02:55:33.000Z'],
    ['2026-11-21T02:55:33.001+00:00', '2026-11-21T02:55:33.001Z'],
    ['1970-01-01 00:00:00.007+00', '1970-01-01T00:00:00.007Z'],
    ['2026-11-21 02:55:33.999999+00', '2026-11-21T02:55:33.999Z'],
    ['0033-04-03 15:00:00+00', '0033-04-03T15:00:00.000Z'],
    ['2026-11-21T02:55:33.5Z', '2026-11-21T02:55:33.500Z'],
    ['2026-11-21T02:55:33.5+02:00', '2026-11-21T00:55:33.500Z'],
  ])('%s is %s', (text, iso) => {
    expect(isoTime(text)).toBe(iso);
  });
});

describe('an error of the database', () => {
  test.each(['57014', '55P03', '53300', '40001', '42P01', '42883', '08006'])(
    'that may pass (%s) is store_unavailable without effect',
    (code) => {
      expect(databaseError(refusal(code))).toMatchObject({
        code: 'store_unavailable',
        effect: 'none',
        retryable: true,
      });
    },
  );

  test.each(['22P02', '23514', '42601'])('that is a defect (%s) is internal, without effect', (code) => {
    expect(databaseError(refusal(code))).toMatchObject({ code: 'internal', effect: 'none' });
  });

  test('about text that cannot be stored is invalid', () => {
    expect(databaseError(refusal('22P05'))).toMatchObject({ code: 'invalid' });
  });

  test.each([
    ['53100', 'the disk of the database on computer lab-server is full (53100)'],
    [
      '42P01',
      'the tables of the service are not in the database on computer lab-server yet, or it has those of another version (42P01)',
    ],
    ['25006', 'the database on computer lab-server accepts no changes, because it is read-only (25006)'],
    ['40001', 'the database on computer lab-server does not answer (40001)'],
  ])('%s says what is wrong, and on which computer', (code, message) => {
    nameDatabase('postgresql://ada:secret@lab-server:5432/lab');
    expect(databaseError(refusal(code)).message).toBe(message);
    nameDatabase('postgresql://ada:secret@127.0.0.1:5432/lab');
    expect(databaseError(refusal(code)).message).toBe(message.replace('lab-server', hostname()));
  });

  test('shows no values in its message', () => {
    for (const code of ['23505', '22P05', '57014'])
      expect(databaseError(refusal(code)).message).not.toMatch(/sample/);
  });

  test('that ends the connection, or does not come from the server, is store_unavailable', () => {
    for (const error of [
      refusal('57P01', 'FATAL'),
      Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
      'odd',
    ])
      expect(databaseError(error)).toMatchObject({ code: 'store_unavailable' });
  });

  test('that is already a service error stays unchanged', () => {
    const error = new ServiceError('wrong_state', 'x');
    expect(databaseError(error)).toBe(error);
  });
});
