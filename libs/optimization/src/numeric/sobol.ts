import { ServiceError } from '@lab/contracts/vocabulary';
import { Rng } from './rng.js';

/**
 * Dimensions 2 and up of the direction numbers of Joe and Kuo (2008), "Constructing Sobol sequences with better
 * two-dimensional projections", table new-joe-kuo-6: the primitive polynomial as a binary number, then the first `m`.
 */
const JOE_KUO = `
3:1|7:1 3|11:1 3 1|13:1 1 1|19:1 1 3 3|25:1 3 5 13|37:1 1 5 5 17|41:1 1 5 5 5|47:1 1 7 11 19|55:1 1 5 1 1
59:1 1 1 3 11|61:1 3 5 5 31|67:1 3 3 9 7 49|91:1 1 1 15 21 21|97:1 3 1 13 27 49|103:1 1 1 15 7 5
109:1 3 1 15 13 25|115:1 1 5 5 19 61|131:1 3 7 11 23 15 103|137:1 3 7 13 13 15 69|143:1 1 3 13 7 35 63
145:1 3 5 9 1 25 53|157:1 3 1 13 9 35 107|167:1 3 1 5 27 61 31|171:1 1 5 11 19 41 61|185:1 3 5 3 3 13 69
191:1 1 7 13 1 19 1|193:1 3 7 5 13 19 59|203:1 1 3 9 25 29 41|211:1 3 5 13 23 1 55|213:1 3 7 3 13 59 17
229:1 3 1 3 5 53 69|239:1 1 5 5 23 33 13|241:1 1 7 7 1 61 123|247:1 1 7 9 13 61 49|253:1 3 3 5 3 55 33
285:1 3 1 15 31 13 49 245|299:1 3 5 15 31 59 63 97|301:1 3 1 11 11 11 77 249|333:1 3 1 11 27 43 71 9
351:1 1 7 15 21 11 81 45|355:1 3 7 3 25 31 65 79|357:1 3 1 1 19 11 3 205|361:1 1 5 9 19 21 29 157
369:1 3 7 11 1 33 89 185|391:1 3 3 3 15 9 79 71|397:1 3 7 11 15 39 119 27|425:1 1 3 1 11 31 97 225
451:1 1 1 3 23 43 57 177|463:1 3 7 7 17 17 37 71|487:1 3 1 5 27 63 123 213|501:1 1 3 5 11 43 53 133
529:1 3 5 5 29 17 47 173 479|539:1 3 3 11 3 1 109 9 69|545:1 1 1 5 17 39 23 5 343|557:1 3 1 5 25 15 31 103 499
563:1 1 1 11 11 17 63 105 183|601:1 1 5 11 9 29 97 231 363|607:1 1 5 15 19 45 41 7 383
617:1 3 7 7 31 19 83 137 221|623:1 1 1 3 23 15 111 223 83|631:1 1 5 13 31 15 55 25 161|637:1 1 3 13 25 47 39 87 257`;

/** Of each dimension but the first. */
export const ROWS = JOE_KUO.trim()
  .split(/[|\n]/)
  .map((row) => {
    const [polynomial, numbers] = row.split(':');
    return { polynomial: Number(polynomial), m: numbers!.split(' ').map(Number) };
  });

const BITS = 32;
const CELLS = 2 ** BITS;

export const SOBOL_DIMENSIONS = ROWS.length + 1;

/** Per dimension the direction numbers `m_k / 2^k` times 2^32. */
const known: Uint32Array[] = [];

/** The direction numbers of a dimension (from 0) times 2^32, by the recurrence of its polynomial. */
export function directionsOf(dimension: number): Uint32Array {
  const found = (known[dimension] ??= new Uint32Array(BITS));
  if (found[0] !== 0) return found;
  const { polynomial, m } = dimension === 0 ? { polynomial: 0, m: [] } : ROWS[dimension - 1]!;
  const degree = m.length;
  for (let k = 0; k < BITS; k++) {
    // Dimension 0 halves its cells: every m is 1.
    if (k < degree || degree === 0) {
      found[k] = (m[k] ?? 1) * 2 ** (BITS - 1 - k);
      continue;
    }
    let next = found[k - degree]! ^ (found[k - degree]! >>> degree);
    for (let i = 1; i < degree; i++) if ((polynomial >>> (degree - i)) & 1) next ^= found[k - i]!;
    found[k] = next;
  }
  return found;
}

/**
 * The low-discrepancy sequence of Sobol in the order of Gray codes (Antonov and Saleev 1979), 2^32 points. A seed
 * scrambles it by a random lower triangular matrix and a random shift per dimension (Matousek 1998; Owen 2003): the
 * first 2^k points stay as even, each one is uniformly distributed, and no coordinate is 0 or 1.
 */
export class Sobol {
  private readonly directions: Uint32Array;
  private readonly shifts: Uint32Array;
  private readonly state: Uint32Array;
  /** Scrambled points stand in the middle of their cell. */
  private readonly offset: number;
  private at = 0;

  /**
   * @param dimensions from 1 to {@link SOBOL_DIMENSIONS}
   * @throws ServiceError `invalid` for other numbers
   */
  constructor(
    readonly dimensions: number,
    options: { seed?: number | string } = {},
  ) {
    if (!(Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= SOBOL_DIMENSIONS)) {
      throw new ServiceError(
        'invalid',
        `A Sobol sequence has from 1 to ${SOBOL_DIMENSIONS} dimensions, not ${dimensions}; sample at random instead`,
      );
    }
    this.directions = new Uint32Array(dimensions * BITS);
    this.shifts = new Uint32Array(dimensions);
    for (let j = 0; j < dimensions; j++) {
      this.directions.set(directionsOf(j), j * BITS);
    }
    if (options.seed !== undefined) this.scramble(Rng.seeded(options.seed));
    this.offset = options.seed === undefined ? 0 : 0.5;
    this.state = Uint32Array.from(this.shifts);
  }

  /** The next `count` points, `count x dimensions`, row by row. */
  take(count: number): Float64Array {
    const { dimensions: d, state, directions, offset } = this;
    const points = new Float64Array(count * d);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < d; j++) points[i * d + j] = (state[j]! + offset) / CELLS;
      this.at++;
      // Neighbouring Gray codes differ in the lowest zero of the index.
      const changed = 31 - Math.clz32(this.at & -this.at);
      for (let j = 0; j < d; j++) state[j]! ^= directions[j * BITS + changed]!;
    }
    return points;
  }

  private scramble(rng: Rng): void {
    for (let j = 0; j < this.dimensions; j++) {
      const matrix = lowerTriangular(rng);
      for (let k = 0; k < BITS; k++) {
        this.directions[j * BITS + k] = mixed(matrix, this.directions[j * BITS + k]!);
      }
      this.shifts[j] = rng.word();
    }
  }
}

/** Row `r`, from the most significant bit down, mixes bit `r` with those above it. */
function lowerTriangular(rng: Rng): Uint32Array {
  const rows = new Uint32Array(BITS);
  for (let r = 0; r < BITS; r++) {
    const diagonal = 2 ** (BITS - 1 - r);
    rows[r] = (rng.word() & ~(2 * diagonal - 1)) | diagonal;
  }
  return rows;
}

/** A binary matrix times a word, from the most significant bit down. */
function mixed(matrix: Uint32Array, word: number): number {
  let product = 0;
  for (let r = 0; r < BITS; r++) if (odd(matrix[r]! & word)) product |= 1 << (BITS - 1 - r);
  return product;
}

/** Says whether an odd number of bits is set. */
function odd(word: number): boolean {
  let folded = word ^ (word >>> 16);
  folded ^= folded >>> 8;
  folded ^= folded >>> 4;
  return ((0x6996 >>> (folded & 15)) & 1) === 1;
}
