/** `a b'` of `a` (`rows x inner`) and `b` (`columns x inner`): the dot products of their rows, without optimisation. */
export function multiplyTransposed(
  a: Float64Array,
  b: Float64Array,
  rows: number,
  inner: number,
  columns: number,
): Float64Array {
  const product = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      for (let k = 0; k < inner; k++) product[i * columns + j]! += a[i * inner + k]! * b[j * inner + k]!;
    }
  }
  return product;
}

/** The transpose of `a` (`rows x columns`). */
export function transpose(a: Float64Array, rows: number, columns: number): Float64Array {
  return Float64Array.from(
    { length: rows * columns },
    (_, at) => a[(at % rows) * columns + Math.floor(at / rows)]!,
  );
}
