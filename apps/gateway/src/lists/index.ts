export { filterNames, readFilters, readPageRequest } from './list-request.js';
export { passes, portionOf } from './portion.js';
