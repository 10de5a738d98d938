export { BareFolder } from './bare-folder.js';
export { bytesInUse } from './bytes-in-use.js';
export { FakeClock } from './fake-clock.js';
export { MovableClock } from './movable-clock.js';
export { recordLog, type LogLine } from './record-log.js';
