export { History } from './history.js';
export { Resource } from './resource.js';
export { ResourceActions } from './resource-actions.js';
export { Holder, ResourceState } from './resource-facts.js';
export { Resources } from './resources.js';
export { useResources } from './use-resources.js';
