import type { Fault } from '@lab/contracts';
import { shown, type CellReading } from './cell-reading.js';
import type { Separator } from './rfc4180.js';

/** Digits, a decimal mark and an exponent, as spreadsheets write them. */
const written = /^[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?$/;
/** Matches a number whose point may also separate thousands. */
const maybeThousands = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;

/** Position of a cell. */
export interface CellPlace {
  line: number;
  column: string;
}

/**
 * The numbers of one file. With semicolons between cells, a number may have a decimal comma or a decimal point. The file must
 * make clear which one it uses, and use only that one: reading `1.250` as 1.25 instead of 1250 would be a wrong volume.
 */
export class NumberCells {
  #place: CellPlace = { line: 0, column: '' };
  /** The first number with a decimal comma, with a certain decimal point, and with a possible one. */
  #comma: CellPlace | undefined;
  #point: CellPlace | undefined;
  #unclear: (CellPlace & { cell: string }) | undefined;

  constructor(private readonly separator: Separator) {}

  /** Sets the position of the cells that are read next. */
  at(place: CellPlace): this {
    this.#place = place;
    return this;
  }

  read(cell: string): CellReading {
    const text = cell.trim();
    const hasComma = text.includes(',');
    if (!written.test(text) || (hasComma && this.separator === ','))
      return {
        fault: {
          code: 'type',
          message: `must be a number, not ${shown(cell)}`,
          hint:
            this.separator === ','
              ? 'Write it with a decimal point and without a unit, such as 1250.5.'
              : 'Write it without a unit and without marks between thousands, such as 1250,5.',
        },
      };
    if (hasComma) this.#comma ??= this.#place;
    else if (text.includes('.') && this.separator === ';') {
      if (maybeThousands.test(text)) this.#unclear ??= { ...this.#place, cell: text };
      else this.#point ??= this.#place;
    }
    return { value: Number(text.replace(',', '.')) };
  }

  /** Faults of the numbers of the whole file, after all are read. */
  faults(): Fault[] {
    const point = this.#point ?? this.#unclear;
    if (this.#comma !== undefined && point !== undefined)
      return [
        placed(
          point,
          'has a decimal point, while others have a decimal comma',
          `Write all numbers in one way: line ${this.#comma.line} has a decimal comma in "${this.#comma.column}".`,
        ),
      ];
    if (this.#unclear !== undefined && this.#point === undefined)
      return [
        placed(
          this.#unclear,
          `${this.#unclear.cell} may mean ${Number(this.#unclear.cell)} or ${this.#unclear.cell.replace('.', '')}`,
          'Save the file with commas between cells, where a point is a decimal point, or write a decimal comma.',
        ),
      ];
    return [];
  }
}

function placed({ line, column }: CellPlace, message: string, hint: string): Fault {
  return { path: column, line, code: 'decimal_mark', message, hint };
}
