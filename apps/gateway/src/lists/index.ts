export { filterParameters, ListQuery, ListQueryAt } from './list-query.js';
export { momentOf, readFilters, readListQuery, type PageRequest, type Place } from './list-request.js';
export { isWithin, passes, portionOf } from './portion.js';
