/**
 * The routines of src/numeric/kernel.ts in AssemblyScript; what they do is said there. Matrices lie in linear memory, row by
 * row, `stride` numbers of 8 bytes to a row; addresses are those of bytes. `stride` is a whole multiple of 4. No memory is
 * allocated: callers place everything from byte 128 on, and the first 128 bytes take the 16 results of `dots`.
 */

export { covarianceBetween, covariancePull, covarianceWithin } from './covariances';
export { direction } from './directions';
export { adam, networkBackward, networkForward, networkToInputs } from './networks';
export { draw, pullDraw, pullPoints, squares, takeProducts } from './posteriors';
export { cholesky, inverse, inverseDiagonal, products, solveLower, solveLowerTransposed } from './triangles';
