export { buildObject, type Differences } from './build-object.js';
export { eventually } from './eventually.js';
export { metricSum } from './idle.js';
export { MemoryCache } from './memory-cache.js';
export { TestManager } from './test-manager.js';
