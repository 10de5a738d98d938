export { eventually } from './eventually.js';
export { FakeClock } from './fake-clock.js';
export { idle, metricSum } from './idle.js';
export { MemoryCache } from './memory-cache.js';
export { MovableClock } from './movable-clock.js';
export { recordLog, type LogLine } from './record-log.js';
export { TestManager } from './test-manager.js';
