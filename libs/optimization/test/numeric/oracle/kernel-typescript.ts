import * as dense from './dense-routines.js';
import { type Kernel, RESERVED } from '../../../src/numeric/kernel.js';
import * as covariance from './covariance-routines.js';
import * as posterior from './posterior-routines.js';
import * as network from './network-routines.js';

/** The routines without WebAssembly. */
export function typescriptKernel(): Kernel {
  let a = new Float64Array(RESERVED);
  return {
    name: 'typescript',
    memory(numbers) {
      if (numbers > a.length) {
        const grown = new Float64Array(Math.max(numbers, 2 * a.length));
        grown.set(a);
        a = grown;
      }
      return a;
    },
    cholesky: (l, stride) => dense.cholesky(a, l, stride),
    solveLower: (l, stride, x, rows) => dense.solveLower(a, l, stride, x, rows),
    solveLowerTransposed: (l, stride, x, rows) => dense.solveLowerTransposed(a, l, stride, x, rows),
    inverse: (l, stride, room) => dense.inverse(a, l, stride, room),
    inverseDiagonal: (l, stride, room) => dense.inverse(a, l, stride, room),
    products: (...given) => dense.products(a, ...given),
    covarianceBetween: (...given) => covariance.covarianceBetween(a, ...given),
    covarianceWithin: (...given) => covariance.covarianceWithin(a, ...given),
    covariancePull: (...given) => covariance.covariancePull(a, ...given),
    squares: (...given) => posterior.squares(a, ...given),
    takeProducts: (...given) => posterior.takeProducts(a, ...given),
    pullPoints: (...given) => posterior.pullPoints(a, ...given),
    draw: (...given) => posterior.draw(a, ...given),
    pullDraw: (...given) => posterior.pullDraw(a, ...given),
    direction: (...given) => posterior.direction(a, ...given),
    networkForward: (...given) => network.networkForward(a, ...given),
    networkBackward: (...given) => network.networkBackward(a, ...given),
    networkToInputs: (...given) => network.networkToInputs(a, ...given),
    adam: (...given) => network.adam(a, ...given),
  };
}
